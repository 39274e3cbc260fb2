"""The files beside a page that it uses: they are part of what it shows.

Two models may leave the same page with other data beside it, and data may change while the page
stays; neither is the same output. Which files a page asks for is known for certain only once it
runs, so that those count whose names stand in it, or in another one that counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

_WORD: Final = re.compile(rb"[^\s\"'`<>()/\\?#&=,;]+")
_MOST_FILES: Final = 2000
_LARGEST: Final = 64 << 20
"""Bytes of a file; a renderer serves none that is larger."""


def files_beside(page: Path, text: bytes) -> list[tuple[str, bytes]]:
    """Paths, from the page's folder on, and contents of the files that a page names.

    Args:
        page: the page, as it lies there.
        text: what is in it.

    Returns:
        In the order of their paths; files that cannot be read are left out, as they would not be
        served either.
    """
    folder = page.resolve().parent
    left = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    left.pop(page.resolve().name, None)
    found: dict[str, bytes] = {}
    read = [text]
    while read and left:
        said = _words(read.pop(), left.values())
        for name in [name for name, path in left.items() if path.name in said]:
            data = _read(left.pop(name), folder)
            if data is not None:
                found[name] = data
                read.append(data)
    return sorted((escaped(name), data) for name, data in found.items())


def escaped(name: str) -> str:
    """A name with its bytes that are no UTF-8 as ``\\xff``, so that it can be hashed and kept."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _words(text: bytes, files: Collection[Path]) -> set[str]:
    """The names of files that stand in a text, as they are or as in an address."""
    names = {path.name.encode("utf-8", "surrogateescape"): path.name for path in files}
    names |= {quote(path.name, errors="replace").encode(): path.name for path in files}
    words = (found[0] for found in _WORD.finditer(text))
    return {names[word] for word in words if word in names}


def _files(folder: Path) -> Iterator[Path]:
    count = 0
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(waiting.pop().iterdir())
        except OSError:
            continue
        for path in entries:
            if path.name.startswith("."):
                continue
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)
                continue
            count += 1
            if count > _MOST_FILES:
                return
            yield path


def _read(path: Path, folder: Path) -> bytes | None:
    try:
        real = path.resolve()
        if not real.is_relative_to(folder) or not real.is_file():
            return None
        return real.read_bytes() if real.stat().st_size <= _LARGEST else None
    except (OSError, RuntimeError):
        return None
