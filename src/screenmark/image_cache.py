"""What was made at some cost is kept for a second use, up to a number of bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """The values used last, no more than ``max_bytes`` of them. Safe to use from threads.

    Args:
        max_bytes: most bytes kept; a value larger than that is never kept.
        size: bytes that keeping a value takes; None for a value that is not worth keeping.
    """

    def __init__(self, max_bytes: int, size: Callable[[V], int | None]) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._size = size
        self._kept: OrderedDict[Hashable, V] = OrderedDict()
        self._making: dict[Hashable, Future[V]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value under ``key``, made if it is not there.

        Threads that ask for a value that is being made wait for it; what ``make`` raises,
        all of them raise, and the next one to ask tries again.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            future = self._making.get(key)
            if future is None:
                mine: Future[V] = Future()
                self._making[key] = mine
        if future is not None:
            return future.result()
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._making[key]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._making[key]
            self._keep(key, value)
        mine.set_result(value)
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
