"""What was fetched into a folder, from where, and what came out of it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from screenmark.downloads.digests import Digest, digest_of
from screenmark.downloads.names import RECORD
from screenmark.errors import DataError
from screenmark.jsonfile import dump_json, read_bytes, write_atomically

FORMAT = 1


class FileRecord(msgspec.Struct, frozen=True):
    """A file that was fetched.

    Attributes:
        digest: what it was checked against; what it had where nothing was known.
        verified: whether anything was known.
    """

    path: str
    size: int
    digest: Digest
    verified: bool


class Unpacked(msgspec.Struct, frozen=True):
    """What came out of an archive (or of several that belong together).

    Attributes:
        sources: the archives.
        members: relative path and size in bytes of every file.
    """

    sources: tuple[FileRecord, ...]
    members: tuple[tuple[str, int], ...]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the record's file. It holds no address with a secret in it."""

    format: int = FORMAT
    dataset: str
    source: str
    revision: str | None
    licence: str
    files: tuple[FileRecord, ...] = ()
    unpacked: tuple[Unpacked, ...] = ()

    def file(self, path: str) -> FileRecord | None:
        """What is known about a file."""
        every = [*self.files, *(one for unpacked in self.unpacked for one in unpacked.sources)]
        return next((one for one in every if one.path == path), None)


def load_record(folder: Path) -> Record | None:
    """The record of a folder; None if there is none that can be used."""
    try:
        record = msgspec.json.decode(read_bytes(folder / RECORD), type=Record)
    except (DataError, msgspec.DecodeError):
        return None  # without one, everything is checked again
    return record if record.format == FORMAT else None


def save_record(folder: Path, record: Record) -> None:
    """Write the record, old or new for whoever looks."""
    write_atomically(folder / RECORD, dump_json(msgspec.to_builtins(record)))


def is_here(folder: Path, path: str, digest: Digest, size: int | None = None) -> bool:
    """Whether a file is there with the content it should have."""
    place = folder / path
    try:
        if not place.is_file() or (size is not None and place.stat().st_size != size):
            return False
        return digest_of(place, digest.kind).same_as(digest)
    except OSError:
        return False


def is_unpacked(folder: Path, unpacked: Unpacked) -> bool:
    """Whether everything that came out of an archive is still there, by name and size."""
    try:
        return all((folder / path).stat().st_size == size for path, size in unpacked.members)
    except OSError:
        return False
