"""When a run has cost enough: tokens, money, time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import Final

from screenmark.engine.options import EngineOptions
from screenmark.engine.prices import Price
from screenmark.errors import UsageError
from screenmark.types import Record

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")


class Budget:
    """What a run may spend, and what it has spent, earlier sessions included.

    Time is of this session only: a deadline is for the person who waits.

    Args:
        options: the limits.
        price: of the model's tokens; None if it is not known.
        clock: seconds of a clock that only goes forward.
    """

    def __init__(
        self,
        options: EngineOptions,
        price: Price | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if options.max_cost is not None and price is None:
            raise UsageError(
                "--max-cost: the price of this model is not known; give it with --prices FILE"
            )
        self._options = options
        self._price = price
        self._clock = clock
        self._end = None
        if options.deadline is not None:
            self._end = clock() + parse_duration(options.deadline)
        self.tokens = 0
        self.cost = 0.0

    @property
    def needs_past(self) -> bool:
        """Whether what earlier sessions spent matters."""
        return self._options.max_total_tokens is not None or self._options.max_cost is not None

    def spend(self, records: Iterable[Record]) -> None:
        """Add what these records cost; replies from a cache cost nothing."""
        for record in records:
            usage = record.reply.usage if record.reply is not None else None
            if usage is None or record.cached:
                continue
            self.tokens += usage.input_tokens + usage.output_tokens
            if self._price is not None:
                self.cost += self._price.of(usage)

    def exhausted(self) -> str | None:
        """Why no further request should start, or None."""
        most_tokens, most_cost = self._options.max_total_tokens, self._options.max_cost
        if most_tokens is not None and self.tokens >= most_tokens:
            return f"{self.tokens:,} tokens are spent, --max-total-tokens is {most_tokens:,}"
        if most_cost is not None and self.cost >= most_cost:
            return f"{self.cost:.2f} dollars are spent, --max-cost is {most_cost:g}"
        if self._end is not None and self._clock() >= self._end:
            return f"--deadline {self._options.deadline} has passed"
        return None


def parse_duration(text: str) -> float:
    """Seconds, from ``90``, ``90s``, ``15m``, ``2h`` or ``1d``.

    Raises:
        UsageError: it is something else, or nothing.
    """
    found = _DURATION.fullmatch(text.strip().lower())
    seconds = float(found[1]) * _UNITS[found[2] or "s"] if found else 0.0
    if not 0 < seconds < 1e9:
        raise UsageError(f"--deadline {text}: expected a duration such as 90s, 15m, 2h or 1d")
    return seconds
