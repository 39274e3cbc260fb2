"""How many requests one endpoint is given at a time.

The window follows AIMD, as TCP's does (Chiu and Jain, "Analysis of the Increase and
Decrease Algorithms for Congestion Avoidance in Computer Networks", 1989): cut when the
endpoint says that it is too much, opened again by one for each window of answers; quickly
at first, up to three quarters of where it was too much. A 429 says so by itself. A 5xx or a
timeout may be an accident: only several of them together do, since halving at every accident
would hold the window of a large endpoint far below what it can do.
"""

from __future__ import annotations

from typing import Final

AUTO_START: Final = 32
_CUT: Final = 0.6
_SMOOTHING: Final = 0.1
_TROUBLE: Final = 0.15
"""Share of recent requests that fail above which the endpoint has too much to do."""
_QUEUEING: Final = 2.0
"""Answers slower than this times the fastest they have been: the server queues already."""
_SETTLED: Final = 20
"""So many answers it takes to know how long one takes."""


class Limiter:
    """The window of one endpoint. Times are seconds of any clock that only goes forward.

    Args:
        start: requests in flight at first.
        cap: most requests in flight ever.
        min_interval: least seconds between the starts of two requests.
    """

    def __init__(self, start: int, cap: int, min_interval: float = 0.0) -> None:
        self.limit = float(min(start, cap))
        self.in_flight = 0
        self.cap = cap
        self._grows_freely = cap > start
        self._min_interval = min_interval
        self._too_much = float("inf")
        self._last_cut = float("-inf")
        self._held_until = float("-inf")
        self._next_start = float("-inf")
        self._trouble = 0.0
        self._answers = 0
        self._latency = 0.0
        self._least_latency = float("inf")

    def ready_at(self, now: float) -> float | None:
        """When the next request may start; None if another one has to end first."""
        if self.in_flight >= max(1, int(self.limit)):
            return None
        return max(now, self._held_until, self._next_start)

    @property
    def load(self) -> float:
        """Share of the window that is in use."""
        return self.in_flight / max(1.0, self.limit)

    def start(self, now: float) -> None:
        """A request starts."""
        self.in_flight += 1
        if self._min_interval:
            self._next_start = now + self._min_interval

    def end(
        self,
        started: float,
        now: float,
        *,
        answered: bool,
        refused: bool = False,
        failed: bool = False,
    ) -> None:
        """A request that started at ``started`` ends.

        Args:
            answered: there was a reply; opens the window.
            refused: the endpoint said that it is too much (429); cuts the window, once for
                all the requests that were in flight at the time.
            failed: 5xx or a timeout; cuts it if that happens often.
        """
        self.in_flight -= 1
        if answered or failed:
            self._trouble += _SMOOTHING * (failed - self._trouble)
        if refused or (failed and self._trouble > _TROUBLE):
            if started >= self._last_cut:
                self._too_much = self.limit
                self.limit = max(1.0, self.limit * _CUT)
                self._last_cut = now
        elif answered:
            self._note_latency(now - started)
            self._open()

    def hold(self, until: float) -> None:
        """Let no request start before ``until``, as the endpoint asked."""
        self._held_until = max(self._held_until, until)

    def _open(self) -> None:
        if self._grows_freely and self._queueing:
            return
        quick = self.limit < 0.75 * self._too_much
        if quick and (self._grows_freely or self._too_much != float("inf")):
            self.limit += 1.0
        else:
            self.limit += 1.0 / self.limit
        self.limit = min(self.limit, float(self.cap))

    def _note_latency(self, seconds: float) -> None:
        self._answers += 1
        # A plain mean at first, then one that forgets.
        weight = max(_SMOOTHING, 1.0 / self._answers)
        self._latency += weight * (seconds - self._latency)
        if self._answers >= _SETTLED:
            self._least_latency = min(self._least_latency, self._latency)

    @property
    def _queueing(self) -> bool:
        """Whether more requests in flight would only wait longer, by Little's law."""
        return self._latency > _QUEUEING * self._least_latency
