"""Worker processes for work that keeps a core busy.

Each worker is ``python -m screenmark.models.embedded_worker``: a JSON line in, a JSON line
out. Plain pipes rather than `multiprocessing`, because a worker then neither imports the
caller's script again nor outlives its parent: when the parent is gone, however it died, the
pipe is closed and the worker ends.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from typing import Any

import msgspec

from screenmark.errors import ImageError, ModelError, TransientError

_LONGEST_LINE = 1 << 28
_STDERR_LINES = 5


class WorkerPool:
    """A fixed number of workers, each with one task at a time.

    Args:
        target: ``module:Class`` of the parser that the workers make.
        count: how many.
    """

    def __init__(self, target: str, count: int) -> None:
        self._target = target
        self._count = count
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: list[_Worker] = []

    async def start(self) -> None:
        """Start the processes; they load their model with the first task."""
        for _ in range(self._count):
            await self._add()

    async def run(self, task: dict[str, Any]) -> dict[str, Any]:
        """Hand a task to the next idle worker and wait for its answer, which has a ``text``.

        Raises:
            ImageError, ModelError: as the worker says.
            TransientError: the worker died; another one takes its place.
        """
        worker = await self._idle.get()
        try:
            answer = await worker.run(task)
        except (ImageError, ModelError):
            await self._put_back(worker)
            raise
        except BaseException:
            # Given up in the middle: what the worker says next is not for the next task.
            await self._replace(worker)
            raise
        self._idle.put_nowait(worker)
        return answer

    async def close(self) -> None:
        """End all workers, at work or not."""
        workers, self._all = self._all, []
        for worker in workers:
            worker.kill()
        for worker in workers:
            await worker.ended()

    async def _add(self) -> None:
        worker = _Worker(await _start(self._target))
        self._all.append(worker)
        self._idle.put_nowait(worker)

    async def _put_back(self, worker: _Worker) -> None:
        if worker.alive:
            self._idle.put_nowait(worker)
        else:
            await self._replace(worker)

    async def _replace(self, worker: _Worker) -> None:
        worker.kill()
        if worker in self._all:
            self._all.remove(worker)
            await self._add()


class _Worker:
    """One process and its pipes."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._last_words: deque[str] = deque(maxlen=_STDERR_LINES)
        self._listener = asyncio.create_task(self._listen())
        self.alive = True

    async def run(self, task: dict[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("a worker has no pipes")
        try:
            stdin.write(msgspec.json.encode(task) + b"\n")
            await stdin.drain()
            line = await stdout.readline()
        except (BrokenPipeError, ConnectionResetError):
            line = b""
        if not line:
            self.alive = False
            await self.ended()
            raise TransientError(f"a worker process died ({self._how()})")
        reply: dict[str, Any] = msgspec.json.decode(line)
        if "text" in reply:
            return reply
        kind = ImageError if reply["error"] == "ImageError" else ModelError
        raise kind(reply["message"])

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    async def ended(self) -> None:
        await self._process.wait()
        await self._listener

    def _how(self) -> str:
        words = " / ".join(self._last_words)
        return f"exit code {self._process.returncode}" + (f": {words}" if words else "")

    async def _listen(self) -> None:
        """Keep the end of what a worker complains about, for the message if it dies."""
        stderr = self._process.stderr
        if stderr is None:
            return
        while line := await stderr.readline():
            self._last_words.append(line.decode("utf-8", "replace").strip()[:200])


async def _start(target: str) -> Process:
    # -P: a random.py in the user's folder must not take the place of Python's own.
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "screenmark.models.embedded_worker", target,
        stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LONGEST_LINE,
        start_new_session=True,  # Ctrl-C is for the parent to handle
    )  # fmt: skip
