"""JSON files that people wrote, and files that survive a crash."""

from __future__ import annotations

import json
import math
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.errors import DataError, UsageError
from screenmark.jsonfile import (
    TOP_LEVEL,
    check_writable,
    dump_json,
    read_bytes,
    read_json,
    read_json_items,
    read_text,
    write_atomically,
)
from tests.support.pipes import piped


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.json"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b'{"a": 1}', {"a": 1}, id="plain"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}', {"a": 1}, id="byte order mark"),
        pytest.param('["确定"]'.encode(), ["确定"], id="Chinese"),
        pytest.param(b"\r\n [1]\r\n", [1], id="white space"),
        pytest.param(rb'["\ud83d\ude00"]', ["😀"], id="escaped pair"),
        pytest.param(rb'["\ud83d", "\uDE00x"]', ["\ufffd", "\ufffdx"], id="lone surrogates"),
        pytest.param(rb'["\\ud83d"]', ["\\ud83d"], id="escaped backslash"),
        pytest.param(rb'{"\ud800": 1, "n": NaN}', None, id="lone surrogate in a key"),
    ],
)
def test_read_json(file: Path, data: bytes, value: Any) -> None:
    file.write_bytes(data)
    read = read_json(file)
    if value is None:
        assert list(read) == ["\ufffd", "n"]
        assert math.isnan(read["n"])
    else:
        assert read == value
    json.dumps(read, ensure_ascii=False).encode("utf-8")


def test_numbers_that_are_not_json_survive_reading(file: Path) -> None:
    file.write_text("[NaN, Infinity, -Infinity, 1e999]", encoding="utf-8")
    nan, *infinities = read_json(file)
    assert math.isnan(nan)
    assert infinities == [math.inf, -math.inf, math.inf]


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": [-math.inf]}])
def test_numbers_that_are_not_json_are_refused_on_writing(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        dump_json(value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b" \n", "the file is empty", id="blank"),
        pytest.param(b"\xef\xbb\xbf", "the file is empty", id="byte order mark only"),
        pytest.param(b'{"a": 1', "line 1, column 8", id="torn"),
        pytest.param(b"[\n  1,\n  2,,\n]", "at line 3, column 5, near", id="line and column"),
        pytest.param(b"{'a': 1}", "double quotes", id="Python's quotes"),
        pytest.param(b"[1] [2]", "Extra data at line 1, column 5", id="two values"),
        pytest.param(b"9" * 5000, "not JSON that can be read", id="endless digits"),
        pytest.param(b"[" * 200_000, "not JSON that can be read", id="nested lists"),
        pytest.param(b'{"a":' * 200_000, "not JSON that can be read", id="nested objects"),
        pytest.param("[1]".encode("utf-16"), "iconv -f UTF-16 -t UTF-8", id="UTF-16"),
        pytest.param('["é"]'.encode("utf-16-be"), "UTF-16BE -t UTF-8", id="UTF-16 without a mark"),
        pytest.param("[1]".encode("utf-32"), "iconv -f UTF-32 -t UTF-8", id="UTF-32"),
        pytest.param("[1]".encode("utf-32-be"), "UTF-32BE -t UTF-8", id="UTF-32-BE in ASCII"),
        pytest.param('["é"]'.encode("utf-32-le"), "UTF-32LE -t UTF-8", id="UTF-32-LE"),
        pytest.param(b"\x1f\x8b\x08\0\0\0\0\0", "it is packed with gzip", id="gzip"),
        pytest.param("[1]".encode("utf-16-le"), "UTF-16LE -t UTF-8", id="UTF-16-LE in ASCII"),
        pytest.param("[1]".encode("utf-16-be"), "UTF-16BE -t UTF-8", id="UTF-16-BE in ASCII"),
        pytest.param('["确定"]'.encode("utf-16-le"), "UTF-16LE", id="UTF-16-LE in Chinese"),
        pytest.param(bytes(100), "holds null characters", id="null bytes"),
        pytest.param(b'["a\0b, c"]', "Invalid control character", id="one null byte"),
        pytest.param(b"\x89XYZ\0" + b"\xff" * 40, "save it as UTF-8", id="bytes, some null"),
        pytest.param('["确定"]'.encode("gbk"), "iconv -f GB18030 -t UTF-8", id="GBK"),
        pytest.param(b"\x89PNG\r\n\x1a\n\xff\xff\xff\xff", "it is a PNG image", id="a picture"),
    ],
)
@pytest.mark.parametrize("read", [read_json, read_json_items], ids=lambda f: f.__name__)
def test_what_cannot_be_read(file: Path, data: bytes, message: str, read: Any) -> None:
    file.write_bytes(data)
    if read is read_json_items and data == b"[1] [2]":
        message = "line 1: not JSON: Extra data at column 5, near"
    with pytest.raises(DataError) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(file))


