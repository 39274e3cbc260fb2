"""Standard output and error, which may be closed, full, or a pipe that nobody reads.

A run must not end because of them: what standard error cannot take is dropped, and what
standard output cannot take is one error, after which it is quiet.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer


class OutputLost(Exception):
    """Standard output takes no more.

    No OSError, so that no library on the way decides what that means.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror)
        self.error = error

    @property
    def matters(self) -> bool:
        """Whether anybody waited for it; the reader of a pipe, as `| head`, left on purpose."""
        return self.error.errno != errno.EPIPE


class _Guarded(io.FileIO):
    """A descriptor that fails once at most."""

    def __init__(self, descriptor: int, *, loudly: bool) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._loudly = loudly
        self._lost = False

    def write(self, data: Buffer, /) -> int:
        size = memoryview(data).nbytes
        if self._lost:
            return size
        try:
            return super().write(data)
        except OSError as error:
            self._lost = True
            if self._loudly:
                raise OutputLost(error) from None
            return size


def guard_streams() -> None:
    """Make standard output and error safe to write to, in UTF-8 whatever the locale says."""
    _fill_closed()
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _guarded(number, loudly=name == "stdout", by_line=True))
        elif isinstance(stream, io.TextIOWrapper):
            # Where Python is told not to buffer, there is no layer in between.
            raw = getattr(stream.buffer, "raw", stream.buffer)
            if type(raw) is io.FileIO:
                by_line = stream.line_buffering or raw is stream.buffer
                guarded = _guarded(raw.fileno(), loudly=name == "stdout", by_line=by_line)
                setattr(sys, name, guarded)
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _guarded(descriptor: int, *, loudly: bool, by_line: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedWriter(_Guarded(descriptor, loudly=loudly)),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=by_line,
    )


def _fill_closed() -> None:
    """Keep files that are opened later from becoming standard output or error."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
