"""When to ask again, and how long to wait before it."""

from __future__ import annotations

import random

import msgspec

from screenmark.errors import TransientError, UnreachableError


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Exponential backoff with jitter.

    Attributes:
        max_retries: tries after the first one.
        base: seconds before the first retry; each further one doubles it.
        cap: most seconds of any wait, one that the server asked for included.
        unreachable_retries: tries after the first one while nothing has ever answered.
    """

    max_retries: int = 5
    base: float = 1.0
    cap: float = 120.0
    unreachable_retries: int = 2

    def delay(self, retry: int, error: TransientError, jitter: float) -> float:
        """Seconds before retry number ``retry`` (from 0); ``jitter`` is in 0–1.

        A wait that the server asked for is a lower bound, so jitter only adds to it. None at
        all, as a date that has passed by our clock, says nothing of how long is enough.
        """
        backoff = self.base * 2.0 ** min(retry, 30)
        if not error.retry_after:
            return min(self.cap, backoff * (0.5 + 0.5 * jitter))
        return min(self.cap, error.retry_after + 0.25 * self.base * jitter)

    def allows(self, retry: int, error: TransientError, *, ever_answered: bool) -> bool:
        """Whether retry number ``retry`` (from 0) may be made."""
        if isinstance(error, UnreachableError) and not ever_answered:
            return retry < min(self.max_retries, self.unreachable_retries)
        return retry < self.max_retries


def random_jitter() -> float:
    """A number in 0–1 that differs between requests, so that retries spread out."""
    return random.random()  # noqa: S311 - not a secret
