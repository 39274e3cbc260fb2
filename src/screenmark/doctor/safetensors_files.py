"""Whether files of weights are whole, by their headers alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from screenmark.errors import DataError
from screenmark.jsonfile import read_json

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]
"""Shapes of tensors by their names."""

_LENGTH = 8
_LONGEST_HEADER = 100_000_000
"""The format's own limit in bytes."""
_LFS = b"version https://git-lfs"


class Weights(NamedTuple):
    """What the headers say.

    Attributes:
        shapes: of all tensors.
        files: number of files.
        size: bytes of all files.
    """

    shapes: Shapes
    files: int
    size: int


def check_weights(path: Path) -> Weights:
    """Look at a file of weights, or at all that an index names.

    Args:
        path: a ``.safetensors`` file or a ``.safetensors.index.json``.

    Raises:
        DataError: a file is missing, cut off or of another form, or lacks a tensor.
    """
    if not path.is_file():
        raise DataError("no such file", file=path)
    if path.suffix != ".json":
        return Weights(_header(path), 1, path.stat().st_size)
    index = read_json(path)
    places = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(places, dict) or not all(isinstance(f, str) for f in places.values()):
        raise DataError("expected an object with weight_map: {tensor: file}", file=path)
    names = sorted(set(places.values()))
    if any(Path(name).name != name for name in names):
        raise DataError("weight_map names a file in another folder", file=path)
    missing = [name for name in names if not (path.parent / name).is_file()]
    if missing:
        listed = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise DataError(f"{len(missing)} of {len(names)} files are missing: {listed}", file=path)
    shapes: dict[str, tuple[int, ...]] = {}
    size = 0
    for name in names:
        header = _header(path.parent / name)
        lacking = [t for t, file in places.items() if file == name and t not in header]
        if lacking:
            raise DataError(f"the index has {lacking[0]} in {name}, which lacks it", file=path)
        shapes |= header
        size += (path.parent / name).stat().st_size
    return Weights(shapes, len(names), size)


def _header(path: Path) -> dict[str, tuple[int, ...]]:
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(max(_LENGTH, len(_LFS)))
        if start.startswith(_LFS):
            raise DataError("a pointer of Git LFS and not the file itself: git lfs pull", file=path)
        length = int.from_bytes(start[:_LENGTH], "little")
        if size < _LENGTH or length > _LONGEST_HEADER:
            raise DataError("not a safetensors file", file=path)
        file.seek(_LENGTH)
        text = file.read(length)
    if len(text) < length:
        raise DataError(f"cut off in its header, at {size:,} bytes", file=path)
    try:
        tensors: Any = json.loads(text)
        own = {name: t for name, t in tensors.items() if name != "__metadata__"}
        ends = [int(t["data_offsets"][1]) for t in own.values()]
        shapes = {name: tuple(map(int, t["shape"])) for name, t in own.items()}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise DataError("not a safetensors file: its header cannot be read", file=path) from None
    whole = _LENGTH + length + max(ends, default=0)
    if size != whole:
        what = "cut off" if size < whole else "too long"
        raise DataError(f"{what}: {size:,} bytes, its header says {whole:,}", file=path)
    return shapes
