"""The features of one record of a TFRecord file; what is wrong with one is named."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TypeVar

from screenmark.benchmarks.ui_components.example import ExampleError, Values, decode_example
from screenmark.benchmarks.ui_components.samples import Box
from screenmark.benchmarks.ui_components.tfrecord import read_records
from screenmark.errors import DataError

T = TypeVar("T", bytes, float, int)

_SIDES = ("xmin", "ymin", "xmax", "ymax")
_ID = re.compile(r"[\w-]{1,80}")
_POINTER = b"version https://git-lfs"


class Features:
    """One record; what is wrong with a feature is a DataError that names it."""

    def __init__(self, file: Path, where: str, payload: bytes) -> None:
        self._file, self._where = file, where
        try:
            self._features = decode_example(payload)
        except ExampleError as error:
            raise DataError(str(error), file=file, sample=where) from None

    def image_id(self, name: str) -> str:
        """The number of a screen, or a name that is safe in a path."""
        found = self.text(name)
        if not _ID.fullmatch(found):
            self.wrong(name, f"expected a number or a name, found {found[:40]!r}")
        return found

    def boxes(self, prefix: str) -> list[Box]:
        """Boxes whose sides are features below ``prefix``."""
        sides = [self._values(f"{prefix}/{side}", float) for side in _SIDES]
        for name, side in zip(_SIDES, sides, strict=True):
            if len(side) != len(sides[0]):
                self.wrong(f"{prefix}/{name}", f"expected {len(sides[0])} values, not {len(side)}")
            if not all(map(math.isfinite, side)):
                self.wrong(f"{prefix}/{name}", "a value is not finite")
        return list(zip(*sides, strict=True))

    def text(self, name: str) -> str:
        """The only text of a feature."""
        return self.texts(name, 1)[0]

    def texts(self, name: str, count: int) -> list[str]:
        """The texts of a feature, ``count`` of them."""
        values = self._values(name, bytes)
        if len(values) != count:
            self.wrong(name, f"expected {count} values, found {len(values)}")
        try:
            return [value.decode("utf-8") for value in values]
        except UnicodeDecodeError:
            self.wrong(name, "a text is not UTF-8")

    def index(self, name: str, count: int) -> int:
        """The only number of a feature, a position among ``count`` candidates."""
        values = self._values(name, int)
        if len(values) != 1:
            self.wrong(name, f"expected one value, found {len(values)}")
        if not 0 <= values[0] < count:
            known = f"0 to {count - 1}" if count else "a candidate, of which there are none"
            self.wrong(name, f"{values[0]} is out of range: expected {known}")
        return values[0]

    def _values(self, name: str, kind: type[T]) -> list[T]:
        values: Values | None = self._features.get(name)
        if values is None:
            self.wrong(name, "missing")
        found = [value for value in values if isinstance(value, kind)]
        if len(found) != len(values):
            said = type(values[0]).__name__
            self.wrong(name, f"expected values of the type {kind.__name__}, found {said}")
        return found

    def wrong(self, field: str, problem: str) -> NoReturn:
        """Raise the DataError of a feature."""
        raise DataError(problem, file=self._file, sample=self._where, field=field)


def features_of(file: Path, data: bytes) -> Iterator[Features | DataError]:
    """The records of a file in order, or what is wrong with each.

    Raises:
        DataError: the file is only a pointer to where its content lies.
    """
    if data.startswith(_POINTER):
        raise DataError("a pointer of Git LFS and not the file itself; fetch that", file=file)
    for framed in read_records(data):
        where = f"record {framed.position}"
        if framed.payload is None:
            yield DataError(framed.problem or "", file=file, sample=where)
            continue
        try:
            yield Features(file, where, framed.payload)
        except DataError as error:
            yield error
