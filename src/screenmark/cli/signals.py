"""Ctrl-C and a polite kill outside a run's own care: at the start and at the end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_EXIT_CODE = 3
_IMPORTS = "<frozen importlib._bootstrap>"


class Stopped(SystemExit):
    """Told to stop. A SystemExit, as libraries let those through."""

    def __init__(self) -> None:
        super().__init__(_EXIT_CODE)


@contextmanager
def stoppable(line: str) -> Iterator[None]:
    """Both signals raise `Stopped` in the meantime, where signals can be had at all.

    Args:
        line: for standard error, where something is being imported: an exception there may
            be lost or turned into another one, so the process ends on the spot.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename == _IMPORTS:
                with suppress(OSError):
                    os.write(2, f"{line}\n".encode())
                os._exit(_EXIT_CODE)
            frame = frame.f_back
        raise Stopped

    previous = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            previous.append((number, signal.signal(number, stop)))
        except ValueError:
            break  # not in the main thread
    try:
        yield
    finally:
        for number, handler in previous:
            signal.signal(number, handler)
