"""Many samples at once: ask, try again, read, score, record.

A fixed number of workers draw from one iterator, so memory does not grow with the number
of samples, and a finished sample goes to the record file before it is counted.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks import Benchmark, Sample
from screenmark.engine.budget import Budget
from screenmark.engine.cache import RunCache
from screenmark.engine.endpoints import Endpoint, Endpoints
from screenmark.engine.feed import Feed
from screenmark.engine.foreground import interruptible, shown
from screenmark.engine.manifest import now
from screenmark.engine.progress import Display, Progress, Waiting
from screenmark.engine.records import OpenSink, Sink
from screenmark.engine.requests import make_request, request_hash
from screenmark.engine.retry import RetryPolicy, random_jitter
from screenmark.errors import (
    CredentialsError,
    EnvironmentFailure,
    ImageError,
    ModelError,
    RejectedError,
    ReplyTimeoutError,
    RunInterrupted,
    StageError,
    TransientError,
    UnreachableError,
)
from screenmark.models import ModelOptions
from screenmark.models.secrets import Secrets
from screenmark.types import Failure, Outcome, Record, Reply, Request, Usage

_NOT_FOUND = 3


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
        endpoints: Endpoints,
        options: ModelOptions,
        *,
        policy: RetryPolicy,
        progress: Progress,
        display: Display,
        budget: Budget,
        cache: RunCache | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._endpoints = endpoints
        self._options = options
        self._secrets = Secrets(options)
        inside = [endpoint.adapter.take_retries(policy.max_retries) for endpoint in endpoints.all]
        self._policy = msgspec.structs.replace(policy, max_retries=0) if all(inside) else policy
        self._progress = progress
        progress.doing = self._doing
        self._display = display
        self._budget = budget
        self._cache = cache
        self._ever_answered = False
        self._not_found = 0
        self._stop: BaseException | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._queueing: set[int] = set()  # workers whose request waits for its turn
        self._preparing: set[int] = set()  # workers that have not come to a request yet
        self._feed: Feed[Work] = Feed()
        self._asked: asyncio.Queue[tuple[Sample, Record] | None] = asyncio.Queue()

    async def run(self, work: Iterable[Work] | Feed[Work], open_sink: OpenSink) -> None:
        """Work through all of ``work``, handing each record to the sink.

        Args:
            work: what to ask, in the order in which to start; a feed may be added to.
            open_sink: opens the place for records, given what to call with those it keeps.

        Raises:
            RunInterrupted: stopped by a signal or a full disk; what is finished is kept.
            CredentialsError, UnreachableError: no request of this run can succeed.
        """
        self._feed = work if isinstance(work, Feed) else Feed(work)
        sink = open_sink(self._progress.count)
        count = sum(endpoint.limiter.cap for endpoint in self._endpoints.all)
        self._asked = asyncio.Queue(maxsize=2 * count)
        with interruptible(self.interrupt), shown(self._display, self._progress):
            try:
                await self._endpoints.start()
                await self._ask_all(count, sink)
            finally:
                # Records first, whatever the model does on closing.
                try:
                    await sink.close()
                finally:
                    await self._endpoints.close()
                    await self._benchmark.finish()
        self._raise_stop()

    def _raise_stop(self) -> None:
        stop, progress = self._stop, self._progress
        if isinstance(stop, RunInterrupted):
            if progress.done >= progress.total:
                return  # it came too late to stop anything
            raise RunInterrupted(f"{stop} ({progress.done} of {progress.total} are kept)")
        if stop is not None:
            raise stop

    def interrupt(self) -> None:
        """Finish what is in flight and stop; a second call drops what is in flight."""
        if self._stop is None:
            self._progress.draining = True
            self._stop = RunInterrupted("interrupted; give the same command again to go on")
            self._feed.close()
            for number in [*self._progress.waiting, *self._queueing, *self._preparing]:
                self._workers[number].cancel()
            for endpoint in self._endpoints.all:
                endpoint.adapter.stop_waiting()
        else:
            for task in self._workers:
                task.cancel()

    def _doing(self) -> str:
        said = (endpoint.adapter.doing() for endpoint in self._endpoints.all)
        return "; ".join(words for words in said if words)

    async def _ask_all(self, count: int, sink: Sink) -> None:
        reader = asyncio.create_task(self._read_replies(sink))
        self._workers = [asyncio.create_task(self._worker(n)) for n in range(count)]
        # Without a reader nothing is kept, and the workers would wait for it for ever.
        reader.add_done_callback(self._drop_everything)
        results = await asyncio.gather(*self._workers, return_exceptions=True)
        if not reader.done():
            await self._asked.put(None)
        await reader
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

    def _drop_everything(self, reader: asyncio.Task[None]) -> None:
        for task in self._workers:
            task.cancel()

    async def _worker(self, number: int) -> None:
        try:
            async for work in self._feed:
                self._check_budget()
                if self._stop is not None:
                    return
                self._progress.in_flight[number] = work.sample.id
                try:
                    sample, record = await self._work_on(number, work)
                finally:
                    self._progress.in_flight.pop(number, None)
                if record is not None:
                    await self._asked.put((sample, record))
                if self._stop is not None:
                    return  # a feed that is added to would keep it waiting
        finally:
            # Done or broken off: either way there is nothing left for those who wait for more.
            self._feed.close()

    def _check_budget(self) -> None:
        why = None if self._stop is not None else self._budget.exhausted()
        if why is not None:
            self._stop = RunInterrupted(f"{why}; give the same command with more of it to go on")

    async def _read_replies(self, sink: Sink) -> None:
        """Read, score and record, one at a time.

        Apart from the workers, so that the next request goes out before the last reply is
        scored: many replies may come in at once, and the model should not wait for us.
        """
        while (item := await self._asked.get()) is not None:
            sample, record = item
            if record.reply is not None:
                record.answer = self._benchmark.parse(record.reply, sample)
                record.outcome = record.answer.outcome
                self._budget.spend([record])
                if self._cache is not None:
                    self._cache.keep(record)
            record.score = self._benchmark.score(sample, record.answer)
            try:
                await sink.put(record)
            except RunInterrupted as error:
                self._stop = self._stop or error
            await asyncio.sleep(0)

    async def _work_on(self, number: int, work: Work) -> tuple[Sample, Record | None]:
        """The sample as it was prepared, and its record, as of `_ask_about`."""
        if work.sample.problem is not None:
            return work.sample, await self._ask_about(number, work)
        self._preparing.add(number)
        try:
            work = work._replace(sample=await self._benchmark.prepare(work.sample))
        except Exception as error:
            if self._stop is not None:
                return work.sample, None  # broken by what stops the run: a later one does it
            record = new_record(work)
            record.attempts = 0
            self._fail(record, error)
            record.outcome = Outcome.ENVIRONMENT_ERROR
            return work.sample, record
        finally:
            self._preparing.discard(number)
        settled = self._benchmark.settled(work.sample)
        if settled is None:
            return work.sample, await self._ask_about(number, work)
        record = new_record(work)
        record.attempts = 0
        record.answer, record.outcome = settled, settled.outcome
        return work.sample, record

    async def _ask_about(self, number: int, work: Work) -> Record | None:
        """A record with the reply or the failure; None if the run stops before there is one."""
        sample = work.sample
        record = new_record(work)
        if sample.problem is not None:
            record.attempts = 0
            return _without_image(record, sample.problem)
        try:
            request = await self._request(sample)
        except ImageError as error:
            record.attempts = 0
            return _without_image(record, str(error))
        except StageError as error:
            record.attempts = 0
            self._fail(record, error)
            return record
        record.request_hash = request_hash(request)
        if self._cache is not None and self._cache.answer(request, record):
            return record
        began = time.monotonic()
        try:
            reply = await self._ask(number, request, record)
            while again := self._benchmark.follow_up(request, reply, sample):
                reply = _in_place_of(reply, await self._ask(number, again, record))
            record.reply = reply
        except ImageError as error:
            _without_image(record, str(error))
        except (CredentialsError, UnreachableError) as error:
            if not self._ever_answered or isinstance(error, CredentialsError):
                self._stop = self._stop or error
                return None
            self._fail(record, error)
        except RejectedError as error:
            self._fail(record, error)
            self._notice_wrong_address(error)
        except Exception as error:
            self._fail(record, error)
        record.seconds = round(time.monotonic() - began, 4)
        return record

    async def _request(self, sample: Sample) -> Request:
        if self._benchmark.image_limits is None:
            return make_request(self._benchmark, sample, self._options)
        # The prompt may depend on how far the image has to be scaled down, which takes long.
        return await asyncio.to_thread(make_request, self._benchmark, sample, self._options)

    def _notice_wrong_address(self, error: RejectedError) -> None:
        """Stop if nothing but 404 comes back: the rest of the data would meet the same."""
        if self._ever_answered or error.status not in {404, 405}:
            return
        self._not_found += 1
        if self._not_found >= _NOT_FOUND:
            self._stop = self._stop or RejectedError(
                "nothing is found at this address; does --api-base end in /v1, and is the "
                f"model's name right? {error}"
            )

    def _fail(self, record: Record, error: Exception) -> None:
        name = type(error).__name__
        known = isinstance(error, ModelError | StageError | EnvironmentFailure)
        message = str(error) if known else f"{name}: {error}{_where(error)}"
        of_world = isinstance(error, EnvironmentFailure)
        record.outcome = Outcome.ENVIRONMENT_ERROR if of_world else Outcome.API_ERROR
        message = self._secrets.out_of(message)
        record.failure = Failure(name, message, getattr(error, "status", None))

    async def _ask(self, number: int, request: Request, record: Record) -> Reply:
        retry = 0
        while True:
            self._queueing.add(number)
            try:
                turn = await self._endpoints.acquire()
            finally:
                self._queueing.discard(number)
            record.attempts = retry + 1
            try:
                reply = await self._generate(turn.endpoint, request)
            except TransientError as error:
                self._endpoints.release(turn, error)
                if not self._again(retry, error):
                    raise
                await self._wait(number, turn.endpoint, retry, error)
            except BaseException as error:
                self._endpoints.release(turn, error)
                raise
            else:
                self._endpoints.release(turn, None)
                self._ever_answered = True
                return reply
            retry += 1

    async def _generate(self, endpoint: Endpoint, request: Request) -> Reply:
        if endpoint.adapter.queues:
            return await endpoint.adapter.generate(request)
        try:
            # An adapter should keep to the limit itself; not every one does.
            async with asyncio.timeout(self._options.timeout + 1):
                return await endpoint.adapter.generate(request)
        except TimeoutError:
            limit = f"{self._options.timeout:g} s"
            raise ReplyTimeoutError(f"no reply within {limit}") from None

    def _again(self, retry: int, error: TransientError) -> bool:
        # With replicas, one that does not answer says nothing about the others.
        reachable = self._ever_answered or len(self._endpoints.all) > 1
        return self._stop is None and self._policy.allows(retry, error, ever_answered=reachable)

    async def _wait(
        self, number: int, endpoint: Endpoint, retry: int, error: TransientError
    ) -> None:
        seconds = self._policy.delay(retry, error, random_jitter())
        if error.retry_after is not None:
            self._endpoints.hold(endpoint, min(error.retry_after, self._policy.cap))
        self._progress.waiting[number] = Waiting(str(error), time.monotonic() + seconds)
        try:
            await asyncio.sleep(seconds)
        finally:
            del self._progress.waiting[number]


def new_record(work: Work) -> Record:
    """The record of a sample that is about to be asked."""
    return Record(
        sample_id=work.sample.id,
        position=work.position,
        repeat=work.repeat,
        outcome=Outcome.OK,
        sample=msgspec.to_builtins(work.sample),
        started=now(),
    )


def _in_place_of(old: Reply, new: Reply) -> Reply:
    """A reply to a second request about the same; what the first one cost stays counted."""
    spent = [reply.usage for reply in (old, new) if reply.usage is not None]
    total = Usage(
        sum(usage.input_tokens for usage in spent), sum(usage.output_tokens for usage in spent)
    )
    return msgspec.structs.replace(
        new, usage=total if spent else None, earlier=(*old.earlier, old.text)
    )


def _without_image(record: Record, why: str) -> Record:
    """The record of a sample whose image cannot be sent."""
    record.outcome = Outcome.IMAGE_ERROR
    record.failure = Failure("ImageError", why)
    return record


def _where(error: Exception) -> str:
    """Where an error of somebody's own code comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    last = frames[-1]
    return f" ({Path(last.filename).name}, line {last.lineno}, in {last.name})"
