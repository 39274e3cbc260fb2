"""The processes of a browser: how much memory they hold, and their end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil


def tree(pid: int) -> list[psutil.Process]:
    """A process and all that it started, itself first; empty if it is gone."""
    import psutil

    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def private_bytes(processes: list[psutil.Process]) -> int:
    """Memory that the processes do not share with others, in bytes."""
    import psutil

    total = 0
    for process in processes:
        with suppress(psutil.Error):
            memory = process.memory_info()
            total += max(0, memory.rss - getattr(memory, "shared", 0))
    return total


def kill(processes: list[psutil.Process]) -> None:
    """End the processes at once; those that have ended already are passed over."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()
