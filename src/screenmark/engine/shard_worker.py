"""One worker of a run that is spread over several: an ordinary runner with a hatch.

Work comes in through the hatch and records go out of it, both in `ShardWorker.exchange`.
Nothing here knows what carries the calls.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from screenmark import __version__
from screenmark.engine.budget import Budget
from screenmark.engine.endpoints import Endpoints
from screenmark.engine.feed import Feed
from screenmark.engine.options import EngineOptions
from screenmark.engine.plan import Plan
from screenmark.engine.progress import Progress, Silent
from screenmark.engine.retry import RetryPolicy
from screenmark.engine.runner import Runner, Work
from screenmark.errors import RunInterrupted, ScreenmarkError, UsageError
from screenmark.types import ImageLimits, Outcome, Record

_LONGEST_CALL: Final = 1.0
"""Seconds after which a call returns without a record, so that the driver hears of waits."""
_COMPANY_SECONDS: Final = 0.01


class WorkerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker builds its part of the run from.

    Attributes:
        values: options by name, the key of the endpoint among them: it goes from process
            to process in memory and must be written nowhere.
        version: of the driver's package; another one could score otherwise.
        folder: the driver's working directory, which relative paths start from.
        image_limits: within which the run's images are sent.
    """

    benchmark_id: str
    values: Mapping[str, Any]
    folder: str
    version: str
    image_limits: ImageLimits | None = None


class Trouble(msgspec.Struct, frozen=True):
    """Why a worker cannot go on: an error by the name of its class."""

    kind: str
    message: str
    status: int | None = None


class Exchange(msgspec.Struct, frozen=True):
    """What a worker says when it is called.

    Attributes:
        records: finished since the last call.
        window: requests that it may have in flight now.
        in_flight: ids of the samples that it is asking about.
        waiting: reason and seconds left of each wait for another try.
        ended: it takes no work any more.
        trouble: why it ended, unless it was told to.
    """

    window: int = 0
    records: list[Record] = []
    in_flight: list[str] = []
    waiting: list[tuple[str, float]] = []
    ended: bool = False
    trouble: Trouble | None = None


class ShardWorker:
    """Asks a model about the samples that it is handed; its methods are called from outside."""

    def __init__(self) -> None:
        self._feed: Feed[Work] = Feed(more=True)
        self._progress = Progress(0, 0)
        self._finished: list[Record] = []
        self._news = asyncio.Event()

    async def start(self, spec: WorkerSpec) -> Exchange:
        """Build benchmark and model and get ready for work."""
        try:
            _check_version(spec.version)
            _enter(spec.folder)
            plan = Plan(spec.benchmark_id, spec.values)
            replicas = plan.replicas()
            plan.benchmark.settle_profile(replicas[0].fixed_space, replicas[0].name)
            plan.benchmark.settle_image_limits(spec.image_limits)
        except ScreenmarkError as error:
            return Exchange(ended=True, trouble=_trouble(error))
        self._endpoints = Endpoints(replicas, plan.limiter)
        self._runner = Runner(
            plan.benchmark,
            self._endpoints,
            plan.model,
            policy=RetryPolicy(max_retries=plan.engine.max_retries),
            progress=self._progress,
            display=Silent(),
            budget=Budget(EngineOptions(), None),  # the driver counts what all workers spend
        )
        self._task = asyncio.create_task(self._runner.run(self._feed, self._open))
        self._task.add_done_callback(lambda task: self._news.set())
        return self._state()

    async def exchange(self, work: list[Work]) -> Exchange:
        """Take work and give back what is finished.

        Returns when something is, when the worker has ended, or after a second.
        """
        self._feed.add(work)
        try:
            async with asyncio.timeout(_LONGEST_CALL):
                await self._news.wait()
        except TimeoutError:
            return self._state()
        if not self._task.done():
            await asyncio.sleep(_COMPANY_SECONDS)
        self._news.clear()
        return self._state()

    async def drain(self) -> None:
        """Finish what is in flight and drop the rest; `exchange` still gives the records."""
        self._runner.interrupt()

    async def finish(self) -> None:
        """Let go of everything once nothing is left to do."""
        self._feed.finish()
        await asyncio.wait([self._task])

    def _open(self, kept: Callable[[list[Record]], None]) -> ShardWorker:
        return self

    async def put(self, record: Record) -> None:
        """Keep a record until the next call."""
        if record.outcome is Outcome.IMAGE_ERROR and not record.sample.get("problem"):
            _say_that_it_is_not_here(record)
        self._finished.append(record)
        self._news.set()

    async def close(self) -> None:
        """Nothing to do: the records wait for the next call."""

    def _state(self) -> Exchange:
        records, self._finished = self._finished, []
        now = time.monotonic()
        return Exchange(
            window=sum(self._endpoints.windows),
            records=records,
            in_flight=list(self._progress.in_flight.values()),
            waiting=[(w.reason, w.until - now) for w in self._progress.waiting.values()],
            ended=self._task.done(),
            trouble=self._trouble(),
        )

    def _trouble(self) -> Trouble | None:
        if not self._task.done():
            return None
        error = self._task.exception()
        if error is None or isinstance(error, RunInterrupted):
            return None
        return _trouble(error)


def _trouble(error: BaseException) -> Trouble:
    message = str(error)
    if not isinstance(error, ScreenmarkError):
        message = "".join(traceback.format_exception(error)).strip()
    return Trouble(type(error).__name__, message, getattr(error, "status", None))


def _check_version(wanted: str) -> None:
    if wanted != __version__:
        raise UsageError(
            f"screenmark {__version__} is installed on a worker's machine, {wanted} on the "
            "driver's; install the same on all"
        )


def _enter(folder: str) -> None:
    """Start relative paths, and the import of the user's own modules, where the driver does."""
    if not Path(folder).is_dir():
        return  # a machine without it may still do with absolute paths
    os.chdir(folder)
    if folder not in sys.path:
        sys.path.append(folder)


def _say_that_it_is_not_here(record: Record) -> None:
    """The driver saw this image, so a worker that does not has another file system."""
    if record.failure is None or "no such image file" not in record.failure.message:
        return
    record.failure = msgspec.structs.replace(
        record.failure,
        message=f"{record.failure.message} on the worker's machine; every machine of the "
        "cluster needs the data under the same path",
    )
