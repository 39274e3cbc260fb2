"""Rows as an Excel workbook, written row by row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from screenmark.errors import DataError
from screenmark.reports.export import Rows, as_text, find_columns, missing
from screenmark.types import Json

SHEET_ROWS = 1_048_576
SHEET_COLUMNS = 16_384
CELL_CHARACTERS = 32_767
"""Excel's limits; characters are UTF-16 units, of which an emoji has two."""

CUT = "… [cut]"
"""What a cell ends with that was too long."""

_DIGITS = 15
"""A number with more digits would be rounded."""

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def write_xlsx(rows: Rows, path: Path, title: str) -> list[str]:
    """Write rows to sheets ``title``, ``title 2``…; text is text, whatever it looks like.

    Returns:
        A warning if cells had to be cut.

    Raises:
        MissingExtra: openpyxl is not installed.
        DataError: there are no rows, or more columns than a sheet can have.
        OSError: the file cannot be written.
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise missing("xlsx") from None
    columns = list(find_columns(rows))
    if len(columns) > SHEET_COLUMNS:
        problem = f"{len(columns)} columns, and a sheet has {SHEET_COLUMNS}; export to parquet"
        raise DataError(problem, file=rows.source)
    book = Workbook(write_only=True)
    sheet = _Sheet(book, title, columns)
    for row in rows.each():
        sheet.append([row.get(name) for name in columns])
    book.save(path)
    if not sheet.cut:
        return []
    return [
        f"{sheet.cut} cells were longer than the {CELL_CHARACTERS:,} characters that a cell of "
        f"a workbook can hold: they end in {CUT!r}; parquet, csv and json hold them whole"
    ]


class _Sheet:
    """The sheet that is being filled; a full one is followed by another.

    Attributes:
        cut: number of cells that were too long.
    """

    def __init__(self, book: Any, title: str, columns: list[str]) -> None:
        self.cut = 0
        self._book = book
        self._title = title
        self._columns = columns
        self._start(title)

    def append(self, values: list[Json]) -> None:
        if self._used >= SHEET_ROWS:
            self._start(f"{self._title} {len(self._book.worksheets) + 1}")
        self._sheet.append([self._cell(value) for value in values])
        self._used += 1

    def _start(self, title: str) -> None:
        self._sheet = self._book.create_sheet(title)
        self._sheet.freeze_panes = "A2"
        self._sheet.append([self._cell(name) for name in self._columns])
        self._used = 1

    def _cell(self, value: Json) -> Any:
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int) and abs(value) < 10**_DIGITS:
            return value
        return self._text(as_text(value))

    def _text(self, text: str) -> Any:
        from openpyxl.cell import WriteOnlyCell

        text, cut = fit(_NOT_XML.sub(_escape, text))
        self.cut += cut
        cell = WriteOnlyCell(self._sheet, text)
        cell.data_type = "s"  # not "f", which a leading = makes of it, nor "e"
        return cell


def fit(text: str) -> tuple[str, bool]:
    """Text that a cell can hold, and whether something had to be cut off."""
    if 2 * len(text) <= CELL_CHARACTERS:
        return text, False
    units = text.encode("utf-16-le")
    if len(units) <= 2 * CELL_CHARACTERS:
        return text, False
    kept = units[: 2 * (CELL_CHARACTERS - len(CUT))].decode("utf-16-le", "ignore")
    return kept + CUT, True


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
