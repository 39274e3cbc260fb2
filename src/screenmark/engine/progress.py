"""The state of a run while it goes, for whoever shows it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from screenmark.types import Outcome, Record

_WINDOW = 30.0
"""Seconds of which the rate tells how long the rest takes."""
_FEW = 3
_SOON = 20.0
"""After so few samples and seconds the first ones, which load models, say little of the rest."""


class Waiting(msgspec.Struct, frozen=True):
    """A request that waits before it is tried again."""

    reason: str
    until: float


class Progress:
    """Counts, kept by the runner; times are of ``time.monotonic``.

    Attributes:
        first: what a person has to know before the first request.
        note: what else a person who waits would want to know.
        doing: says what the model is at; empty where the samples in flight say it.
    """

    def __init__(self, total: int, resumed: int, first: str = "") -> None:
        self.first = first
        self.note = ""
        self.doing: Callable[[], str] = str
        self.total = total
        self.resumed = resumed
        self.outcomes: Counter[Outcome] = Counter()
        self.in_flight: dict[int, str] = {}
        self.waiting: dict[int, Waiting] = {}
        self.draining = False
        self.started = time.monotonic()
        self._images: set[str] = set()
        self._num_images = 0
        self._moments: deque[tuple[float, int]] = deque([(self.started, 0)])

    def expect_images(self, files: Iterable[str]) -> None:
        """Say which images are still to be looked at, of a model that looks at each once."""
        self._images = {file for file in files if file}
        self._num_images = len(self._images)

    @property
    def done(self) -> int:
        """Samples that are on disk, those of earlier sessions included."""
        return self.resumed + self.outcomes.total()

    @property
    def failures(self) -> int:
        """Samples of this session that ended in a failure."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.is_failure)

    @property
    def rate(self) -> float:
        """Samples a second in this session."""
        return self.outcomes.total() / max(time.monotonic() - self.started, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the rate of the last half minute, or from images that are still to be
        looked at; None as long as too little is known.
        """
        done, now = self.outcomes.total(), time.monotonic()
        if not done or (done < _FEW and done < self.total / 4 and now - self.started < _SOON):
            return None
        while len(self._moments) > 1 and self._moments[1][0] <= now - _WINDOW:
            self._moments.popleft()
        if self._images and (looked := self._num_images - len(self._images)):
            return (now - self.started) / looked * len(self._images)
        since, before = self._moments[0]
        # Where nothing came lately, the session as a whole says more.
        rate = (done - before) / max(now - since, 1e-9) or self.rate
        return (self.total - self.done) / rate

    def count(self, records: list[Record]) -> None:
        for record in records:
            self.outcomes[record.outcome] += 1
            if self._images and isinstance(record.sample, dict):
                self._images.discard(str(record.sample.get("file")))
        self._moments.append((time.monotonic(), self.outcomes.total()))


class Display(Protocol):
    """Shows progress; called in the event loop, at most a few times a second."""

    def start(self, progress: Progress) -> None: ...
    def update(self, progress: Progress) -> None: ...
    def stop(self, progress: Progress) -> None: ...


class Silent:
    """A display that shows nothing."""

    def start(self, progress: Progress) -> None:
        pass

    def update(self, progress: Progress) -> None:
        pass

    def stop(self, progress: Progress) -> None:
        pass
