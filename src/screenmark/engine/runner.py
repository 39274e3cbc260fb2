"""Many samples at once: ask, try again, read, score, record.

A fixed number of workers draw from one iterator, so memory does not grow with the number
of samples, and a finished sample goes to the record file before it is counted.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks import Benchmark, Sample
from screenmark.engine.manifest import now
from screenmark.engine.progress import Display, Progress, Waiting
from screenmark.engine.records import RecordWriter
from screenmark.engine.requests import make_request, request_hash
from screenmark.engine.retry import Pacer, RetryPolicy, random_jitter
from screenmark.errors import (
    CredentialsError,
    ImageError,
    ModelError,
    RunInterrupted,
    TransientError,
    UnreachableError,
)
from screenmark.models import BaseLLMAdapter, ModelOptions
from screenmark.types import Failure, Outcome, Record, Reply, Request

_DISPLAY_SECONDS = 0.2


class Work(NamedTuple):
    """One sample to ask: where it stands in the data, and which repetition this is."""

    position: int
    repeat: int
    sample: Sample


class Runner:
    """Asks a model about samples and writes a record for each."""

    def __init__(
        self,
        benchmark: Benchmark[Any, Any],
        model: BaseLLMAdapter,
        options: ModelOptions,
        *,
        policy: RetryPolicy,
        pacer: Pacer,
        progress: Progress,
        display: Display,
    ) -> None:
        self._benchmark = benchmark
        self._model = model
        self._options = options
        self._policy = policy
        self._pacer = pacer
        self._progress = progress
        self._display = display
        self._ever_answered = False
        self._stop: BaseException | None = None
        self._workers: list[asyncio.Task[None]] = []

    async def run(self, work: Iterable[Work], records: Path) -> None:
        """Work through all of ``work``, appending to the file ``records``.

        Raises:
            RunInterrupted: stopped by a signal or a full disk; what is finished is kept.
            CredentialsError, UnreachableError: no request of this run can succeed.
        """
        writer = RecordWriter(records, self._progress.count)
        queue = iter(work)
        try:
            await self._model.start()
            with self._signals():
                show = asyncio.create_task(self._show())
                count = min(self._options.concurrency, self._model.concurrency)
                self._workers = [
                    asyncio.create_task(self._worker(number, queue, writer))
                    for number in range(count)
                ]
                await self._finish_workers()
        finally:
            # In this order: records first, whatever the model or the display do.
            try:
                await writer.close()
            finally:
                if self._workers:
                    show.cancel()
                    self._display.stop(self._progress)
                await self._model.close()
        if self._stop is not None:
            raise self._stop

    def interrupt(self) -> None:
        """Finish what is in flight and stop; a second call drops what is in flight."""
        if self._stop is None:
            self._progress.draining = True
            self._stop = RunInterrupted("interrupted; give the same command again to go on")
            for number in list(self._progress.waiting):
                self._workers[number].cancel()
        else:
            for task in self._workers:
                task.cancel()

    async def _finish_workers(self) -> None:
        results = await asyncio.gather(*self._workers, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

    async def _worker(self, number: int, queue: Iterator[Work], writer: RecordWriter) -> None:
        for work in queue:
            if self._stop is not None:
                return
            self._progress.in_flight[number] = work.sample.id
            try:
                record = await self._record(number, work)
                if record is not None:
                    await writer.put(record)
            except RunInterrupted as error:
                self._stop = self._stop or error
            finally:
                self._progress.in_flight.pop(number, None)

    async def _record(self, number: int, work: Work) -> Record | None:
        """Ask about one sample; None if the run stops before there is a result."""
        sample = work.sample
        record = Record(
            sample_id=sample.id,
            position=work.position,
            repeat=work.repeat,
            outcome=Outcome.OK,
            sample=msgspec.to_builtins(sample),
            started=now(),
        )
        began = time.monotonic()
        if sample.problem is not None:
            record.attempts = 0
            record.outcome = Outcome.IMAGE_ERROR
            record.failure = Failure("ImageError", sample.problem)
        else:
            request = make_request(self._benchmark, sample, self._options)
            record.request_hash = request_hash(request)
            try:
                record.reply = await self._ask(number, request, record)
            except ImageError as error:
                record.outcome = Outcome.IMAGE_ERROR
                record.failure = Failure("ImageError", str(error))
            except (CredentialsError, UnreachableError) as error:
                if not self._ever_answered or isinstance(error, CredentialsError):
                    self._stop = self._stop or error
                    return None
                self._fail(record, error)
            except Exception as error:
                self._fail(record, error)
            else:
                record.answer = self._benchmark.parse(record.reply, sample)
                record.outcome = record.answer.outcome
        record.score = self._benchmark.score(sample, record.answer)
        record.seconds = round(time.monotonic() - began, 4)
        return record

    def _fail(self, record: Record, error: Exception) -> None:
        name = type(error).__name__
        message = str(error) if isinstance(error, ModelError) else f"{name}: {error}"
        record.outcome = Outcome.API_ERROR
        record.failure = Failure(name, message, getattr(error, "status", None))

    async def _ask(self, number: int, request: Request, record: Record) -> Reply:
        retry = 0
        while True:
            await self._pacer.turn()
            record.attempts = retry + 1
            try:
                async with asyncio.timeout(self._options.timeout + 1):
                    reply = await self._model.generate(request)
            except TimeoutError:
                limit = f"{self._options.timeout:g} s"
                error: TransientError = TransientError(f"no reply within {limit}")
            except TransientError as caught:
                error = caught
            else:
                self._ever_answered = True
                return reply
            if self._stop is not None or not self._policy.allows(
                retry, error, ever_answered=self._ever_answered
            ):
                raise error
            await self._wait(number, retry, error)
            retry += 1

    async def _wait(self, number: int, retry: int, error: TransientError) -> None:
        seconds = self._policy.delay(retry, error, random_jitter())
        if error.retry_after is not None:
            self._pacer.hold(min(error.retry_after, self._policy.cap))
        self._progress.waiting[number] = Waiting(str(error), time.monotonic() + seconds)
        try:
            await asyncio.sleep(seconds)
        finally:
            del self._progress.waiting[number]

    async def _show(self) -> None:
        self._display.start(self._progress)
        while True:
            self._display.update(self._progress)
            await asyncio.sleep(_DISPLAY_SECONDS)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C and a polite kill interrupt the run, where signals can be had at all."""
        loop = asyncio.get_running_loop()
        taken = []
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, self.interrupt)
                taken.append(number)
            except (NotImplementedError, RuntimeError, ValueError):
                break  # not in the main thread, as in a notebook
        try:
            yield
        finally:
            for number in taken:
                loop.remove_signal_handler(number)
