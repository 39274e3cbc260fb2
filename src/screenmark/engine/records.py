"""``records.jsonl``: one line a sample, appended and never rewritten.

A record is on disk before it is counted as done. The last line may be torn by a crash and
is mended when the file is opened; a later record of the same sample and repetition
supersedes an earlier one.
"""

from __future__ import annotations

import asyncio
import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from screenmark.errors import RunFolderError, RunInterrupted
from screenmark.types import Record

GROUP_SECONDS = 0.05
GROUP_RECORDS = 64
_BACKLOG = 4096


_PLACE = struct.Struct("=qIIQ?")
_PLACES = np.dtype(
    [("key", "i8"), ("position", "u4"), ("repeat", "u4"), ("offset", "u8"), ("failed", "?")]
)
"""Where a record lies in the file and how its sample ended: 25 bytes, as `_PLACE` packs them."""


class RecordFile:
    """The records of a run, read in data order without holding them in memory.

    Attributes:
        bad_lines: numbers of lines that are not records; their samples count as not done.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bad_lines: list[int] = []
        self._places = _newest(self._scan() if path.exists() else bytearray())

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Record]:
        """Records in data order, then by repetition."""
        if not len(self):
            return
        decoder = msgspec.json.Decoder(Record)
        with self._open() as file:
            for offset in self._places["offset"]:
                file.seek(int(offset))
                yield decoder.decode(file.readline())

    @property
    def failures(self) -> int:
        """How many samples ended in a failure."""
        return int(self._places["failed"].sum())

    def keep_only(self, ids: Iterable[str], repeats: int) -> int:
        """Forget records that are not about these samples; how many those were.

        Args:
            ids: of the samples, as they stand in the data now.
            repeats: how often each is asked.
        """
        if not len(self):
            return 0
        keys = (_key(id, repeat) for id in ids for repeat in range(repeats))
        known = np.fromiter(keys, np.int64)
        order = np.argsort(known)
        found = np.searchsorted(known, self._places["key"], sorter=order)
        numbers = order[found.clip(max=len(known) - 1)]
        ours = known[numbers] == self._places["key"]
        places = self._places[ours]
        places["position"] = numbers[ours] // repeats
        foreign = len(self) - len(places)
        self._places = _in_data_order(places)
        return foreign

    def done(self, samples: int, repeats: int) -> NDArray[np.bool_]:
        """Which of the samples kept have an answer: shape (samples, repeats)."""
        done = np.zeros((samples, repeats), np.bool_)
        answered = self._places[~self._places["failed"]]
        done[answered["position"], answered["repeat"]] = True
        return done

    def _scan(self) -> bytearray:
        """The places of all lines that are records, in the order of the file."""
        # Whole records, not their heads alone: what cannot be read later is not done.
        decoder = msgspec.json.Decoder(Record)
        places = bytearray()
        offset = 0
        with self._open() as file:
            for number, line in enumerate(file, start=1):
                try:
                    record = decoder.decode(line)
                    key, failed = _key(*record.key), record.outcome.is_failure
                    places += _PLACE.pack(key, record.position, record.repeat, offset, failed)
                except (msgspec.DecodeError, UnicodeDecodeError, struct.error):
                    self.bad_lines.append(number)
                offset += len(line)
        return places

    def _open(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise RunFolderError(f"{self.path}: cannot be read ({error.strerror})") from None


def _key(sample_id: str, repeat: int) -> int:
    # 64 bits, salted anew in each process: among a million no two are the same by accident,
    # and nobody can bring it about.
    return hash((sample_id, repeat))


def _newest(packed: bytearray) -> NDArray[np.void]:
    """Of places in the order of the file, the last of each sample and repetition."""
    places = np.frombuffer(packed, _PLACES)[::-1]
    return _in_data_order(places[np.unique(places["key"], return_index=True)[1]])


def _in_data_order(places: NDArray[np.void]) -> NDArray[np.void]:
    by = places["offset"], places["repeat"], places["position"]
    ordered: NDArray[np.void] = places[np.lexsort(by)]
    return ordered


def mend(path: Path) -> None:
    """Make the file end with a whole line: a torn last record is cut off."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        start = _start_of_last_line(file.fileno(), end)
        file.seek(start)
        tail = file.read()
        if tail.endswith(b"\n"):
            return
        try:
            msgspec.json.decode(tail, type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError):
            file.truncate(start)
        else:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
        file.flush()
        os.fsync(file.fileno())


