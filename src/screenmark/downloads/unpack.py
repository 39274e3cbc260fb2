"""Archives, taken as hostile: nothing of one is written unless all of it may be.

Members go into a folder beside their place first and are moved when all are there. Links,
devices and names that lead elsewhere make the whole archive refused. What comes out is held
to what the archive declares, to a limit, and to a multiple of the archive's own size.
"""

from __future__ import annotations

import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from screenmark.downloads.fetch import disk_problem
from screenmark.downloads.names import checked_name
from screenmark.downloads.watch import Watch
from screenmark.errors import DataError, DownloadError

_RATIO = 100
_SMALL = 50_000_000
"""Below that, a high ratio is no danger."""
_MOST_MEMBERS = 500_000
_BLOCK = 1 << 20
_IGNORED = ("__MACOSX/", "._", ".DS_Store")


class Member(msgspec.Struct, frozen=True):
    """A file in an archive, with its declared size and how to read it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


@contextmanager
def staging(folder: Path, name: str) -> Iterator[Path]:
    """An empty folder for what is not finished; gone afterwards."""
    place = folder / f".unpacking-{name}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        yield place
    except OSError as error:
        raise DownloadError(disk_problem(name, place, error)) from None
    finally:
        shutil.rmtree(place, ignore_errors=True)


def unpack(
    archive: Path, folder: Path, root: str, limit: int, watch: Watch
) -> tuple[tuple[str, int], ...]:
    """Unpack what an archive holds below a folder named ``root``.

    Args:
        archive: a ``.zip``, or a ``.tar`` as it is or compressed.
        folder: where ``root`` goes.
        limit: bytes that may come out.

    Returns:
        relative path and size of every file.

    Raises:
        DataError: it is damaged, or something in it may not be.
        DownloadError: the disk is full, or refuses.
    """
    opened = _zip if archive.suffix.lower() == ".zip" else _tar
    with _explained(archive), opened(archive) as (size, members):
        chosen = _chosen(archive, members, root, min(limit, _most(size)))
        watch.phase(f"unpacking {archive.name}", sum(member.size for member in chosen.values()))
        with staging(folder, archive.name) as place:
            for path, member in chosen.items():
                try:
                    _write(archive, place / path, member, watch)
                except OSError as error:
                    what = f"{archive.name}: {path!r}"
                    raise DownloadError(disk_problem(what, place, error)) from None
            move_into(place, folder, chosen)
    return tuple((path, member.size) for path, member in chosen.items())


def move_into(place: Path, folder: Path, paths: Iterator[str] | dict[str, Member]) -> None:
    """Put finished files where they belong, each at once."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).replace(folder / path)


def _most(size: int) -> int:
    return max(_SMALL, size * _RATIO)


def _chosen(archive: Path, members: list[Member], root: str, most: int) -> dict[str, Member]:
    """The members below ``root`` by the path that they get; all members are looked at."""
    if len(members) > _MOST_MEMBERS:
        raise DataError(f"more than {_MOST_MEMBERS:,} members; nothing was written", file=archive)
    total = sum(member.size for member in members)
    if total > most:
        raise DataError(
            f"{total:,} bytes would come out, more than the {most:,} that it may hold; "
            "nothing was written",
            file=archive,
        )
    chosen: dict[str, Member] = {}
    for member in members:
        steps = checked_name(member.name, str(archive)).split("/")
        ignored = member.name.startswith(_IGNORED[0]) or steps[-1].startswith(_IGNORED[1:])
        if ignored or root not in steps[:-1]:
            continue
        path = "/".join(steps[steps.index(root) :])
        if path in chosen:
            raise DataError(f"{path!r} stands in it twice; nothing was written", file=archive)
        chosen[path] = member
    for path in chosen:
        for folder in PurePosixPath(path).parents:
            if str(folder) in chosen:
                problem = f"{str(folder)!r} is a file in it, and a folder with {path!r}"
                raise DataError(f"{problem}; nothing was written", file=archive)
    if not chosen:
        raise DataError(f"no folder {root} with files in it; nothing was written", file=archive)
    return chosen


def _write(archive: Path, place: Path, member: Member, watch: Watch) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    left = member.size
    with member.open() as source, place.open("xb") as target:
        while block := source.read(_BLOCK):
            left -= len(block)
            if left < 0:
                break
            target.write(block)
            watch.advance(len(block))
    if left:
        raise DataError(
            f"{member.name!r} is not as long as the archive declares; nothing was kept",
            file=archive,
        )


@contextmanager
def _explained(archive: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        raise DataError(f"a damaged archive ({error})", file=archive) from None
    except (NotImplementedError, RuntimeError, UnicodeError, ValueError) as error:
        raise DataError(f"an archive that cannot be read ({error})", file=archive) from None


@contextmanager
def _zip(archive: Path) -> Iterator[tuple[int, list[Member]]]:
    with zipfile.ZipFile(archive) as file:
        members = []
        for info in file.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir():
                _check_folder(info.orig_filename, archive)
                continue
            if kind not in {0, stat.S_IFREG}:
                raise _odd(archive, info.filename)
            if info.flag_bits & 1:
                raise DataError(f"{info.filename!r} is encrypted", file=archive)
            # What follows a null byte, zipfile has cut off; the name as it stands is checked.
            name = info.orig_filename.removeprefix("./")
            members.append(Member(name, info.file_size, _opener(file, info)))
        yield archive.stat().st_size, members


def _opener(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: file.open(info)


@contextmanager
def _tar(archive: Path) -> Iterator[tuple[int, list[Member]]]:
    size = archive.stat().st_size
    with tarfile.open(archive, "r:*") as file:
        members: list[Member] = []
        total = 0
        for info in file:
            if info.isdir():
                _check_folder(info.name, archive)
                continue
            if not info.isreg():
                raise _odd(archive, info.name)
            total += info.size
            if total > _most(size) or len(members) > _MOST_MEMBERS:
                break  # the sums are refused below; no need to read on
            members.append(Member(info.name.removeprefix("./"), info.size, _member(file, info)))
        if total > _most(size):
            raise DataError(f"more than {_most(size):,} bytes would come out", file=archive)
        yield size, members


def _member(file: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        found = file.extractfile(info)
        if found is None:
            raise tarfile.ReadError(f"{info.name} has no content")
        return found

    return opened


def _check_folder(name: str, archive: Path) -> None:
    if (shown := name.removeprefix("./").rstrip("/")) not in {"", "."}:
        checked_name(shown, str(archive))


def _odd(archive: Path, name: str) -> DataError:
    return DataError(
        f"{name[:200]!r} is a link, a device or something else that is no file; "
        "nothing was written",
        file=archive,
    )
