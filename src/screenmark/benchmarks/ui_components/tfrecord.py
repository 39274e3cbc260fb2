"""TFRecord files: a length, its checksum, a payload, its checksum, again and again.

Checksums are CRC-32C (Castagnoli), masked as TensorFlow does: rotated by 15 bits and moved by a
constant, so that the checksum of data that holds checksums is not a special one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

_POLYNOMIAL: Final = 0x82F63B78  # Castagnoli's, bits reversed
_MASK: Final = 0xA282EAD8
_LENGTH: Final = struct.Struct("<QI")
_CHECKSUM: Final = struct.Struct("<I")


class Framed(NamedTuple):
    """One record of a file.

    Attributes:
        position: 0 for the first record.
        payload: its bytes; None if they cannot be trusted.
        problem: why not, or None.
    """

    position: int
    payload: bytes | None
    problem: str | None = None


def read_records(data: bytes) -> Iterator[Framed]:
    """The records of a file in order.

    A payload with a wrong checksum spoils that record only. With a wrong length nobody knows
    where the next record begins: it is the last one that is reported.
    """
    start, position = 0, 0
    while start < len(data):
        if len(data) - start < _LENGTH.size:
            yield Framed(position, None, "the file ends in the middle of a record's length")
            return
        length, checksum = _LENGTH.unpack_from(data, start)
        if masked_crc32c(data[start : start + 8]) != checksum:
            problem = "the checksum (CRC-32C) of its length is wrong; nothing after it is read"
            yield Framed(position, None, problem)
            return
        start += _LENGTH.size
        end = start + length
        if end + _CHECKSUM.size > len(data):
            yield Framed(position, None, f"the file ends before the {length} bytes of its payload")
            return
        payload = data[start:end]
        (checksum,) = _CHECKSUM.unpack_from(data, end)
        if masked_crc32c(payload) == checksum:
            yield Framed(position, payload)
        else:
            yield Framed(position, None, "the checksum (CRC-32C) of its payload is wrong")
        start = end + _CHECKSUM.size
        position += 1


def starts_as_tfrecord(data: bytes) -> bool:
    """Whether a file begins with the length of a record and its checksum."""
    if len(data) < _LENGTH.size:
        return False
    return bool(_LENGTH.unpack_from(data)[1] == masked_crc32c(data[:8]))


def masked_crc32c(data: bytes) -> int:
    """The checksum as TFRecord files hold it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """CRC-32C of some bytes (RFC 3720, appendix B.4)."""
    table, crc = _TABLE, 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _row(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_TABLE: Final = tuple(_row(value) for value in range(256))
