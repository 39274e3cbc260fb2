"""TFRecord files of the kind that RefExp is, written the long way round."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from screenmark.benchmarks.ui_components.tfrecord import masked_crc32c

LEAVES = "image/view_hierarchy"
SIDES = ("xmin", "ymin", "xmax", "ymax")


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def feature(values: Sequence[Any]) -> bytes:
    if values and isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values))
    if values and isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def example(features: Mapping[str, Sequence[Any]]) -> bytes:
    entries = (
        field(1, name.encode("utf-8")) + field(2, feature(values))
        for name, values in features.items()
    )
    return field(1, b"".join(field(1, entry) for entry in entries))


def framed(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    sums = (struct.pack("<I", masked_crc32c(part)) for part in (length, payload))
    return length + next(sums) + payload + next(sums)


def features(**changes: Any) -> dict[str, Sequence[Any]]:
    """One record: three candidates, of which the second is the leaf "Sign in"."""
    boxes = [(0.0, 0.0, 0.1, 0.03), (0.1, 0.5, 0.9, 0.6), (0.2, 0.8, 0.3, 0.9)]
    leaves = [(0.1, 0.5, 0.9, 0.6), (0.0, 0.0, 1.0, 0.4)]
    found: dict[str, Sequence[Any]] = {
        "image/id": [b"42"],
        "image/ref_exp/text": [b"click on sign in"],
        "image/ref_exp/label": [1],
        f"{LEAVES}/class/name": [b"BUTTON", b"TEXT_VIEW"],
        f"{LEAVES}/text": [b"Sign in", b"Welcome"],
        f"{LEAVES}/description": [b"", b""],
        f"{LEAVES}/id/name": [b"btnSignIn", b""],
    }
    for n, side in enumerate(SIDES):
        found[f"image/object/bbox/{side}"] = [box[n] for box in boxes]
        found[f"{LEAVES}/bbox/{side}"] = [leaf[n] for leaf in leaves]
    for name, value in changes.items():
        key = name.replace("__", "/")
        if value is None:
            del found[key]
        else:
            found[key] = value
    return found


def file_of(records: Iterable[Mapping[str, Sequence[Any]]]) -> bytes:
    return b"".join(framed(example(record)) for record in records)
