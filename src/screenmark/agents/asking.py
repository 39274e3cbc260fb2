"""Asking a model in the middle of an episode: again where that helps, within its time."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

from screenmark.errors import ReplyTimeoutError, TransientError
from screenmark.models import BaseLLMAdapter, ModelOptions
from screenmark.types import Message, Reply, Request

_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0


class Asker:
    """A model with the options that it is asked under.

    Attributes:
        retries: tries after the first one, where a fault may pass.
        limits: within which screenshots are sent; None if they go out as they are.
        waiting: who waits before the next try, and for what.
    """

    def __init__(self, adapter: BaseLLMAdapter, options: ModelOptions, retries: int = 0) -> None:
        self.adapter = adapter
        self.limits = adapter.image_limits
        self._options = options
        self.retries = retries
        self._stopped = False
        self.waiting: dict[asyncio.Task[Any], str] = {}

    def stop_waiting(self) -> None:
        """Drop who waits for another try, and try nothing again from now on."""
        self._stopped = True
        for task in self.waiting:
            task.cancel()

    async def ask(self, messages: tuple[Message, ...]) -> Reply:
        """The model's reply.

        Raises:
            ModelError, ImageError: there is none.
        """
        options = self._options
        request = Request(
            messages=messages,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            image_limits=self.limits,
            image_detail=options.image_detail,
            generate_cfg=options.generate_cfg,
        )
        for retry in range(self.retries + 1):
            try:
                return await self._once(request)
            except TransientError as error:
                if retry == self.retries or self._stopped:
                    raise
                spread = random.uniform(0.5, 1)  # noqa: S311 - not a secret
                wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**retry) * spread
                await self._wait(
                    max(wait, min(error.retry_after or 0.0, _LONGEST_WAIT)), str(error)
                )
        raise AssertionError("the last try returns or raises")

    async def _wait(self, seconds: float, reason: str) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("asked outside a task")
        self.waiting[task] = reason
        try:
            await asyncio.sleep(seconds)
        finally:
            del self.waiting[task]

    async def _once(self, request: Request) -> Reply:
        try:
            async with asyncio.timeout(self._options.timeout + 1):
                return await self.adapter.generate(request)
        except TimeoutError:
            limit = f"{self._options.timeout:g} s"
            raise ReplyTimeoutError(f"no reply within {limit}") from None
