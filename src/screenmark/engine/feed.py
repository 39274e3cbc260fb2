"""Work for a runner: all of it known at the start, or more of it coming in on the way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """An asynchronous iterator that many tasks draw from at once.

    Args:
        items: what to hand out first.
        more: wait for further items from `add` until `finish` is called.
    """

    def __init__(self, items: Iterable[T] = (), *, more: bool = False) -> None:
        self._items = iter(items)
        self._added: deque[T] = deque()
        self._more = more
        self._closed = False
        self._news = asyncio.Event()

    def __aiter__(self) -> Feed[T]:
        return self

    async def __anext__(self) -> T:
        while not self._closed:
            for item in self._items:
                return item
            if self._added:
                return self._added.popleft()
            if not self._more:
                break
            self._news.clear()
            await self._news.wait()
        raise StopAsyncIteration

    def add(self, items: Iterable[T]) -> None:
        """Hand these out too, after those that are there."""
        self._added.extend(items)
        self._news.set()

    def finish(self) -> None:
        """Nothing more will be added: end when what is there is handed out."""
        self._more = False
        self._news.set()

    def close(self) -> None:
        """Hand out nothing any more, whatever is left."""
        self._closed = True
        self._news.set()
