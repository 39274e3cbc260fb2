"""What a run shows and hears while it goes: its progress, and Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from screenmark.engine.progress import Display, Progress

_DISPLAY_SECONDS: Final = 0.2


@contextmanager
def shown(display: Display, progress: Progress) -> Iterator[None]:
    """Keep a display up to date in the meantime; needs a running event loop."""

    async def show() -> None:
        while True:
            display.update(progress)
            await asyncio.sleep(_DISPLAY_SECONDS)

    display.start(progress)
    task = asyncio.create_task(show())
    try:
        yield
    finally:
        task.cancel()
        display.stop(progress)


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and a polite kill interrupt the run, where signals can be had at all."""
    loop = asyncio.get_running_loop()
    taken = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            before = signal.getsignal(number)
            loop.add_signal_handler(number, interrupt)
            taken.append((number, before))
        except (NotImplementedError, RuntimeError, ValueError):
            break  # not in the main thread, as in a notebook
    try:
        yield
    finally:
        for number, before in taken:
            loop.remove_signal_handler(number)
            if before is not None:
                signal.signal(number, before)
