"""A whole data set: list, compare with what is there, fetch, check, unpack, record."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote

import msgspec

from screenmark.downloads.catalog import Dataset, Unpack, dataset, matches
from screenmark.downloads.digests import Digest
from screenmark.downloads.fetch import Fetcher, RemoteFile, disk_problem, forget_part, part_of
from screenmark.downloads.http import Client, Policy, Unreachable, checked_url, open_client
from screenmark.downloads.hub import list_hub
from screenmark.downloads.names import RECORD
from screenmark.downloads.parquet import need_parquet, unpack_screenspot
from screenmark.downloads.places import default_folder
from screenmark.downloads.record import (
    FileRecord,
    Record,
    Unpacked,
    is_here,
    is_unpacked,
    load_record,
    save_record,
)
from screenmark.downloads.sources import Listing, list_github, list_mirror, list_site
from screenmark.downloads.unpack import unpack
from screenmark.downloads.watch import Unwatched, Watch
from screenmark.errors import DownloadError, UsageError

_GIGABYTE = 1_000_000_000
_COMMIT = 40
_LOCK = f"{RECORD}.lock"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What to fetch, and how.

    Attributes:
        name: which data set.
        to: its folder; None for the usual one.
        url: a mirror instead of the repository.
        revision: another commit, branch or tag than the table's.
        sha256: what to check files against, by name; goes before everything else.
        verify: refuse files that nothing is known about.
        keep_archives: leave archives in the folder after they are unpacked.
    """

    name: str
    to: Path | None = None
    url: str | None = None
    revision: str | None = None
    sha256: dict[str, Digest] = {}
    verify: bool = True
    keep_archives: bool = False


class Downloaded(msgspec.Struct, frozen=True, kw_only=True):
    """What there is now.

    Attributes:
        fetched: paths of the files that came over the network.
        kept: how many were there already.
        unverified: paths of the files that nothing was known about.
        next: commands that use the data.
    """

    name: str
    folder: Path
    record: Record
    fetched: tuple[str, ...]
    kept: int
    unverified: tuple[str, ...]
    next: tuple[str, ...]


def download(
    wanted: Wanted, watch: Watch | None = None, policy: Policy | None = None
) -> Downloaded:
    """Fetch a data set, or what is missing of it.

    Raises:
        UsageError: an option cannot be meant that way.
        MissingExtra: a library is missing.
        DownloadError: it could not be had; what came is kept, and the next call goes on.
        DataError: an archive or a list is not what it should be.
    """
    entry = dataset(wanted.name)
    url = None if wanted.url is None else checked_url(wanted.url)
    if url is not None and wanted.revision is not None:
        raise UsageError("--revision: a mirror has no revisions; leave out one of the two")
    if entry.site is not None and wanted.revision is not None:
        raise UsageError(f"--revision: {wanted.name} comes from a site that has none")
    if any(rule.source.endswith(".parquet") for rule in entry.unpack):
        need_parquet()
    folder = wanted.to or default_folder(wanted.name, entry)
    job = _Job(entry, wanted, url, folder, watch or Unwatched(), policy or Policy())
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    is_locked_anew = not (folder / _LOCK).exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            try:
                return job.run()
            except BaseException:
                if is_locked_anew:
                    (folder / _LOCK).unlink(missing_ok=True)
                raise
    except BaseException as error:
        # What came is kept for the next call; where nothing did, nothing is left behind.
        with suppress(OSError):
            for place in made:
                place.rmdir()
        if isinstance(error, OSError):
            raise DownloadError(disk_problem(wanted.name, folder / RECORD, error)) from None
        raise


