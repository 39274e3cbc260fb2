"""How many episodes a machine can hold at a time."""

from __future__ import annotations

import os
from typing import Final

_SHARE: Final = 0.6
_EPISODES_A_CORE: Final = 2
"""Contexts a core beyond which a browser's steps a second fall again."""


def free_mib() -> int | None:
    """MiB of memory that programs can still have; None where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) // 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def most_episodes(wanted: int, mib_each: int, *, waits: bool) -> int:
    """How many episodes to run at a time.

    Args:
        wanted: at most so many.
        mib_each: MiB that one takes.
        waits: whether most of an episode is waiting for a model elsewhere.
    """
    free = free_mib()
    fits = wanted if free is None else max(1, int(free * _SHARE) // mib_each)
    busy = wanted if waits else _EPISODES_A_CORE * (os.cpu_count() or 1)
    return max(1, min(wanted, fits, busy))
