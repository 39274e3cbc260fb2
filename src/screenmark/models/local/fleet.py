"""A local model in several processes, one for each GPU: who is asked, and who has died."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from screenmark import errors
from screenmark.errors import ModelError, ScreenmarkError, TransientError, UsageError
from screenmark.models.base import ModelOptions
from screenmark.models.local.layout import Layout, environment
from screenmark.types import Reply, Request

_LONGEST_LINE: Final = 1 << 28
_STDERR_LINES: Final = 5
_MODULE: Final = "screenmark.models.local.worker"


class WorkerDied(Exception):
    """A worker process is gone, with whatever it was asked."""


class Fleet:
    """So many worker processes, each with the whole model.

    A worker that dies is started again. What it was asked goes to a worker once more, one
    request at a time, so that the one that kills workers takes no others with it.

    Args:
        adapter: class of the adapter that each worker makes.
        options: of the model; a key is not handed on.
        plan: how many workers, and whose GPUs are whose.
    """

    def __init__(self, adapter: type[Any], options: ModelOptions, plan: Layout) -> None:
        self._hello = {
            "adapter": f"{adapter.__module__}:{adapter.__qualname__}",
            "options": _plain(options),
        }
        self._plan = plan
        self._slots = [_Slot(number) for number in range(plan.workers)]
        self._one_suspect = asyncio.Lock()
        self._closed = False

    async def start(self) -> None:
        """Start all workers and wait until each has loaded the model.

        Raises:
            ScreenmarkError: one could not; what it said.
        """
        try:
            await asyncio.gather(*(self._worker(slot) for slot in self._slots))
        except BaseException:
            await self.close()
            raise

    async def ask(self, request: Request) -> Reply:
        """Have a worker answer.

        Raises:
            ScreenmarkError: as the worker says; a `ModelError` if two workers died over it.
        """
        try:
            return await self._ask(request)
        except WorkerDied as error:
            death = str(error)
        async with self._one_suspect:
            try:
                reply = await self._ask(request)
            except WorkerDied as error:
                raise ModelError(f"two workers died over it: {death}; {error}") from None
        return msgspec.structs.replace(reply, notes=(*reply.notes, f"asked again: {death}"))

    async def close(self) -> None:
        """End all workers, at work or not."""
        self._closed = True
        workers = [slot.worker for slot in self._slots if slot.worker is not None]
        for worker in workers:
            worker.kill()
        for worker in workers:
            await worker.ended()

    async def _ask(self, request: Request) -> Reply:
        slot = min(self._slots, key=lambda slot: slot.load)
        slot.load += 1
        try:
            worker = await self._worker(slot)
            return await worker.ask(request)
        except WorkerDied as error:
            raise WorkerDied(f"worker {slot.number} died ({error})") from None
        finally:
            slot.load -= 1

    async def _worker(self, slot: _Slot) -> _Worker:
        """The slot's worker, started (again) if it is not there."""
        async with slot.starting:
            if slot.worker is not None and slot.worker.alive:
                return slot.worker
            if self._closed:
                raise ModelError("the model is closed")
            again = slot.worker is not None
            worker = slot.worker = _Worker(await self._start(slot.number))
            try:
                await worker.greet(self._hello)
            except WorkerDied as error:
                worker.kill()
                message = f"worker {slot.number} died while it loaded the model ({error})"
                # Another try may find the memory that this one lacked.
                raise (TransientError if again else UsageError)(message) from None
            return worker

    async def _start(self, number: int) -> Process:
        # -P: a random.py in the user's folder must not take the place of Python's own.
        return await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", _MODULE,
            stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LONGEST_LINE,
            env=environment(number, self._plan),
            start_new_session=True,  # Ctrl-C is for the parent to handle
        )  # fmt: skip


@dataclass
class _Slot:
    """A worker's place: its number, and how many requests are there."""

    number: int
    worker: _Worker | None = None
    load: int = 0
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)


class _Worker:
    """One process, its pipes, and who waits for what."""

    def __init__(self, process: Process) -> None:
        self.alive = True
        self._process = process
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_words: deque[str] = deque(maxlen=_STDERR_LINES)
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._read())]

    async def greet(self, hello: dict[str, Any]) -> None:
        """Say which model it is, and wait until it is loaded."""
        await self._exchange(hello)

    async def ask(self, request: Request) -> Reply:
        answer = await self._exchange({"request": msgspec.to_builtins(request)})
        return msgspec.convert(answer["reply"], Reply)

    async def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            await self._send({"id": number, **message})
            found = await answer
        except asyncio.CancelledError:
            if self.alive:
                self._write({"cancel": number})
            raise
        finally:
            self._waiting.pop(number, None)
        if "error" in found:
            raise _as_error(found["error"], found["message"])
        return found

    async def _send(self, message: dict[str, Any]) -> None:
        if not self.alive:
            raise WorkerDied(self._how())
        self._write(message)
        try:
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return  # the reader notices, and knows more

    def _write(self, message: dict[str, Any]) -> None:
        self._stdin.write(msgspec.json.encode(message) + b"\n")

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        if self._process.stdin is None:
            raise RuntimeError("a worker has no pipes")
        return self._process.stdin

    def kill(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                # Its group: an engine has processes of its own, which hold the GPU's memory.
                os.killpg(self._process.pid, signal.SIGKILL)

    async def ended(self) -> None:
        await self._process.wait()
        await asyncio.gather(*self._tasks)

    async def _read(self) -> None:
        """Hand answers to those who wait, until there is nobody any more who could give one."""
        stdout = self._process.stdout
        while stdout is not None and (line := await stdout.readline()):
            message: dict[str, Any] = msgspec.json.decode(line)
            answer = self._waiting.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(message)
        self.alive = False
        await self._process.wait()
        await self._tasks[0]  # its last words
        for answer in list(self._waiting.values()):
            if not answer.done():
                answer.set_exception(WorkerDied(self._how()))

    def _how(self) -> str:
        words = " / ".join(self._last_words)
        return f"exit code {self._process.returncode}" + (f": {words}" if words else "")

    async def _listen(self) -> None:
        """Keep the end of what a worker complains about, for the message if it dies."""
        stderr = self._process.stderr
        while stderr is not None and (line := await stderr.readline()):
            self._last_words.append(line.decode("utf-8", "replace").strip()[:200])


def _plain(options: ModelOptions) -> dict[str, Any]:
    """The options of one worker, as JSON."""
    alone = msgspec.structs.replace(options, workers=1, api_key=None)
    values: dict[str, Any] = msgspec.to_builtins(alone, enc_hook=str)
    return {name: value for name, value in values.items() if value is not None}


def _as_error(name: str, message: str) -> Exception:
    """An error of a worker's as one of ours."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, ScreenmarkError):
        try:
            return kind(message)
        except TypeError:  # one that is made of other things than a sentence
            return UsageError(message)
    return ModelError(message)