class _Job:
    def __init__(
        self,
        entry: Dataset,
        wanted: Wanted,
        url: str | None,
        folder: Path,
        watch: Watch,
        policy: Policy,
    ) -> None:
        self._entry = entry
        self._wanted = wanted
        self._url = url
        self._folder = folder
        self._watch = watch
        self._policy = policy
        self._old = load_record(folder)
        self._fetched: list[str] = []

    def run(self) -> Downloaded:
        if (complete := self._complete_already()) is not None:
            return self._result(complete)
        try:
            listing, files = asyncio.run(self._fetch())
        except Unreachable as error:
            raise DownloadError(f"{error}; {self._advice()}") from None
        unpacked = [self._unpack(rule, files) for rule in self._entry.unpack]
        packed = {one.path for group in unpacked for one in group.sources}
        record = Record(
            dataset=self._wanted.name,
            source=listing.source,
            revision=listing.revision,
            licence=self._entry.licence,
            files=tuple(one for one in files if one.path not in packed),
            unpacked=tuple(unpacked),
        )
        save_record(self._folder, record)
        if not self._wanted.keep_archives:
            for path in packed:
                (self._folder / path).unlink(missing_ok=True)
                with suppress(OSError):  # it may hold something else
                    if (parent := (self._folder / path).parent) != self._folder:
                        parent.rmdir()
        return self._result(record)

    def _complete_already(self) -> Record | None:
        """The record, if a commit was asked for and all of it is here: nobody need be asked."""
        old, revision = self._old, self._wanted.revision or self._entry.revision
        if old is None or self._url is not None or self._wanted.sha256:
            return None
        if len(revision) != _COMMIT or old.revision != revision:
            return None
        whole = all(is_unpacked(self._folder, group) for group in old.unpacked) and all(
            is_here(self._folder, one.path, one.digest, one.size) for one in old.files
        )
        return old if whole else None

    async def _fetch(self) -> tuple[Listing, list[FileRecord]]:
        async with open_client(self._policy, self._watch) as client:
            listing = await self._list(client)
            if not listing.files:
                raise DownloadError(f"{listing.source}: none of the files is there")
            self._watch.phase("looking at what is here", None)
            here = {file.path: self._here(listing, file) for file in listing.files}
            missing = [file for file in listing.files if here[file.path] is None]
            self._refuse_small_disk(missing)
            self._watch.phase("fetching", sum(file.size or 0 for file in missing) or None)
            enough = asyncio.Semaphore(self._policy.parallel)

            async def one(file: RemoteFile) -> FileRecord:
                if (known := here[file.path]) is not None:
                    forget_part(self._folder / file.path)
                    return known
                async with enough:
                    found = await Fetcher(client, file, self._folder).run()
                self._fetched.append(file.path)
                size = (self._folder / file.path).stat().st_size
                return FileRecord(file.path, size, found, file.digest is not None)

            return listing, await _all([one(file) for file in listing.files])

    async def _list(self, client: Client) -> Listing:
        entry, given = self._entry, self._wanted.sha256
        if self._url is not None:
            return await list_mirror(client, entry, self._url, given, verify=self._wanted.verify)
        revision = self._wanted.revision or entry.revision
        if entry.site is not None:
            listing = list_site(entry)
        elif entry.github is not None:
            listing = await list_github(client, entry, revision)
        else:
            listing = list_hub(entry, revision, self._policy, self._watch)
        files = [
            msgspec.structs.replace(file, digest=given.get(file.path, file.digest))
            for file in listing.files
        ]
        return msgspec.structs.replace(listing, files=tuple(files))

    def _here(self, listing: Listing, file: RemoteFile) -> FileRecord | None:
        """What is known about a file that need not be fetched."""
        old = self._old.file(file.path) if self._old else None
        digest = file.digest
        if digest is None:
            # Nobody says what it should be: what came from the same place before will do.
            if self._old is None or old is None or self._old.source != listing.source:
                return None
            digest = old.digest
        if old is not None and old.digest.same_as(digest):
            group = self._group(file.path)
            if group is not None and is_unpacked(self._folder, group):
                return old
        if not is_here(self._folder, file.path, digest, file.size):
            return None
        size = (self._folder / file.path).stat().st_size
        return FileRecord(file.path, size, digest, file.digest is not None)

    def _group(self, path: str) -> Unpacked | None:
        groups = self._old.unpacked if self._old else ()
        return next((g for g in groups if any(one.path == path for one in g.sources)), None)

    def _unpack(self, rule: Unpack, files: list[FileRecord]) -> Unpacked:
        sources = tuple(one for one in files if matches(rule.source, one.path))
        if self._old is not None:
            for group in self._old.unpacked:
                if _same(group.sources, sources) and is_unpacked(self._folder, group):
                    return group
        if not sources:
            raise DownloadError(f"nothing to unpack: no {rule.source}")
        paths = [self._folder / one.path for one in sources]
        limit = int(rule.limit * _GIGABYTE)
        if rule.source.endswith(".parquet"):
            members = unpack_screenspot(paths, self._folder, rule.root, limit, self._watch)
        else:
            members = unpack(paths[0], self._folder, rule.root, limit, self._watch)
        return Unpacked(sources, members)

    def _refuse_small_disk(self, missing: list[RemoteFile]) -> None:
        need = sum(max(0, (file.size or 0) - self._part(file)) for file in missing)
        free = shutil.disk_usage(self._folder).free
        if need > free:
            raise DownloadError(
                f"{need / 1e9:.1f} GB are to come, and {free / 1e9:.1f} GB are free at "
                f"{self._folder}; make room, or choose another place with --to"
            )

    def _part(self, file: RemoteFile) -> int:
        try:
            return part_of(self._folder / file.path).stat().st_size
        except FileNotFoundError:
            return 0

    def _advice(self) -> str:
        """What helps where nobody was reached; of a data set at GitHub no mirror of the hub."""
        entry, url = self._entry, self._wanted.url
        why = "is the machine offline" + (", or the address of --url wrong?" if url else "?")
        ways = ["a proxy (HTTPS_PROXY)"]
        if entry.hub is not None and not url:
            ways.append("a mirror of the hub (HF_ENDPOINT=https://…)")
        ways.append(f"{'another' if url else 'any'} server that holds the same files (--url BASE)")
        origin = entry.home + (f", below {entry.strip.rstrip('/')}" if entry.strip else "")
        hand = f"put by hand into {self._folder}: {entry.by_hand} (of {origin})"
        then = "".join(f"; then: {self._command(line)}" for line in entry.next[:1])
        return f"{why} What helps: {', '.join(ways)}, or {hand}{then}"

    def _result(self, record: Record) -> Downloaded:
        every = [*record.files, *(one for group in record.unpacked for one in group.sources)]
        return Downloaded(
            name=self._wanted.name,
            folder=self._folder,
            record=record,
            fetched=tuple(sorted(self._fetched)),
            kept=len(every) - len(self._fetched),
            unverified=tuple(one.path for one in every if not one.verified),
            next=tuple(self._command(line) for line in self._entry.next),
        )

    def _command(self, line: str) -> str:
        return " ".join(
            quote(word.format(dir=self._folder)) if "{dir}" in word else word
            for word in line.split()
        )


def _same(one: tuple[FileRecord, ...], other: tuple[FileRecord, ...]) -> bool:
    if [file.path for file in one] != [file.path for file in other]:
        return False
    return all(a.digest.same_as(b.digest) for a, b in zip(one, other, strict=True))


async def _all(work: list[Awaitable[FileRecord]]) -> list[FileRecord]:
    """All results; when one fails, the others stop and what they have is kept."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep a second process from writing the same parts; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another process is fetching into {folder}") from None
        yield
    finally:
        os.close(descriptor)
