"""One file over HTTP into a ``.part`` beside its place, so that it can go on where it stopped."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from screenmark.downloads.digests import Digest, digest_of
from screenmark.downloads.http import Again, Client, refuse_status
from screenmark.downloads.names import PART
from screenmark.errors import DataError, DownloadError
from screenmark.jsonfile import read_bytes

if TYPE_CHECKING:
    import aiohttp

_BLOCK = 1 << 18
_PROGRESS = 1 << 16
"""So many bytes make a try one that got somewhere."""
_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


class RemoteFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to fetch.

    Attributes:
        path: where it goes, relative to the data set's folder.
        url: where it is.
        size: in bytes, if that was announced.
        digest: what its content is checked against; None if nobody knows.
        limit: bytes that it may have at most.
        headers: sent to the host of ``url`` only; may hold a token, so never shown or stored.
    """

    path: str
    url: str
    size: int | None = None
    digest: Digest | None = None
    limit: int
    headers: dict[str, str] = {}


class _State(msgspec.Struct):
    """What is known about a ``.part``: which file it is a part of."""

    url: str
    validator: str | None = None
    digest: Digest | None = None


class Fetcher:
    """Fetches one file.

    Args:
        client: what asks.
        file: which file.
        folder: the data set's folder.
    """

    def __init__(self, client: Client, file: RemoteFile, folder: Path) -> None:
        self._client = client
        self._file = file
        self._place = folder / file.path
        self.part = part_of(self._place)
        self._state_file = _state_of(self.part)
        self._resumed = False
        self._counted = 0
        self._announced = file.size

    async def run(self) -> Digest:
        """Fetch, check, and put the file in its place.

        Returns:
            what its content was checked against, or has.

        Raises:
            DownloadError: it could not be had, or is not what was promised; a file that stood
                in its place is still there.
        """
        self.part.parent.mkdir(parents=True, exist_ok=True)
        await self._complete()
        found = self._found()
        if not self._fits(found) and self._resumed:
            # Begun earlier or by another server: only a copy from the start proves anything.
            self._client.watch.say(f"{self._file.path}: parts do not fit; once more from the start")
            self._drop()
            await self._complete()
            found = self._found()
        self._refuse_content(found)
        self.part.replace(self._place)
        self._state_file.unlink(missing_ok=True)
        return self._file.digest or found

    async def _complete(self) -> None:
        failures, most = 0, self._size()
        while True:
            try:
                await self._attempt()
            except Again as error:
                # Measured against the most there ever was: some servers always start again.
                gained = self._size() - most
                failures = 1 if gained >= _PROGRESS else failures + 1
                most += max(0, gained)
                if failures >= self._client.policy.tries:
                    raise DownloadError(self._gave_up(error, failures)) from None
                await self._client.pause(self._file.path, error, failures)
            except OSError as error:
                raise DownloadError(disk_problem(self._file.path, self.part, error)) from None
            else:
                return

    async def _attempt(self) -> None:
        offset = self._usable_part()
        if offset and offset == self._file.size:
            self._count(offset)
            return
        headers = dict(self._file.headers)
        if offset:
            headers["Range"] = f"bytes={offset}-"
            state = self._state()
            if state.url == self._file.url and state.validator is not None:
                headers["If-Range"] = state.validator
        async with self._client.get(self._file.url, headers) as response:
            if response.status == 416:
                self._beyond(response, offset)
                return
            refuse_status(response, self._file.path)
            start, total = self._span(response, offset)
            self._refuse_size(total)
            if self._announced is None and total is not None:
                self._announced = total
                self._client.watch.expect(total)
            self._resumed |= start > 0
            validator = _validator(response)
            self._write_state(_State(self._file.url, validator, self._file.digest))
            await self._receive(response, start, total)

    def _usable_part(self) -> int:
        """How many bytes of the file are there already; what is of no use is removed."""
        size = self._size()
        if not size:
            return 0
        state = self._state()
        digest = self._file.digest
        same_content = digest is not None and digest.same_as(state.digest)
        same_place = state.url == self._file.url and state.validator is not None
        fits = self._file.size is None or size <= self._file.size
        if fits and (same_content or same_place):
            return size
        self._drop()
        return 0

    def _span(self, response: aiohttp.ClientResponse, offset: int) -> tuple[int, int | None]:
        """Where the content starts in the file, and how long the file is."""
        if response.status == 200:
            return 0, response.content_length
        found = _RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
        start = int(found[1]) if found and found[1] else None
        # A multipart answer and one for another range have no place here.
        if not offset or found is None or start != offset or self._changed(response):
            self._drop()
            raise Again("the server answers with another part than was asked for")
        if found[3] != "*":
            return offset, int(found[3])
        length = response.content_length
        return offset, None if length is None else offset + length

    def _changed(self, response: aiohttp.ClientResponse) -> bool:
        """Whether this is no longer the file that the part was begun with."""
        state = self._state()
        if state.url != self._file.url or state.validator is None:
            return False
        return _validator(response) not in {None, state.validator}

    def _beyond(self, response: aiohttp.ClientResponse, offset: int) -> None:
        """There is nothing after the part: it is whole, or of no use."""
        found = _RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
        if found and found[3] == str(offset) and not self._changed(response):
            self._count(offset)
            return
        if self._file.digest is not None and self._fits(self._found()):
            self._count(offset)
            return
        self._drop()
        raise Again("the server has less of the file than is here")

    def _refuse_size(self, total: int | None) -> None:
        path, size = self._file.path, self._file.size
        if total is not None and size is not None and total != size:
            self._drop()
            raise DownloadError(
                f"{path}: the server has {total:,} bytes, expected {size:,}; nothing was kept"
            )
        if total is not None and total > self._file.limit:
            raise DownloadError(
                f"{path}: {total:,} bytes, more than the {self._file.limit:,} that it may have"
            )

    async def _receive(
        self, response: aiohttp.ClientResponse, start: int, total: int | None
    ) -> None:
        self._count(start)
        limit = self._file.limit if total is None else total
        with self.part.open("r+b" if start else "wb", buffering=0) as file:
            file.truncate(start)
            file.seek(start)
            size = start
            async for block in response.content.iter_chunked(_BLOCK):
                if size + len(block) > limit:
                    self._drop()
                    raise DownloadError(
                        f"{self._file.path}: more than {limit:,} bytes; nothing was kept"
                    )
                _write_all(file, block)
                size += len(block)
                self._count(size)
        if total is not None and size < total:
            raise Again(f"broke off after {size:,} of {total:,} bytes")

    def _found(self) -> Digest:
        expected = self._file.digest
        return digest_of(self.part, expected.kind if expected else "sha256")

    def _fits(self, found: Digest) -> bool:
        return self._file.digest is None or found.same_as(self._file.digest)

    def _refuse_content(self, found: Digest) -> None:
        expected = self._file.digest
        if expected is None or found.same_as(expected):
            return
        self._drop()
        raise DownloadError(
            f"{self._file.path}: what came has the {found}, expected {expected.hex} "
            f"(from {expected.origin}); nothing of it was kept"
        )

    def _gave_up(self, error: Again, failures: int) -> str:
        kept = self._size()
        hint = f"{kept:,} bytes are kept, the same command goes on" if kept else "nothing was kept"
        return f"{self._file.path}: {error}, {failures} times in a row; {hint}"

    def _size(self) -> int:
        try:
            return self.part.stat().st_size
        except FileNotFoundError:
            return 0

    def _state(self) -> _State:
        try:
            return msgspec.json.decode(read_bytes(self._state_file), type=_State)
        except (DataError, msgspec.DecodeError):
            return _State("")

    def _write_state(self, state: _State) -> None:
        if state != self._state():
            # Half of it after a crash is as good as nothing, and nothing is safe.
            self._state_file.write_bytes(msgspec.json.encode(state))

    def _drop(self) -> None:
        self.part.unlink(missing_ok=True)
        self._state_file.unlink(missing_ok=True)
        self._resumed = False
        self._count(0)

    def _count(self, size: int) -> None:
        self._client.watch.advance(size - self._counted)
        self._counted = size


def part_of(place: Path) -> Path:
    """The unfinished file of a place."""
    return place.with_name(f"{place.name}{PART}")


def _state_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def forget_part(place: Path) -> None:
    """Remove what an unfinished download left beside a file that is there."""
    part = part_of(place)
    for path in (part, _state_of(part)):
        path.unlink(missing_ok=True)


def disk_problem(what: str, place: Path, error: OSError) -> str:
    """Why a file could not be written, in words."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return (
            f"{what}: the disk is full, at {place.parent}; what is there is kept: make room, or "
            "choose another place with --to, and give the command again"
        )
    return f"{what}: cannot be written at {place.parent} ({error.strerror or error})"


def _validator(response: aiohttp.ClientResponse) -> str | None:
    """What tells this content from another at the same address, if it is sharp enough."""
    etag = response.headers.get("ETag", "")
    if etag.startswith('"') and len(etag) > 2:
        return etag
    return None if etag else response.headers.get("Last-Modified")


def _write_all(file: object, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[file.write(view) :]  # type: ignore[attr-defined]
