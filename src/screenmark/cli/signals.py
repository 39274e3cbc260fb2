"""Ctrl-C and a polite kill outside a run's own care: at the start and at the end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopped(SystemExit):
    """Told to stop. A SystemExit, as libraries let those through."""

    def __init__(self) -> None:
        super().__init__(3)


@contextmanager
def stoppable() -> Iterator[None]:
    """Both signals raise `Stopped` in the meantime, where signals can be had at all."""
    previous = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            previous.append((number, signal.signal(number, _stop)))
        except ValueError:
            break  # not in the main thread
    try:
        yield
    finally:
        for number, handler in previous:
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped
