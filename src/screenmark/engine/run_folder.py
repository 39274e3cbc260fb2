"""The run folder: its paths, its name, its lock.

``<runs-dir>/<benchmark>-<model>-<identity>/`` holds ``manifest.json``, ``records.jsonl``,
``results.json`` and ``artifacts/``. The identity is a hash of everything that changes
answers, so the same command finds its folder again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from screenmark.engine.manifest import Manifest, read_manifest
from screenmark.errors import RunFolderError


class RunFolder:
    """Paths inside one run folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.records = path / "records.jsonl"
        self.results = path / "results.json"
        self.artifacts = path / "artifacts"
        self.lock = path / ".lock"

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for this process; the lock goes with the process, however it ends.

        Raises:
            RunFolderError: another process holds it, or the folder cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunFolderError(f"{self.path}: cannot be written ({error.strerror})") from None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
                raise RunFolderError(
                    f"{self.path}: another process{f' ({holder})' if holder else ''} is running "
                    "here; wait for it, or choose another --runs-dir"
                ) from None
            except OSError as error:
                raise RunFolderError(f"{self.path}: no lock ({error.strerror})") from None
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"pid {os.getpid()}\n".encode("ascii"))
            yield
        finally:
            os.close(descriptor)

    def status(self, written: str) -> str:
        """What the manifest says, or ``killed`` if it says running and nobody is."""
        return "killed" if written == "running" and not self.is_locked() else written

    def is_locked(self) -> bool:
        """Whether a process is at work here."""
        try:
            descriptor = os.open(self.lock, os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def count_records(self) -> int:
        """Lines of the record file; samples that were asked again count again."""
        try:
            with self.records.open("rb") as file:
                return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
        except OSError:
            return 0


def identity_hash(identity: Mapping[str, Any]) -> str:
    """Ten hex digits that stand for the options that change answers."""
    canonical = msgspec.json.encode(dict(identity), order="deterministic")
    return hashlib.sha256(canonical).hexdigest()[:10]


def folder_name(benchmark: str, model: str, identity: Mapping[str, Any]) -> str:
    """Name of the first folder of a command; any text makes a safe one."""
    slug = re.sub(r"[^\w.-]+", "_", model.rstrip("/").rsplit("/", 1)[-1]).strip("._-")[:60]
    # A file system counts bytes, of which a letter may have four.
    slug = slug.encode("utf-8")[:180].decode("utf-8", "ignore")
    return f"{benchmark}-{slug or 'model'}-{identity_hash(identity)}"


def folders_of(runs_dir: Path, name: str) -> list[RunFolder]:
    """Existing folders of one command, oldest first: ``name``, ``name-2``, ``name-3``…

    There may be gaps where a run was removed.
    """
    return [RunFolder(path) for _, path in sorted(_numbered(runs_dir, name))]


def next_folder(runs_dir: Path, name: str) -> RunFolder:
    """The folder behind the last one of a command, so that the newest stays the last."""
    number = max((number for number, _ in _numbered(runs_dir, name)), default=0) + 1
    return RunFolder(runs_dir / (name if number == 1 else f"{name}-{number}"))


def _numbered(runs_dir: Path, name: str) -> Iterator[tuple[int, Path]]:
    pattern = re.compile(re.escape(name) + r"(?:-([1-9][0-9]*))?")
    try:
        paths = list(runs_dir.iterdir()) if runs_dir.is_dir() else []
    except OSError as error:
        raise RunFolderError(f"--runs-dir {runs_dir}: {error.strerror}") from None
    for path in paths:
        found = pattern.fullmatch(path.name)
        if found is not None and found[1] != "1":
            yield int(found[1] or 1), path


def open_folder(path: Path) -> tuple[RunFolder, Manifest]:
    """An existing run folder and its manifest.

    Raises:
        RunFolderError: there is no run in ``path``.
    """
    folder = RunFolder(path)
    if not folder.manifest.is_file():
        raise RunFolderError(f"{path}: no run here (no manifest.json); see: screenmark runs")
    return folder, read_manifest(folder.manifest)


def list_folders(runs_dir: Path) -> list[tuple[RunFolder, Manifest]]:
    """All runs below a folder, newest first; folders that hold no run are passed over."""
    found = []
    for path in sorted(runs_dir.iterdir()) if runs_dir.is_dir() else []:
        # Also folders of others, which we may not even look into.
        with suppress(RunFolderError, OSError):
            found.append(open_folder(path))
    return sorted(found, key=lambda pair: (pair[1].number, pair[1].created), reverse=True)


def next_number(runs_dir: Path) -> int:
    """The number of the next run below a folder, in the order of their making."""
    return 1 + max((manifest.number for _, manifest in list_folders(runs_dir)), default=0)