def test_the_first_bad_byte_is_named(file: Path) -> None:
    file.write_bytes(b"abc\xe9")
    with pytest.raises(DataError, match=r"not UTF-8 \(byte 3 is 0xe9\)"):
        read_text(file)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_text(tmp_path / "none")
    with pytest.raises(DataError, match="cannot be read, it is a folder"):
        read_text(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_text(tmp_path / "a\0b")


class TestPipesAndDevices:
    @pytest.mark.parametrize("data", [b"x", b"\xef\xbb\xbf[1]", b"0" * 1_000_000], ids=len)
    def test_a_pipe_is_read_to_its_end(self, data: bytes) -> None:
        with piped(data) as path:
            assert read_bytes(path) == data

    def test_a_pipe_whose_writer_takes_its_time(self, tmp_path: Path) -> None:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        # Whoever reads and writes keeps the pipe open without waiting for another end.
        writer = os.open(path, os.O_RDWR)

        def write() -> None:
            os.write(writer, b"[1]")
            os.close(writer)

        late = threading.Timer(0.1, write)
        late.start()
        assert read_bytes(path) == b"[1]"
        late.join()

    def test_a_pipe_that_nobody_writes_to(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(DataError, match="pipe: cannot be read, nobody writes to this pipe"):
            read_text(tmp_path / "pipe")

    @pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
    def test_devices(self, path: str) -> None:
        with pytest.raises(DataError, match=f"{path}: cannot be read, it is a device"):
            read_text(Path(path))


ITEMS = [("line 1", {"a": 1}), ("line 2", {"b": 2})]


@pytest.mark.parametrize(
    ("name", "text", "items"),
    [
        pytest.param("f.json", "[1, [2]]", [("item 0", 1), ("item 1", [2])], id="array"),
        pytest.param("f.json", "[]", [], id="empty array"),
        pytest.param("f.json", '{"a": 1}', [(TOP_LEVEL, {"a": 1})], id="one value"),
        pytest.param("f.json", '{"a": 1}\n{"b": 2}\n', ITEMS, id="lines by content"),
        pytest.param("f.txt", '{"a": 1}\r\n{"b": 2}', ITEMS, id="lines of Windows"),
        pytest.param("f.jsonl", '\ufeff{"a": 1}\n{"b": 2}', ITEMS, id="lines with a mark"),
        pytest.param("f.jsonl", '{"a": 1}\n', ITEMS[:1], id="one line by suffix"),
        pytest.param("f.NDJSON", '[1]\n\n  \n"x"', [("line 1", [1]), ("line 4", "x")], id="blank"),
        pytest.param("f.jsonl", "", [], id="no lines"),
        pytest.param("f.jsonl", '"a\u2028b"\n', [("line 1", "a\u2028b")], id="line separator"),
        pytest.param("f.jsonl", '"\\ud83d"\n', [("line 1", "\ufffd")], id="lone surrogate"),
    ],
)
def test_items_and_their_places(
    tmp_path: Path, name: str, text: str, items: list[tuple[str, Any]]
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    assert read_json_items(path) == items


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        pytest.param("f.jsonl", '{}\n{"a"\n', "line 2: not JSON: Expecting ':'", id="by suffix"),
        pytest.param("f.json", '{}\n\n{"a"\n', "line 3: not JSON: Expecting ':'", id="by content"),
        pytest.param("f.jsonl", "{}\n" + "[" * 200_000, "line 2: not JSON that", id="bomb"),
        pytest.param("f.jsonl", '{}\n{"a"\n', "':' delimiter at column 5, near", id="column"),
        pytest.param("f.jsonl", '{\n"a": 1\n}', "line 1: not JSON", id="not one a line"),
        pytest.param("f.json", "[\n 1\n],\n", "Extra data at line 3, column 2", id="comma behind"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_json_items(path)
    assert f"{path}: " in str(caught.value)
    assert message in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=10,
)  # fmt: skip


@given(value=JSON)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.json"
    write_atomically(path, dump_json(value))
    assert read_json(path) == value


def test_dump_is_readable_and_ends_in_a_line_break() -> None:
    assert dump_json({"a": "确定"}) == '{\n  "a": "确定"\n}\n'
    assert dump_json([1, 2], indent=None) == "[1, 2]\n"


class TestWriteAtomically:
    def test_new_and_old(self, file: Path) -> None:
        write_atomically(file, "old\n")
        write_atomically(file, "新\n")
        assert file.read_bytes() == "新\n".encode()
        assert os.listdir(file.parent) == [file.name]

    def test_text_that_cannot_be_encoded_leaves_the_old_file(self, file: Path) -> None:
        write_atomically(file, "old")
        with pytest.raises(UnicodeEncodeError):
            write_atomically(file, "x" * 100_000 + "\ud800")
        assert file.read_bytes() == b"old"
        assert os.listdir(file.parent) == [file.name]

    @pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
    def test_a_failing_disk_leaves_the_old_file(
        self, file: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
    ) -> None:
        write_atomically(file, "old")

        def fail(descriptor: int) -> None:
            raise error

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(type(error)):
            write_atomically(file, "new")
        assert file.read_bytes() == b"old"
        assert os.listdir(file.parent) == [file.name]

    def test_it_is_on_disk_before_it_takes_the_name(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[bool] = []
        monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(file.exists()))
        write_atomically(file, "new")
        assert seen == [False]

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            write_atomically(tmp_path / "none" / "f", "x")

    @pytest.mark.parametrize("there", [True, False])
    def test_a_link_keeps_leading_where_it_leads(self, tmp_path: Path, there: bool) -> None:
        target = tmp_path / "folder" / "target.json"
        target.parent.mkdir()
        if there:
            target.write_text("old", encoding="utf-8")
        (tmp_path / "second").symlink_to(target)
        (tmp_path / "first").symlink_to("second")
        write_atomically(tmp_path / "first", "new")
        assert (tmp_path / "first").is_symlink()
        assert target.read_text(encoding="utf-8") == "new"
        assert os.listdir(target.parent) == ["target.json"]

    def test_a_fifo_is_written_to(self, tmp_path: Path) -> None:
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        read: list[str] = []
        reader = threading.Thread(target=lambda: read.append(fifo.read_text(encoding="utf-8")))
        reader.start()
        write_atomically(fifo, "new")
        reader.join(10)
        assert read == ["new"]
        assert fifo.is_fifo()

    def test_a_device_stays_a_device(self) -> None:
        write_atomically(Path(os.devnull), "new")
        assert Path(os.devnull).is_char_device()

    def test_a_full_device_says_so(self) -> None:
        full = Path("/dev/full")
        if not full.is_char_device():
            pytest.skip("no /dev/full here")
        with pytest.raises(OSError, match="No space left"):
            write_atomically(full, "new")
        assert full.is_char_device()


class TestCheckWritable:
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            pytest.param("", "a folder", id="empty name"),
            pytest.param("folder", "a folder", id="a folder"),
            pytest.param("linked", "a folder", id="a link to a folder"),
            pytest.param("file/x.json", "cannot be written", id="below a file"),
            pytest.param("x" * 300, "File name too long", id="too long"),
            pytest.param("loop", "Too many levels", id="a link to itself"),
            pytest.param("a\0b", "cannot be written", id="NUL"),
        ],
    )
    def test_no_place(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("folder").mkdir()
        Path("linked").symlink_to("folder")
        Path("loop").symlink_to("loop")
        Path("file").write_text("", encoding="utf-8")
        with pytest.raises(UsageError, match=f"^--output .*{message}"):
            check_writable(Path(name))
        assert sorted(os.listdir()) == ["file", "folder", "linked", "loop"]
        assert os.listdir("folder") == []

    @pytest.mark.parametrize("name", ["new.json", "old.json", "a/b/new.json", os.devnull])
    def test_a_place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        monkeypatch.chdir(tmp_path)
        Path("old.json").write_text("old", encoding="utf-8")
        check_writable(Path(name))
        assert Path("old.json").read_text(encoding="utf-8") == "old"
        assert not Path("new.json").exists()
        write_atomically(Path(name), "new")
