"""Progress of a download on standard error: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from screenmark.cli.messages import say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_LINE_SECONDS = 10.0


class Lines:
    """A line for each stretch of work, and every ten seconds."""

    def __init__(self) -> None:
        self._title = ""
        self._total: int | None = None
        self._done = 0
        self._last = 0.0

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def phase(self, title: str, total: int | None) -> None:
        self._title, self._total, self._done = title, total, 0
        self._last = time.monotonic()
        say(f"{title} …" if total is None else f"{title}, {total / 1e6:,.1f} MB …")

    def expect(self, count: int) -> None:
        self._total = (self._total or 0) + count

    def advance(self, count: int) -> None:
        self._done += count
        if time.monotonic() - self._last >= _LINE_SECONDS:
            self._last = time.monotonic()
            of = f" of {self._total / 1e6:,.1f}" if self._total else ""
            say(f"{self._title}: {self._done / 1e6:,.1f}{of} MB")

    def say(self, line: str) -> None:
        say(line)


class Bar:
    """A bar with rate and time left; what is said stands above it."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            transient=True,
        )
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def phase(self, title: str, total: int | None) -> None:
        if self._progress is None:
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(title, total=total)

    def expect(self, count: int) -> None:
        if self._progress is not None and self._task is not None:
            total = next(t.total for t in self._progress.tasks if t.id == self._task)
            self._progress.update(self._task, total=(total or 0) + count)

    def advance(self, count: int) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, count)

    def say(self, line: str) -> None:
        from rich.text import Text

        from screenmark.reports.tables import printable

        if self._progress is not None:
            self._progress.console.print(Text(printable(line)))
            self._progress.refresh()


def make_progress() -> Lines | Bar:
    """What fits standard error."""
    stream = sys.stderr
    shown = stream is not None and not stream.closed and stream.isatty()
    return Bar() if shown else Lines()
