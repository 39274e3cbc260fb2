"""The record file: torn lines, superseded records, group commit."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from screenmark.engine.records import RecordFile, RecordWriter, mend
from screenmark.types import Outcome, Record


def record(position: int, outcome: Outcome = Outcome.OK, **fields: object) -> Record:
    made = Record(sample_id=f"s{position}", position=position, outcome=outcome, sample={})
    return msgspec.structs.replace(made, **fields)


def write(path: Path, records: list[Record]) -> list[Record]:
    durable: list[Record] = []

    async def main() -> None:
        writer = RecordWriter(path, durable.extend)
        for one in records:
            await writer.put(one)
        await writer.close()

    asyncio.run(main())
    return durable


def test_records_come_back_in_data_order(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    made = [record(n) for n in (3, 1, 2, 0)]
    assert write(path, made) == made
    assert list(RecordFile(path)) == sorted(made, key=lambda r: r.position)


def test_a_record_is_counted_only_once_it_is_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    seen: list[int] = []

    async def main() -> None:
        writer = RecordWriter(path, lambda group: seen.append(len(path.read_bytes().splitlines())))
        await writer.put(record(0))
        assert seen == []
        await writer.close()

    asyncio.run(main())
    assert seen == [1]


def test_a_burst_is_written_in_groups(tmp_path: Path) -> None:
    groups: list[int] = []

    async def main() -> None:
        writer = RecordWriter(tmp_path / "r", lambda group: groups.append(len(group)))
        for n in range(1000):
            await writer.put(record(n))
        await writer.close()

    asyncio.run(main())
    assert sum(groups) == 1000
    assert len(groups) < 100


def test_a_later_record_supersedes_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    write(path, [record(0, Outcome.API_ERROR), record(1), record(0)])
    assert [r.outcome for r in RecordFile(path)] == [Outcome.OK, Outcome.OK]


def test_a_file_cut_at_any_byte_loses_the_torn_record_only(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    write(path, [record(n, sample={"text": "文字\n" * n}) for n in range(4)])
    whole = path.read_bytes()
    ends = [n + 1 for n, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        mend(path)
        # A record that lacks nothing but its line break is complete.
        expected = sum(end - 1 <= cut for end in ends)
        found = RecordFile(path)
        assert len(found) == expected, cut
        assert not found.bad_lines
    write(path, [record(9)])
    assert [r.position for r in RecordFile(path)] == [0, 1, 2, 3, 9]


def test_a_damaged_line_in_the_middle_is_named_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    write(path, [record(n) for n in range(3)])
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = b"\x00\xff garbage\n"
    path.write_bytes(b"".join(lines))
    found = RecordFile(path)
    assert found.bad_lines == [2]
    assert [r.position for r in found] == [0, 2]


@pytest.mark.parametrize("position", [-1, 1 << 40, 1 << 90], ids=["negative", "large", "huge"])
def test_a_place_that_no_data_has_is_no_record(tmp_path: Path, position: int) -> None:
    path = tmp_path / "records.jsonl"
    write(path, [record(0), record(1)])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"position":1', f'"position":{position}'), encoding="utf-8")
    found = RecordFile(path)
    assert found.bad_lines == [2]
    assert [r.position for r in found] == [0]


def test_records_follow_the_data_as_it_stands_now(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    asked = [(n, repeat) for repeat in (0, 1, 2) for n in (2, 0, 1)]
    write(path, [record(n, repeat=repeat) for n, repeat in asked])
    write(path, [record(0, Outcome.API_ERROR, repeat=1)])
    found = RecordFile(path)
    # Nobody asks about s1 any more, nor for a third time; s2 comes first now, s7 is new.
    assert found.keep_only(["s2", "s7", "s0"], 2) == 3 + 2
    assert [(r.sample_id, r.repeat) for r in found] == [("s2", 0), ("s2", 1), ("s0", 0), ("s0", 1)]
    assert found.failures == 1
    assert found.done(3, 2).tolist() == [[True, True], [False, False], [True, False]]


def test_a_run_without_records_has_nothing_done(tmp_path: Path) -> None:
    found = RecordFile(tmp_path / "records.jsonl")
    assert (len(found), list(found), found.failures, found.keep_only(["s0"], 1)) == (0, [], 0, 0)
    assert not found.done(1, 1).any()


def test_mend_leaves_a_missing_or_empty_file_alone(tmp_path: Path) -> None:
    mend(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    (tmp_path / "empty").touch()
    mend(tmp_path / "empty")
    assert (tmp_path / "empty").read_bytes() == b""


def test_nan_never_reaches_the_file() -> None:
    encoded = msgspec.json.encode(record(0, score={"f1": float("nan")}))
    assert b"NaN" not in encoded
    assert msgspec.json.decode(encoded)["score"] == {"f1": None}


@pytest.mark.parametrize("count", [1, 64, 65])
def test_every_record_is_one_line(tmp_path: Path, count: int) -> None:
    path = tmp_path / "r"
    write(path, [record(n, sample={"text": "a\nb\r\u2028"}) for n in range(count)])
    assert path.read_bytes().count(b"\n") == count
