"""What was made at some cost is kept for a second use, up to a number of bytes."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

V = TypeVar("V")


class _Making(Generic[V]):
    """A value on its way, and how many wait for it."""

    def __init__(self, future: Future[V]) -> None:
        self.future = future
        self.waiting = 0


class BoundedCache(Generic[V]):
    """The values used last, no more than ``max_bytes`` of them. Safe to use from threads.

    Args:
        max_bytes: most bytes kept; a value larger than that is never kept.
        size: bytes that keeping a value takes; None for a value that is not worth keeping.
        threads: where values are made, each only once at a time; what makes one must not wait
            for another.
    """

    def __init__(
        self, max_bytes: int, size: Callable[[V], int | None], threads: ThreadPoolExecutor
    ) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._size = size
        self._threads = threads
        self._kept: OrderedDict[Hashable, V] = OrderedDict()
        self._making: dict[Hashable, _Making[V]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: Hashable) -> bool:
        """Whether a value is there or being made."""
        return key in self._kept or key in self._making

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value under ``key``, made if it is not there.

        Who asks for a value that is being made waits for it; what ``make`` raises, all of
        them raise, and the next one to ask tries again.
        """
        return self._join(key, make).result()

    async def get_async(self, key: Hashable, make: Callable[[], V]) -> V:
        """As `get`, while the event loop goes on.

        A value that everybody has stopped waiting for is not made, unless that has begun.
        """
        future = self._join(key, make)
        try:
            # Shielded: one who is cancelled must not take the value from the others.
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            self._leave(key, future)
            raise

    def _join(self, key: Hashable, make: Callable[[], V]) -> Future[V]:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                there: Future[V] = Future()
                there.set_result(self._kept[key])
                return there
            making = self._making.get(key)
            if making is None:
                making = _Making(self._threads.submit(self._make, key, make))
                self._making[key] = making
            making.waiting += 1
            return making.future

    def _leave(self, key: Hashable, future: Future[V]) -> None:
        with self._lock:
            making = self._making.get(key)
            if making is None or making.future is not future:
                return
            making.waiting -= 1
            if not making.waiting and future.cancel():
                del self._making[key]

    def _make(self, key: Hashable, make: Callable[[], V]) -> V:
        try:
            value = make()
        except BaseException:
            with self._lock:
                del self._making[key]
            raise
        with self._lock:
            del self._making[key]
            self._keep(key, value)
        return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self.bytes = 0

    def _keep(self, key: Hashable, value: V) -> None:
        size = self._size(value)
        if size is None or size > self.max_bytes:
            return
        self._kept[key] = value
        self.bytes += size
        while self.bytes > self.max_bytes:
            _, oldest = self._kept.popitem(last=False)
            self.bytes -= self._size(oldest) or 0
