"""Levels and task numbers in the ways that people write them."""

from __future__ import annotations

import re
from typing import Any

LEVELS = ("Level1", "Level2", "Level3")
"""The levels that GIS-Bench has."""

_LEVEL = re.compile(
    r"(?!-)(?:level|lvl|lv|l|레벨|단계|수준|난이도)?[\s._\-]*(\d{1,2})(?:\.0+)?\s*(?:단계|레벨|수준)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\D{0,40}?0*(\d{1,9})(?:\.0+)?\D{0,40}")
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:[-–~]\s*(\d{1,9})\s*)?")


def level_of(value: Any) -> str:
    """``Level2`` for ``Level 2``, ``L2``, ``2``, ``2.0``, ``레벨2``…; other words stay."""
    text = "" if value is None else str(value).strip()
    found = _LEVEL.fullmatch(text)
    return f"Level{int(found[1])}" if found else text


def number_of(value: Any) -> int | None:
    """The task's number in a cell: 3, 3.0, ``3``, ``3번``, ``Task 3``; None if there is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        whole = int(value) if value == value and abs(value) < 1e9 else -1
        return whole if whole == value and whole >= 0 else None
    found = _NUMBER.fullmatch(str(value).strip())
    return int(found[1]) if found else None


def numbers_in(text: str) -> list[int] | None:
    """The numbers of ``1,3,5-8``; None if the text is no such list."""
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            return None
        first = int(match[1])
        last = int(match[2] or first)
        if not first <= last < first + 100_000:
            return None
        found += range(first, last + 1)
    return found
