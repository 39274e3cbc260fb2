"""The protocol buffer in a TFRecord: a ``tf.train.Example``, and nothing more of the format.

Example      { Features features = 1; }
Features     { map<string, Feature> feature = 1; }
Feature      { oneof { BytesList = 1; FloatList = 2; Int64List = 3; } }
each list    { repeated value = 1; }, numbers packed or one by one
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, TypeAlias

Values: TypeAlias = list[bytes] | list[float] | list[int]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_BYTES_LIST, _FLOAT_LIST, _INT64_LIST = 1, 2, 3
_LONGEST_VARINT: Final = 10


class ExampleError(ValueError):
    """Bytes that are not a ``tf.train.Example``."""


def decode_example(data: bytes) -> dict[str, Values]:
    """Feature name to values: bytes, floats (of 32 bits) or integers (of 64 bits, signed).

    Raises:
        ExampleError: the bytes end early, or are of another shape.
    """
    features: dict[str, Values] = {}
    for message in _inside(data, 1):
        for entry in _inside(message, 1):
            name, values = _entry(entry)
            features[name] = values
    return features


def _entry(data: bytes) -> tuple[str, Values]:
    name, feature = "", b""
    for field, kind, value in _fields(data):
        if not isinstance(value, bytes) or kind != _BYTES:
            continue
        if field == 1:
            try:
                name = value.decode("utf-8")
            except UnicodeDecodeError:
                raise ExampleError("the name of a feature is not UTF-8") from None
        elif field == 2:
            feature = value
    return name, _feature(feature)


def _feature(data: bytes) -> Values:
    values: Values = []
    for field, kind, value in _fields(data):
        if kind != _BYTES or not isinstance(value, bytes):
            continue
        if field == _BYTES_LIST:
            values = list(_inside(value, 1))
        elif field == _FLOAT_LIST:
            values = [number for part in _inside_any(value) for number in _floats(part)]
        elif field == _INT64_LIST:
            values = [number for part in _inside_any(value) for number in _integers(part)]
    return values


def _floats(part: bytes | int) -> tuple[float, ...]:
    if isinstance(part, int):
        raise ExampleError("a list of floats holds an integer")
    if len(part) % 4:
        raise ExampleError("a list of floats ends in the middle of one")
    return struct.unpack(f"<{len(part) // 4}f", part)


def _integers(part: bytes | int) -> Iterator[int]:
    if isinstance(part, int):
        yield _signed(part)
        return
    position = 0
    while position < len(part):
        value, position = _varint(part, position)
        yield _signed(value)


def _signed(value: int) -> int:
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


def _inside(data: bytes, wanted: int) -> Iterator[bytes]:
    for field, kind, value in _fields(data):
        if field == wanted and kind == _BYTES and isinstance(value, bytes):
            yield value


def _inside_any(data: bytes) -> Iterator[bytes | int]:
    for field, _, value in _fields(data):
        if field == 1:
            yield value


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes | int]]:
    """Number, wire type and content of every field of a message."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        field, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            number, position = _varint(data, position)
            yield field, kind, number
            continue
        if kind == _BYTES:
            length, position = _varint(data, position)
        elif kind in {_FIXED32, _FIXED64}:
            length = 4 if kind == _FIXED32 else 8
        else:
            raise ExampleError(f"a field of the unknown wire type {kind}")
        if length > len(data) - position:
            raise ExampleError("a field ends beyond its message")
        yield field, kind, data[position : position + length]
        position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(_LONGEST_VARINT):
        if position >= len(data):
            raise ExampleError("the data end in the middle of a number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, position
    raise ExampleError("a number of more than 64 bits")
