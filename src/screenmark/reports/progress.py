"""Progress on the screen: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO, cast

from screenmark.engine.progress import Display, Progress, Silent
from screenmark.reports.tables import printable

if TYPE_CHECKING:
    from rich.live import Live

_LINE_SECONDS = 10.0
_REASON = 60
_ID = 32


def make_display(stream: TextIO | None = None) -> Display:
    """A bar if the stream (standard error by default) is a terminal, else plain lines."""
    stream = stream or sys.stderr
    if stream is None or stream.closed:
        return Silent()
    return Bar(stream) if stream.isatty() else Lines(stream)


class _Unfailing:
    """A stream that drops what it cannot take: nobody's run ends for its progress."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


class Bar:
    """A bar with rate, failures, waiting retries and time left."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = cast(TextIO, _Unfailing(stream))
        self._live: Live | None = None

    def start(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream)
        if progress.first:
            print(printable(progress.first), file=self._stream, flush=True)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def update(self, progress: Progress) -> None:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        if self._live is None:
            return
        grid = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(1, progress.total), completed=progress.done, width=30)
        grid.add_row(bar, Text(status_line(progress)))
        detail = detail_line(progress)
        self._live.update(Group(grid, Text(detail, "dim")) if detail else grid, refresh=True)

    def stop(self, progress: Progress) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        print(status_line(progress), file=self._stream)


class Lines:
    """One line at the start, every ten seconds, and at the end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = cast(TextIO, _Unfailing(stream))
        self._last = 0.0

    def start(self, progress: Progress) -> None:
        self._last = time.monotonic()
        if progress.first:
            self._write(printable(progress.first))
        self._write(status_line(progress))

    def update(self, progress: Progress) -> None:
        if time.monotonic() - self._last >= _LINE_SECONDS:
            self._last = time.monotonic()
            detail = detail_line(progress)
            self._write(status_line(progress) + (f" | {detail}" if detail else ""))

    def stop(self, progress: Progress) -> None:
        self._write(status_line(progress))

    def _write(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


def status_line(progress: Progress) -> str:
    """Done, rate, failures and time left, in one line."""
    parts = [f"{progress.done}/{progress.total}"]
    if progress.resumed:
        parts.append(f"{progress.resumed} from before")
    if not progress.outcomes:
        parts.append(_duration(time.monotonic() - progress.started))
    else:
        rate = progress.rate
        parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{1 / rate:.1f} s each")
    if progress.failures:
        parts.append(f"{progress.failures} failed")
    left = progress.seconds_left
    if left and progress.done < progress.total:
        parts.append(f"{_duration(left)} left")
    return " · ".join(parts)


def detail_line(progress: Progress) -> str:
    """What is being waited for, where that is worth a line."""
    if progress.waiting:
        first = min(progress.waiting.values(), key=lambda w: w.until)
        seconds = max(0.0, first.until - time.monotonic())
        count = len(progress.waiting)
        reason = printable(first.reason)[:_REASON]
        return f"{count} waiting to retry, next in {seconds:.0f} s: {reason}"
    if progress.draining:
        count = len(progress.in_flight)
        return f"stopping: {count} in flight will still be kept; Ctrl-C again drops them"
    if doing := progress.doing():
        return printable(doing)
    if 0 < len(progress.in_flight) <= 3 and progress.total - progress.done <= 3:
        return "waiting for " + ", ".join(map(_short, progress.in_flight.values()))
    return progress.note


def _short(sample_id: str) -> str:
    """The end of an id, which tells more than its start."""
    text = printable(sample_id)
    return text if len(text) <= _ID else "…" + text[1 - _ID :]


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
