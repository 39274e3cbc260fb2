"""Concurrent requests gathered into batches of like size, one batch at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

_MOST_PADDING: Final = 1.25
"""Cells of a batch's largest sample for each of its smallest; the difference is wasted."""


class Sized(Protocol):
    """What can be put into a batch.

    Attributes:
        kind: only equals go into one batch; None goes alone.
        cells: its size.
    """

    kind: Hashable | None
    cells: int

    def drop(self) -> None:
        """Nobody waits for the answer any more."""


J = TypeVar("J", bound=Sized)
R = TypeVar("R")


class Batcher(Generic[J, R]):
    """Gathers requests while the model is at work and hands them over together.

    A batch starts when the model is free and either it is full or nobody is still getting a
    request ready, so that a lone request waits for nothing. The oldest request is always in the
    next batch, with those that are closest to it in size.

    Args:
        answer: called in one thread, with the requests of a batch; returns for each of them, in
            order, what to return or to raise.
        rows: how many go into a batch whose largest takes so many cells.
        executor: the thread.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[J]], Sequence[R | Exception]],
        rows: Callable[[int], int],
        executor: Any,
    ) -> None:
        self._answer = answer
        self._rows = rows
        self._executor = executor
        self._queue: deque[tuple[J, asyncio.Future[R]]] = deque()
        self._getting_ready = 0
        self._work: asyncio.Task[None] | None = None

    async def ask(self, get_ready: Awaitable[J]) -> R:
        """Get a request ready and have it answered in a batch.

        Raises:
            Exception: what getting ready raised, or what came of the request.
        """
        loop = asyncio.get_running_loop()
        self._getting_ready += 1
        try:
            job = await get_ready
            answer: asyncio.Future[R] = loop.create_future()
            self._queue.append((job, answer))
        finally:
            self._getting_ready -= 1
            loop.call_soon(self._start)  # after those who come in the same moment
        try:
            return await answer
        except asyncio.CancelledError:
            job.drop()
            self._queue = deque(entry for entry in self._queue if entry[0] is not job)
            raise

    def _start(self) -> None:
        if self._work is not None or not self._queue:
            return
        batch = self._next()
        if self._getting_ready and len(batch) < self._rows(max(job.cells for job, _ in batch)):
            return
        chosen = {id(job) for job, _ in batch}
        self._queue = deque(entry for entry in self._queue if id(entry[0]) not in chosen)
        self._work = asyncio.get_running_loop().create_task(self._run(batch))

    def _next(self) -> list[tuple[J, asyncio.Future[R]]]:
        """The oldest request and those that fit to it."""
        first = self._queue[0]
        batch = [first]
        if first[0].kind is None:
            return batch
        least = most = first[0].cells
        alike = [entry for entry in list(self._queue)[1:] if entry[0].kind == first[0].kind]
        for entry in sorted(alike, key=lambda entry: abs(entry[0].cells - first[0].cells)):
            low, high = min(least, entry[0].cells), max(most, entry[0].cells)
            if high > _MOST_PADDING * low or len(batch) + 1 > self._rows(high):
                continue
            batch.append(entry)
            least, most = low, high
        return batch

    async def _run(self, batch: list[tuple[J, asyncio.Future[R]]]) -> None:
        loop = asyncio.get_running_loop()
        jobs = [job for job, _ in batch]
        try:
            found = await loop.run_in_executor(self._executor, self._answer, jobs)
        except Exception as error:  # of the whole batch: nobody may wait for ever
            found = [error] * len(batch)
        for (_, answer), result in zip(batch, found, strict=True):
            if answer.done():
                continue
            if isinstance(result, Exception):
                answer.set_exception(result)
            else:
                answer.set_result(result)
        self._work = None
        self._start()
