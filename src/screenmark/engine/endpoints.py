"""Which endpoint a request goes to, and when: replicas, windows, health."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from screenmark.engine.limiter import Limiter
from screenmark.errors import TransientError
from screenmark.models import BaseLLMAdapter

_FIRST_REST: Final = 1.0
_LONGEST_REST: Final = 60.0


class Endpoint:
    """An adapter with its window, and how it has been doing."""

    def __init__(self, adapter: BaseLLMAdapter, limiter: Limiter) -> None:
        self.adapter = adapter
        self.limiter = limiter
        self.strikes = 0
        self.rests_until = float("-inf")

    def struck(self, now: float) -> None:
        """A failure sets it aside, for longer each time in a row."""
        self.rests_until = now + min(_LONGEST_REST, _FIRST_REST * 2.0 ** min(self.strikes, 10))
        self.strikes += 1


class Turn(NamedTuple):
    """The endpoint that takes a request, and when it starts."""

    endpoint: Endpoint
    started: float


class Endpoints:
    """The replicas of a run. Requests wait in order; the least loaded replica takes the next.

    Args:
        adapters: one for each replica.
        limiter: makes the window of a replica.
        clock: seconds; the event loop's by default.
    """

    def __init__(
        self,
        adapters: Sequence[BaseLLMAdapter],
        limiter: Callable[[BaseLLMAdapter], Limiter],
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.all = [Endpoint(adapter, limiter(adapter)) for adapter in adapters]
        self.clock = clock or (lambda: asyncio.get_running_loop().time())
        self._waiting: deque[asyncio.Future[Turn]] = deque()
        self._alarm: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Get all adapters ready."""
        for endpoint in self.all:
            await endpoint.adapter.start()

    async def close(self) -> None:
        """Close all adapters."""
        if self._alarm is not None:
            self._alarm.cancel()
        for endpoint in self.all:
            await endpoint.adapter.close()

    async def acquire(self) -> Turn:
        """Wait for a turn: the endpoint to ask, and the time that the request starts."""
        if not self._waiting:
            chosen = self.choose()
            if chosen is not None:
                return self._begin(chosen)
        turn: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._set_alarm()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # Given a turn and cancelled at once: it is for somebody else now.
                endpoint, started = turn.result()
                endpoint.limiter.end(started, self.clock(), answered=False)
                self._wake()
            raise

    def release(self, turn: Turn, error: BaseException | None) -> None:
        """A request ended, with a reply or with ``error``."""
        now = self.clock()
        endpoint, started = turn
        transient = error if isinstance(error, TransientError) else None
        endpoint.limiter.end(
            started,
            now,
            answered=error is None,
            refused=transient is not None and transient.status == 429,
            failed=transient is not None and transient.status != 429 and transient.congested,
        )
        if transient is not None and transient.status != 429:
            endpoint.struck(now)
        elif error is None:
            endpoint.strikes = 0
            endpoint.rests_until = float("-inf")
        self._wake()

    def hold(self, endpoint: Endpoint, seconds: float) -> None:
        """Keep all requests from an endpoint for so long, as it asked."""
        endpoint.limiter.hold(self.clock() + seconds)

    def choose(self) -> Endpoint | None:
        """The least loaded endpoint that may take a request now."""
        now = self.clock()
        able = [e for e in self.all if e.limiter.ready_at(now) == now]
        fit = [e for e in able if e.rests_until <= now]
        if not fit and all(e.rests_until > now for e in self.all):
            fit = able  # nobody is well: retries and their waits decide
        return min(fit, key=lambda e: e.limiter.load, default=None)

    @property
    def windows(self) -> list[int]:
        """Requests in flight that each endpoint may have now."""
        return [max(1, int(e.limiter.limit)) for e in self.all]

    def _begin(self, endpoint: Endpoint) -> Turn:
        now = self.clock()
        endpoint.limiter.start(now)
        return Turn(endpoint, now)

    def _wake(self) -> None:
        """Give those in front of the queue their turns, as far as there is room."""
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            chosen = self.choose()
            if chosen is None:
                break
            self._waiting.popleft().set_result(self._begin(chosen))
        self._set_alarm()

    def _set_alarm(self) -> None:
        """Wake the queue when time alone makes room."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if not self._waiting:
            return
        now = self.clock()
        times = [e.limiter.ready_at(now) for e in self.all]
        soonest = min(
            (
                max(at, e.rests_until)
                for at, e in zip(times, self.all, strict=True)
                if at is not None
            ),
            default=None,
        )
        if soonest is not None:
            delay = max(0.0, soonest - now)
            self._alarm = asyncio.get_running_loop().call_later(delay, self._wake)
