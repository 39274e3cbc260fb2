"""Embedded models, run in a pool of processes so that they use every core."""

from __future__ import annotations

import asyncio
import importlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import types
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from screenmark.errors import MissingExtra, ModelError, TransientError
from screenmark.images import open_rgb
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.types import Reply, Request


class EmbeddedModel(NamedTuple):
    """A model that ships with the package.

    Attributes:
        target: ``module:Class`` of a parser whose ``parse(image)`` takes an RGB Pillow image
            and returns a list of elements.
        what: one line for people.
    """

    target: str
    what: str


EMBEDDED = {
    "ocr": EmbeddedModel(
        "screenmark.models.embedded.ocr:OcrParser",
        "a baseline: PP-OCR text lines plus classical detection of controls and icons",
    )
}
"""Embedded models by name."""


class EmbeddedAdapter(AsyncAdapter):
    """A model that ships with the package: no key, no network, no prompt.

    It looks at the image only and answers in pixels of that image.
    """

    fixed_space: ClassVar[str | None] = "pixel"

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model or ""
        self._target = EMBEDDED[self.name].target
        self._workers = max(1, min(os.cpu_count() or 1, options.concurrency))
        # One at work and one waiting: time in a longer queue would count as the model's.
        self.concurrency = 2 * self._workers
        self._pool: ProcessPoolExecutor | None = None
        self._check_extra()

    async def start(self) -> None:
        self._pool = self._new_pool()

    async def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    async def generate(self, request: Request) -> Reply:
        if not request.images:
            raise ModelError(f"{self.name} answers about images only, and there is none")
        pool = self._pool
        if pool is None:
            raise RuntimeError("start() was not called")
        loop = asyncio.get_running_loop()
        try:
            # A pool starts its processes when it is given work.
            with _without_main():
                done = loop.run_in_executor(pool, _infer, self._target, request.images[0])
            text = await done
        except BrokenProcessPool as error:
            # Several requests see the same broken pool; the first one replaces it.
            if self._pool is pool:
                self._pool = self._new_pool()
            raise TransientError(f"a process of {self.name} died: {error}") from error
        return Reply(text=text, finish_reason="stop", model=self.name)

    def _new_pool(self) -> ProcessPoolExecutor:
        # Not fork: the parent has threads and an event loop.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(
            self._workers, context, initializer=_prepare_worker, initargs=(os.getpid(),)
        )

    def _check_extra(self) -> None:
        from importlib.util import find_spec

        if any(find_spec(name) is None for name in ("rapidocr", "onnxruntime", "cv2")):
            raise MissingExtra(f"the embedded model {self.name!r}", "ocr")


_parsers: dict[str, Any] = {}


def _infer(target: str, image_path: str) -> str:
    if target not in _parsers:
        module, _, name = target.partition(":")
        _parsers[target] = getattr(importlib.import_module(module), name)()
    elements = _parsers[target].parse(open_rgb(image_path))
    return json.dumps(elements, ensure_ascii=False, allow_nan=False)


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module from processes that start meanwhile.

    They would import it again, which the work here does not need, and a script that calls
    `screenmark.run` without a ``__main__`` guard would start another run in each of them.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _prepare_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, however it died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()