def _start_of_last_line(descriptor: int, end: int) -> int:
    """Offset behind the last line break that is not the file's last byte."""
    block = 1 << 16
    upper = end - 1
    while upper > 0:
        lower = max(0, upper - block)
        found = os.pread(descriptor, upper - lower, lower).rfind(b"\n")
        if found >= 0:
            return lower + found + 1
        upper = lower
    return 0


class Sink(Protocol):
    """Where finished records go."""

    async def put(self, record: Record) -> None:
        """Hand a record over.

        Raises:
            RunInterrupted: no more records can be kept.
        """

    async def close(self) -> None:
        """Keep what is still on its way."""


OpenSink: TypeAlias = Callable[[Callable[[list[Record]], None]], Sink]
"""Opens a sink, given what to call with each group of records that it has kept for good."""


class RecordWriter:
    """Appends records in groups: one write and one fsync for what came in together.

    Args:
        path: the file; it is created or appended to.
        on_durable: called in the event loop with each group once it is on disk.
    """

    def __init__(self, path: Path, on_durable: Callable[[list[Record]], None]) -> None:
        self._path = path
        self._on_durable = on_durable
        self._encoder = msgspec.json.Encoder()
        self._waiting: list[tuple[Record, bytes]] = []
        self._news = asyncio.Event()
        self._full = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._closing = False
        self._error: OSError | None = None
        mend(path)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._task = asyncio.create_task(self._commit_groups())

    async def put(self, record: Record) -> None:
        """Hand a record over; waits only if the disk is far behind.

        Raises:
            RunInterrupted: the disk does not take records any more.
        """
        await self._room.wait()
        self._check()
        self._waiting.append((record, self._line(record)))
        self._news.set()
        if len(self._waiting) >= GROUP_RECORDS:
            self._full.set()
        if len(self._waiting) >= _BACKLOG:
            self._room.clear()

    def _line(self, record: Record) -> bytes:
        try:
            return self._encoder.encode(record) + b"\n"
        except UnicodeEncodeError:
            # A model of one's own may return half a character, which no file can hold.
            text = json.dumps(msgspec.to_builtins(record), ensure_ascii=False)
            mended = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return self._encoder.encode(json.loads(mended)) + b"\n"

    async def close(self) -> None:
        """Write what is waiting and close the file.

        Raises:
            RunInterrupted: something could not be written.
        """
        self._closing = True
        self._news.set()
        self._full.set()
        await self._task
        os.close(self._descriptor)
        self._check()

    def _check(self) -> None:
        if self._error is not None:
            raise RunInterrupted(
                f"{self._path}: cannot be written ({self._error.strerror}); "
                "what is finished is kept: make room and give the same command again"
            )

    async def _commit_groups(self) -> None:
        while True:
            await self._news.wait()
            if not self._closing:
                await self._wait_for_company()
            group, self._waiting = self._waiting, []
            self._news.clear()
            self._full.clear()
            try:
                if group:
                    await asyncio.to_thread(self._commit, [line for _, line in group])
            except OSError as error:
                self._error = error
                self._room.set()
                return
            self._room.set()
            if group:
                self._on_durable([record for record, _ in group])
            if self._closing and not self._waiting:
                return
            if self._waiting:
                self._news.set()

    async def _wait_for_company(self) -> None:
        try:
            async with asyncio.timeout(GROUP_SECONDS):
                await self._full.wait()
        except TimeoutError:
            pass

    def _commit(self, lines: list[bytes]) -> None:
        size = os.fstat(self._descriptor).st_size
        data = memoryview(b"".join(lines))
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError:
            # Leave whole lines only; if even that fails, opening the file mends it.
            os.ftruncate(self._descriptor, size)
            raise
