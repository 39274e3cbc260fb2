"""What a file's content is checked against."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import msgspec

from screenmark.errors import DataError, UsageError

_HEX = re.compile(r"[0-9a-f]{64}")
_LINE = re.compile(r"\\?([0-9A-Fa-f]{64}) [ *](.+)")
_BLOCK = 1 << 20


class Digest(msgspec.Struct, frozen=True):
    """A hash of a file's content.

    Attributes:
        kind: ``sha256``, or ``git`` for what git calls a blob (SHA-1 over length and content),
            which is all that repositories say about small files.
        hex: the hash in lower case.
        origin: who says so, for messages.
    """

    kind: str
    hex: str
    origin: str = ""

    def __str__(self) -> str:
        return f"{'SHA-256' if self.kind == 'sha256' else 'git blob'} {self.hex}"

    def same_as(self, other: Digest | None) -> bool:
        """Whether both stand for the same content."""
        return other is not None and (self.kind, self.hex) == (other.kind, other.hex)


def digest_of(path: Path, kind: str = "sha256") -> Digest:
    """The hash of a file, read in blocks."""
    if kind == "sha256":
        state = hashlib.sha256()
    else:
        state = hashlib.sha1(usedforsecurity=False)
        state.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            state.update(block)
    return Digest(kind, state.hexdigest())


def sha256(text: str, origin: str) -> Digest:
    """A hash that somebody wrote down.

    Raises:
        UsageError: it is none.
    """
    text = text.strip().lower()
    if not _HEX.fullmatch(text):
        raise UsageError(f"{origin}: {text[:80]!r} is no SHA-256, expected 64 hexadecimal digits")
    return Digest("sha256", text, origin)


def given_digests(pairs: list[str]) -> dict[str, Digest]:
    """The values of ``--sha256 FILE=HEX``.

    Raises:
        UsageError: one has another form.
    """
    found = {}
    for pair in pairs:
        name, mark, text = pair.rpartition("=")
        if not (mark and name):
            raise UsageError(f"--sha256 {pair}: expected FILE=HEX")
        found[name] = sha256(text, "--sha256")
    return found


def read_sums(text: str, origin: str) -> dict[str, Digest]:
    """A file as ``sha256sum`` writes it: a hash and a name a line, in its order.

    Raises:
        DataError: it is something else.
    """
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if (parts := _LINE.fullmatch(line.rstrip())) is None:
            raise DataError(
                f"not as sha256sum writes it: {line[:80]!r}", file=origin, sample=f"line {number}"
            )
        name = parts[2].removeprefix("./")
        found[name] = Digest("sha256", parts[1].lower(), origin)
    return found
