"""A worker process of a local model: ``python -m screenmark.models.local.worker``.

Reads ``{"id", "adapter", "options"}`` once and answers ``{"id"}`` when the model is loaded, then
``{"id", "request"}`` as often as wanted and answers ``{"id", "reply"}``, in the order in which it
is done, or ``{"id", "error", "message"}``; ``{"cancel"}`` names a request that nobody waits for
any more. One JSON line each. It ends with its input: a parent that is gone leaves no worker.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import sys
from typing import Any

import msgspec

from screenmark.errors import ScreenmarkError
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.options import build
from screenmark.types import Request

_LONGEST_LINE = 1 << 28


class Worker:
    """Answers what comes in, with one adapter.

    Args:
        answers: file descriptor that answers go to.
    """

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self, questions: asyncio.StreamReader) -> None:
        """Load the model of the first line, then answer until the input ends."""
        hello = msgspec.json.decode(await questions.readline())
        adapter = await self._load(hello)
        while adapter is not None and (line := await questions.readline()):
            message = msgspec.json.decode(line)
            if "cancel" in message:
                task = self._tasks.get(message["cancel"])
                if task is not None:
                    task.cancel()
                continue
            number = message["id"]
            task = asyncio.create_task(self._answer(adapter, number, message["request"]))
            self._tasks[number] = task

    async def _load(self, hello: dict[str, Any]) -> AsyncAdapter | None:
        try:
            module, _, name = hello["adapter"].partition(":")
            kind = getattr(importlib.import_module(module), name)
            adapter: AsyncAdapter = kind(build(ModelOptions, hello["options"]))
            await adapter.start()
        except Exception as error:
            self._say_error(hello["id"], error)
            return None
        self._say({"id": hello["id"]})
        return adapter

    async def _answer(self, adapter: AsyncAdapter, number: int, request: Any) -> None:
        try:
            reply = await adapter.generate(msgspec.convert(request, Request))
            self._say({"id": number, "reply": msgspec.to_builtins(reply)})
        except Exception as error:
            self._say_error(number, error)
        finally:
            self._tasks.pop(number, None)

    def _say_error(self, number: int, error: Exception) -> None:
        message = str(error)
        if not isinstance(error, ScreenmarkError):
            message = f"{type(error).__name__}: {error}"
        message = message.encode("utf-8", "replace").decode("utf-8")
        self._say({"id": number, "error": type(error).__name__, "message": message})

    def _say(self, message: dict[str, Any]) -> None:
        data = memoryview(msgspec.json.encode(message) + b"\n")
        while data:
            data = data[os.write(self._answers, data) :]


async def main() -> None:
    """Serve on standard input and output."""
    # Libraries may print; what they say must not get between the answers.
    answers = os.dup(1)
    os.dup2(2, 1)
    questions = asyncio.StreamReader(limit=_LONGEST_LINE)
    protocol = asyncio.StreamReaderProtocol(questions)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin.buffer)
    await Worker(answers).serve(questions)
    sys.stderr.flush()
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # an engine's own processes too
    os._exit(0)  # whatever the model's thread is at


if __name__ == "__main__":
    asyncio.run(main())
