"""Names that come from a server or an archive, before anything is written under them."""

from __future__ import annotations

import re

from screenmark.errors import DataError

RECORD = ".screenmark-download.json"
PART = ".part"
_LONGEST_STEP = 255
_LONGEST = 1000
_DRIVE = re.compile(r"[A-Za-z]:")


def checked_name(name: str, where: str) -> str:
    """A relative path with ``/`` that stays below the folder it is joined to.

    Raises:
        DataError: it does not, or no file could have it.
    """
    if problem := _problem(name):
        raise DataError(f"the name {name[:200]!r} {problem}; nothing was written", file=where)
    return name


def _problem(name: str) -> str | None:
    steps = name.split("/")
    if name.startswith("/") or _DRIVE.match(name):
        return "is absolute and would leave the folder"
    if "\\" in name:
        return "has a backslash, which some systems take for a folder"
    if ".." in steps:
        return "would leave the folder"
    if not name.isprintable() or _not_text(name):
        return "has characters that no name should have"
    if any(step in {"", "."} for step in steps):
        return "has an empty part"
    if len(name) > _LONGEST or any(len(step.encode()) > _LONGEST_STEP for step in steps):
        return "is too long"
    if steps[-1] == RECORD or name.endswith((PART, f"{PART}.json")):
        return "is one that downloads themselves use"
    return None


def _not_text(name: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in name)
