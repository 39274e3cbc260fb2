"""A run whose samples are asked by several workers: the driver's side.

The driver keeps the ledger, the records, the budget and the display. For each worker one
task calls it again and again: work goes in, finished records come out. A worker that has
room gets more at once, so a fast one does more of the run than a slow one.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from screenmark import errors
from screenmark.benchmarks import Benchmark
from screenmark.engine.budget import Budget
from screenmark.engine.cached_answers import CachedAnswers
from screenmark.engine.foreground import interruptible, shown
from screenmark.engine.progress import Display, Progress, Waiting
from screenmark.engine.records import OpenSink, Sink
from screenmark.engine.runner import Work, new_record
from screenmark.engine.shard_worker import Exchange, Trouble
from screenmark.engine.shards import Ledger
from screenmark.errors import ModelError, RunInterrupted, ScreenmarkError, UnreachableError
from screenmark.types import Failure, Outcome, Record

_DEATHS: Final = 3
"""A worker that dies so often without a record in between is not replaced again."""
_SECONDS_TO_FINISH: Final = 5.0
_NUMBERS: Final = 1 << 16


class WorkerGone(Exception):
    """A worker died or cannot be reached any more."""


class RemoteWorker(Protocol):
    """A `ShardWorker` somewhere else. Every call raises `WorkerGone` if it is not there."""

    async def start(self) -> Exchange: ...
    async def exchange(self, work: list[Work]) -> Exchange: ...
    async def drain(self) -> None: ...
    async def finish(self) -> None: ...
    def kill(self) -> None: ...


class ShardedRun:
    """Asks about the samples of a ledger through workers.

    Args:
        hire: makes worker number n, anew each time that it is called.
        workers: how many.
        cache: replies to use instead of asking.

    Attributes:
        warnings: workers that were lost or set aside.
    """

    def __init__(
        self,
        ledger: Ledger,
        hire: Callable[[int], RemoteWorker],
        workers: int,
        *,
        benchmark: Benchmark[Any, Any],
        progress: Progress,
        display: Display,
        budget: Budget,
        cache: CachedAnswers | None = None,
    ) -> None:
        self._ledger = ledger
        self._hire = hire
        self._workers = workers
        self._benchmark = benchmark
        self._progress = progress
        self._display = display
        self._budget = budget
        self._cache = cache
        self._stop: BaseException | None = None
        self._unreachable: BaseException | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._drains: set[asyncio.Task[None]] = set()
        self._started: dict[int, RemoteWorker] = {}
        self._settled: Counter[int] = Counter()
        self._changed = asyncio.Event()
        self.warnings: list[str] = []

    async def run(self, open_sink: OpenSink) -> None:
        """Work through the ledger, handing each record to the sink.

        Raises:
            RunInterrupted: stopped by a signal, a budget or a full disk, or no worker is left;
                what is finished is kept.
            CredentialsError, UnreachableError: no request of this run can succeed.
        """
        sink = open_sink(self._progress.count)
        with interruptible(self.interrupt), shown(self._display, self._progress):
            try:
                await self._employ_all(sink)
            finally:
                await sink.close()
        progress = self._progress
        if isinstance(self._stop, RunInterrupted):
            if progress.done >= progress.total:
                return  # it came too late to stop anything
            raise RunInterrupted(f"{self._stop} ({progress.done} of {progress.total} are kept)")
        if self._stop is not None:
            raise self._stop
        if self._ledger.unfinished:
            raise self._unreachable or RunInterrupted(
                f"no worker is left ({self.warnings[-1]}); give the same command again to go on"
            )

    def interrupt(self) -> None:
        """Finish what is in flight and stop; a second call drops what is in flight."""
        if self._stop is None:
            self._progress.draining = True
            self._halt(RunInterrupted("interrupted; give the same command again to go on"))
        else:
            for task in self._tasks:
                task.cancel()

    def _halt(self, why: BaseException) -> None:
        """Hand out nothing any more, and let workers finish what they are asking about."""
        if self._stop is not None:
            return
        self._stop = why
        self._changed.set()
        for number, task in enumerate(self._tasks):
            if number not in self._started:
                task.cancel()
        self._drains = {asyncio.create_task(_drain(w)) for w in self._started.values()}

    async def _employ_all(self, sink: Sink) -> None:
        self._note_places()
        self._tasks = [asyncio.create_task(self._post(n, sink)) for n in range(self._workers)]
        try:
            done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            left = [*self._tasks, *self._drains]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        for task in done:
            error = None if task.cancelled() else task.exception()
            if error is not None:
                raise error

    async def _post(self, number: int, sink: Sink) -> None:
        """One worker, and those that take its place."""
        deaths = 0
        records = 0
        while self._stop is None and self._ledger.unfinished and deaths < _DEATHS:
            remote = self._hire(number)
            try:
                await self._employ(number, remote, sink)
            except WorkerGone as gone:
                deaths = 1 if self._settled[number] > records else deaths + 1
                records = self._settled[number]
                await self._count_the_lost(number, str(gone), sink)
            else:
                return
            finally:
                self._started.pop(number, None)
                self._report(number, Exchange())
                remote.kill()

    async def _employ(self, number: int, remote: RemoteWorker, sink: Sink) -> None:
        state = await remote.start()
        self._started[number] = remote
        self._note_places()
        while True:
            await self._take_in(number, state, sink)
            if state.ended:
                self._dismiss(number, state.trouble)
                return
            work = await self._next_work(number, state.window, sink)
            while not work and not self._ledger.held_by(number):
                if self._stop is not None or not self._ledger.unfinished:
                    await _finish(remote)
                    return
                # Others have the rest; if one of them is lost, it comes back.
                self._changed.clear()
                await self._changed.wait()
                work = await self._next_work(number, state.window, sink)
            state = await remote.exchange(work)

    async def _take_in(self, number: int, state: Exchange, sink: Sink) -> None:
        self._report(number, state)
        for record in state.records:
            if not self._settle(number, record):
                continue
            self._settled[number] += 1
            self._budget.spend([record])
            if self._cache is not None:
                self._cache.keep(record)
            await self._keep(record, sink)

    def _settle(self, number: int, record: Record) -> bool:
        settled = self._ledger.settle(number, record.key)
        if not self._ledger.unfinished:
            self._changed.set()
        return settled

    async def _keep(self, record: Record, sink: Sink) -> None:
        try:
            await sink.put(record)
        except RunInterrupted as error:
            self._halt(error)

    async def _next_work(self, number: int, window: int, sink: Sink) -> list[Work]:
        """What a worker gets now, less what the cache answers."""
        while True:
            why = None if self._stop is not None else self._budget.exhausted()
            if why is not None:
                more = f"{why}; give the same command with more of it to go on"
                self._halt(RunInterrupted(more))
            if self._stop is not None:
                return []
            work = self._ledger.hand_out(number, window)
            if self._cache is None or not work:
                return work
            asked = []
            for item in work:
                record = await asyncio.to_thread(self._cache.answer, item)
                if record is None:
                    asked.append(item)
                elif self._settle(number, record):
                    await self._keep(record, sink)
            if asked:
                return asked

    def _dismiss(self, number: int, trouble: Trouble | None) -> None:
        """A worker takes no more work; what it had is for the others."""
        self._ledger.give_back(number)
        self._changed.set()
        if trouble is None:
            return
        error = _as_error(trouble)
        if isinstance(error, UnreachableError):
            # As with replicas, one that does not answer says nothing about the others.
            self._unreachable = error
            self.warnings.append(f"worker {number} was set aside: {error}")
        else:
            self._halt(error)

    async def _count_the_lost(self, number: int, why: str, sink: Sink) -> None:
        count = self._ledger.held_by(number)
        given_up = self._ledger.lost(number)
        self.warnings.append(
            f"worker {number} was lost with {count} samples ({why}); "
            f"{count - len(given_up)} of them were asked again"
        )
        for work in given_up:
            await self._keep(self._lost_record(work, why), sink)
        self._changed.set()

    def _lost_record(self, work: Work, why: str) -> Record:
        record = new_record(work)
        record.outcome = Outcome.API_ERROR
        record.attempts = 2
        message = f"two workers died while they had this sample, the last one so: {why}"
        record.failure = Failure("WorkerLost", message)
        record.score = self._benchmark.score(work.sample, None)
        return record

    def _note_places(self) -> None:
        there = len(self._started)
        self._progress.note = (
            "" if there else f"waiting for {self._workers} workers to get a place and start"
        )

    def _report(self, number: int, state: Exchange) -> None:
        """Show what a worker says that it is doing."""
        now = time.monotonic()
        first = number * _NUMBERS
        in_flight, waiting = self._progress.in_flight, self._progress.waiting
        for key in [k for k in in_flight if first <= k < first + _NUMBERS]:
            del in_flight[key]
        for key in [k for k in waiting if first <= k < first + _NUMBERS]:
            del waiting[key]
        in_flight.update(enumerate(state.in_flight, start=first))
        waits = (Waiting(reason, now + seconds) for reason, seconds in state.waiting)
        waiting.update(enumerate(waits, start=first))


async def _drain(remote: RemoteWorker) -> None:
    with suppress(WorkerGone):
        await remote.drain()


async def _finish(remote: RemoteWorker) -> None:
    with suppress(WorkerGone, TimeoutError):
        async with asyncio.timeout(_SECONDS_TO_FINISH):
            await remote.finish()


def _as_error(trouble: Trouble) -> Exception:
    """A worker's error as the local executor would raise it, as far as callers can tell."""
    kind = getattr(errors, trouble.kind, None)
    if isinstance(kind, type) and issubclass(kind, ModelError):
        return kind(trouble.message, status=trouble.status)
    if isinstance(kind, type) and issubclass(kind, ScreenmarkError):
        return ScreenmarkError(f"on a worker: {trouble.message}")
    return RuntimeError(f"on a worker: {trouble.message}")
