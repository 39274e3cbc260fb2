"""TFRecord framing, its checksums, and the protocol buffer inside."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.benchmarks.ui_components.example import ExampleError, decode_example
from screenmark.benchmarks.ui_components.tfrecord import crc32c, read_records
from tests.support.tfrecords import example, field, framed, varint

TWO = framed(b"first") + framed(b"second")


@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        # RFC 3720, appendix B.4, and the usual check word.
        pytest.param(b"", 0, id="nothing"),
        pytest.param(b"123456789", 0xE3069283, id="check"),
        pytest.param(bytes(32), 0x8A9136AA, id="zeros"),
        pytest.param(b"\xff" * 32, 0x62A8AB43, id="ones"),
        pytest.param(bytes(range(32)), 0x46DD794E, id="ascending"),
    ],
)
def test_crc32c(data: bytes, checksum: int) -> None:
    assert crc32c(data) == checksum


@given(st.lists(st.binary(max_size=50), max_size=5))
def test_records_come_back(payloads: list[bytes]) -> None:
    found = list(read_records(b"".join(map(framed, payloads))))
    assert [record.payload for record in found] == payloads
    assert [record.position for record in found] == list(range(len(payloads)))


def changed(position: int) -> bytes:
    return TWO[:position] + bytes([TWO[position] ^ 1]) + TWO[position + 1 :]


@pytest.mark.parametrize(
    ("data", "payloads", "said"),
    [
        pytest.param(changed(13), [None, b"second"], "CRC-32C) of its payload", id="payload"),
        pytest.param(changed(18), [None, b"second"], "CRC-32C) of its payload", id="checksum"),
        pytest.param(changed(0), [None], "CRC-32C) of its length", id="length"),
        pytest.param(changed(9), [None], "CRC-32C) of its length", id="checksum of length"),
        pytest.param(TWO[:-1], [b"first", None], "before the 6 bytes", id="cut in a payload"),
        pytest.param(TWO[:25], [b"first", None], "record's length", id="cut in a length"),
        pytest.param(b"<html>not a record", [None], "of its length", id="another format"),
    ],
)
def test_damage_is_named(data: bytes, payloads: list[bytes | None], said: str) -> None:
    found = list(read_records(data))
    assert [record.payload for record in found] == payloads
    (problem,) = [record.problem for record in found if record.problem]
    assert said in problem


def test_length_that_no_file_has_is_not_allocated() -> None:
    from screenmark.benchmarks.ui_components.tfrecord import masked_crc32c

    length = struct.pack("<Q", 1 << 62)
    (found,) = read_records(length + struct.pack("<I", masked_crc32c(length)) + b"x")
    assert found.payload is None


def test_example_with_every_kind() -> None:
    said: dict[str, Any] = {"a": [b"x", b""], "b": [0.5, -2.0], "c": [3, -1, 1 << 40], "d": []}
    assert decode_example(example(said)) == said


def test_numbers_that_are_not_packed() -> None:
    floats = field(2, b"\x0d" + struct.pack("<f", 0.5))
    integers = field(3, b"\x08" + varint(-5))
    entries = [field(1, b"f") + field(2, floats), field(1, b"i") + field(2, integers)]
    data = field(1, b"".join(field(1, entry) for entry in entries))
    assert decode_example(data) == {"f": [0.5], "i": [-5]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"\x0a\x05ab", "beyond its message", id="short"),
        pytest.param(b"\x0b", "wire type 3", id="group"),
        pytest.param(b"\xff" * 11, "more than 64 bits", id="endless number"),
        pytest.param(b"\x80", "middle of a number", id="cut number"),
        pytest.param(
            field(1, field(1, field(1, b"\xff\xfe"))), "not UTF-8", id="name of a feature"
        ),
        pytest.param(
            field(1, field(1, field(2, field(2, field(1, b"abc"))))), "middle of one", id="float"
        ),
    ],
)
def test_what_is_no_example(data: bytes, said: str) -> None:
    with pytest.raises(ExampleError, match=said):
        decode_example(data)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        decode_example(data)
    except ExampleError:
        return
