"""The rows of a CSV file; quotes that would swallow rows are errors."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from screenmark.benchmarks.map_judging.csv_text import csv_text
from screenmark.errors import DataError

_LARGEST_CELL = 64 << 20
"""Characters; Python's own limit is 131,072, and a whole file has less than this."""


class CsvRow(NamedTuple):
    """The cells of a row, and the last line that it reaches over, counted from 1."""

    line: int
    cells: list[str]


class CsvRows(NamedTuple):
    """All rows of a file, and what stands between their cells."""

    rows: list[CsvRow]
    separator: str


def csv_rows(path: Path, data: bytes) -> CsvRows:
    """Read a CSV file.

    Raises:
        DataError: it is no text, or a quote is not closed, or not where its cell ends.
    """
    text, separator = csv_text(path, data)
    limit = csv.field_size_limit(_LARGEST_CELL)
    try:
        return CsvRows(list(_read(path, text, separator)), separator)
    finally:
        csv.field_size_limit(limit)


def _read(path: Path, text: str, separator: str) -> Iterator[CsvRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    ended = 0
    try:
        for cells in reader:
            ended = reader.line_num
            yield CsvRow(ended, cells)
    except csv.Error as error:
        lines = io.StringIO(text, newline="").readlines()
        if "unexpected end" in str(error):
            begun = _open_quote(lines[ended:], separator) + ended
            problem = "a quote begins here and is not closed up to the end of the file"
            raise DataError(problem, file=path, sample=f"line {begun}") from None
        place = f"line {ended + 1}"
        if reader.line_num > ended + 1:
            place = f"lines {ended + 1} to {reader.line_num}"
        problem = (
            "a quoted cell goes on behind its closing quote; "
            "quotes within a cell are written twice, and one before it is closed"
        )
        raise DataError(problem, file=path, sample=place) from None


def _open_quote(lines: list[str], separator: str) -> int:
    """In which of these lines, counted from 1, the quote begins that they leave open."""
    (*_, row) = csv.reader(lines, delimiter=separator)
    return len(lines) - len(io.StringIO(row[-1], newline="").readlines()) + 1
