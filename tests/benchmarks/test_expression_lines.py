"""RefExp as JSON Lines: the same samples as from TFRecords, and what is wrong with a line."""

from __future__ import annotations

import codecs
import gzip
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks.ui_components.dataset import load_expressions
from screenmark.benchmarks.ui_components.expression_lines import is_json_lines
from screenmark.errors import DataError
from tests.support.tfrecords import LEAVES, SIDES, features, file_of, framed


def line(**changes: Any) -> dict[str, Any]:
    """The record of `features` as its JSON object."""
    record = features()
    names = ("class/name", "text", "description", "id/name")
    leaves = zip(
        boxes(record, f"{LEAVES}/bbox"),
        *([v.decode() for v in record[f"{LEAVES}/{name}"]] for name in names),
        strict=True,
    )
    keys = ("bbox", "class_name", "text", "description", "resource_id")
    return {
        "record_index": 0,
        "image_id": "42",
        "expression": "click on sign in",
        "label": 1,
        "objects": boxes(record, "image/object/bbox"),
        "vh": [dict(zip(keys, leaf, strict=True)) for leaf in leaves],
    } | changes


def boxes(record: Any, prefix: str) -> list[list[float]]:
    return [list(box) for box in zip(*(record[f"{prefix}/{s}"] for s in SIDES), strict=True)]


def write(path: Path, *lines: dict[str, Any]) -> Path:
    text = "\n".join(map(json.dumps, lines)).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x"])
def test_the_same_samples_as_from_tfrecords(tmp_path: Path, name: str) -> None:
    file = tmp_path / "x.tfrecord"
    file.write_bytes(file_of([features(), features(image__ref_exp__text=[b"the button"])]))
    lines = write(tmp_path / name, line(), line(expression=" the button "))
    expected = load_expressions(file, None, "released").samples
    assert load_expressions(lines, None, "released").samples == expected
    assert [sample.id for sample in expected] == ["42", "42.1"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"label": 3}, r"label: a number 3 is out of range: expected 0 to 2", id="far"),
        pytest.param({"label": True}, "label: a boolean True is out", id="no number"),
        pytest.param({"expression": " "}, "expression: expected a text", id="no words"),
        pytest.param({"image_id": "../x"}, "image_id: expected a number or a name", id="path"),
        pytest.param({"objects": None}, "objects: expected a list of boxes", id="no boxes"),
        pytest.param({"objects": [[0, 1, 2]]}, r"objects\[0\]: expected four numbers", id="three"),
        pytest.param({"vh": [{"bbox": [0, 0, 1, "x"]}]}, r"vh\[0\]\.bbox: expected", id="bbox"),
        pytest.param({"vh": [3]}, r"vh\[0\]: expected an object", id="leaf"),
        pytest.param({"expression": "x \ud800"}, r"expression: holds \\ud800, half", id="half"),
        pytest.param(
            {"vh": [{"bbox": [0, 0, 1, 1], "text": "\udc00"}]},
            r"vh\[0\]\.text: holds \\udc00, half",
            id="half in vh",
        ),
        pytest.param(
            {"objects": [[0, 0, 1, 1], [0.9, 0, 0.1, 1]]},
            r"objects\[1\]: expected xmin < xmax and .*, found 0\.9, 0, 0\.1, 1",
            id="reversed",
        ),
        pytest.param({"objects": [[0, 0, 0, 1]] * 2}, r"objects\[0\]: expected xmin", id="no area"),
        pytest.param({"objects": [[-0.1, 0, 1, 1]] * 2}, r"objects\[0\]: expected", id="left of"),
        pytest.param({"objects": [[0, 0, 108, 192]] * 2}, "objects.*from 0 to 1", id="pixels"),
        pytest.param({"vh": [{"text": 3}]}, r"vh\[0\]: expected texts", id="text"),
    ],
)
def test_a_bad_line_is_left_out_by_name(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    file = write(tmp_path / "x.jsonl", line(**changes), line())
    dataset = load_expressions(file, None, "released")
    assert len(dataset.samples) == 1
    (problem,) = dataset.problems
    with pytest.raises(DataError, match=f"line 1: {said}"):
        raise problem


def test_a_line_that_is_no_json(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"image_id": \n\n' + json.dumps(line()), encoding="utf-8")
    dataset = load_expressions(file, None, "released")
    assert [len(dataset.samples), str(dataset.problems[0]).count("line 1: not JSON")] == [1, 1]


def test_damaged_gzip(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(gzip.compress(b"{}" * 50)[:-9])
    with pytest.raises(DataError, match="damaged gzip data"):
        load_expressions(file, None, "released")


def test_a_tfrecord_whose_first_length_looks_like_something_else() -> None:
    as_gzip = struct.unpack("<Q", b"\x1f\x8b\x08\x00\x00\x00\x00\x00")[0]
    assert not is_json_lines(framed(bytes(as_gzip)))
    assert is_json_lines(b'{"image_id": 1}')
    assert not is_json_lines(b"")


def test_a_pointer_of_git_lfs(tmp_path: Path) -> None:
    file = tmp_path / "test.tfrecord"
    file.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(DataError, match="pointer of Git LFS"):
        load_expressions(file, None, "released")


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x"])
def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name, line(), line())
    data = file.read_bytes()
    marked = codecs.BOM_UTF8 + (gzip.decompress(data) if name.endswith(".gz") else data)
    file.write_bytes(gzip.compress(marked, mtime=0) if name.endswith(".gz") else marked)
    dataset = load_expressions(file, None, "released")
    assert [len(dataset.samples), dataset.problems] == [2, []]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["x.jsonl", "x.JSONL.GZ"])
def test_another_encoding_is_named(tmp_path: Path, encoding: str, name: str) -> None:
    file = tmp_path / name
    data = json.dumps(line()).encode(encoding)
    file.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".GZ") else data)
    wide = encoding.upper()[:6]
    with pytest.raises(DataError, match=f"not UTF-8; it (looks like|may be) {wide}: convert"):
        load_expressions(file, None, "released")


def test_bytes_of_another_encoding_spoil_their_line_only(tmp_path: Path) -> None:
    file = write(tmp_path / "x.jsonl", line(), line())
    file.write_bytes(b'{"expression": "caf\xe9"}\n' + file.read_bytes())
    dataset = load_expressions(file, None, "released")
    assert len(dataset.samples) == 2
    assert str(dataset.problems[0]).endswith("line 1: not UTF-8 (byte 19 is 0xe9)")
