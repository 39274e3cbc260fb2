"""The cells of an Excel workbook, and what is the matter with a file that is none."""

from __future__ import annotations

import io
import re
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from screenmark.errors import DataError, MissingExtra

if TYPE_CHECKING:
    from openpyxl import Workbook

_LARGEST_UNPACKED = 200 << 20
_MOST_CELLS = 5_000_000
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_FORMULA: Final = re.compile(rb"<f[\s/>]")
_RESULT: Final = re.compile(
    rb"""(?:</f>|<f\b[^>]*/>)\s*<v[^>]*>[^<]|<c\b[^>]*\bt="str"[^>]*>\s*<f"""
)
"""A result behind a formula, or that it is text; an empty text is a result too."""


class Uncomputed(NamedTuple):
    """A cell with a formula whose result the file does not hold."""

    formula: str


def read_workbook(path: Path, data: bytes) -> list[tuple[str, list[list[Any]]]]:
    """Every sheet's name and cells; cells that are merged all have the value of the first.

    Formulas are their results; where no program ever computed them, an `Uncomputed` each.

    Raises:
        MissingExtra: openpyxl is not installed.
        DataError: it is no workbook, or too large a one.
    """
    if find_spec("openpyxl") is None:
        raise MissingExtra("task sheets in .xlsx", "gis")
    computed = _look_inside(path, data)
    book = _load(path, data, results=True)
    sheets = []
    for sheet in book.worksheets:
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            size = f"{sheet.max_row:,} rows x {sheet.max_column:,} columns"
            raise DataError(f"sheet {sheet.title!r} reaches over {size}", file=path)
        sheets.append((sheet.title, [list(row) for row in sheet.iter_rows(values_only=True)]))
    if not computed:
        _mark_formulas(_load(path, data, results=False), sheets)
    for sheet, (_, cells) in zip(book.worksheets, sheets, strict=True):
        for span in sheet.merged_cells.ranges:
            _fill(cells, (span.min_row, span.min_col, span.max_row, span.max_col))
    return sheets


def not_a_workbook(data: bytes) -> str | None:
    """What a file is that is no .xlsx, and what to do about it; None if it may be one."""
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            return "is protected by a password; save it without one"
        return "is an old .xls, or another file of old Office; save it as .xlsx"
    if not data:
        return "is empty"
    if not data.startswith(b"PK"):
        return "is no workbook (.xlsx); of a CSV the name ends in .csv"
    return None


def _look_inside(path: Path, data: bytes) -> bool:
    """Whether the results of the formulas are there, or there are no formulas."""
    problem = not_a_workbook(data)
    if problem is not None:
        raise DataError(f"cannot be read as a workbook: it {problem}", file=path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
            if unpacked > _LARGEST_UNPACKED:
                problem = f"{unpacked:,} bytes once unpacked, more than a task sheet may have"
            elif "[Content_Types].xml" not in packed.namelist():
                problem = "cannot be read as a workbook: it is a ZIP archive of something else"
            else:
                return _has_results(packed)
    except zipfile.BadZipFile:
        problem = "cannot be read as a workbook: it is cut off or damaged; copy it again"
    except Exception as error:
        problem = f"cannot be read as a workbook ({error})"
    raise DataError(problem, file=path)


def _has_results(packed: zipfile.ZipFile) -> bool:
    """All or nothing: a program that computes writes all results, one that does not drops all."""
    formulas = False
    for name in packed.namelist():
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            text = packed.read(name)
            if _RESULT.search(text):
                return True
            formulas = formulas or _FORMULA.search(text) is not None
    return not formulas


def _load(path: Path, data: bytes, *, results: bool) -> Workbook:
    from openpyxl import load_workbook

    try:
        return load_workbook(io.BytesIO(data), data_only=results)
    except Exception as error:  # of its XML, of anything that a cell holds
        raise DataError(f"cannot be read as a workbook ({error})", file=path) from None


def _mark_formulas(book: Workbook, sheets: list[tuple[str, list[list[Any]]]]) -> None:
    for sheet, (_, cells) in zip(book.worksheets, sheets, strict=True):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    formula = str(getattr(cell.value, "text", cell.value))
                    cells[cell.row - 1][cell.column - 1] = Uncomputed(formula)


def _fill(cells: list[list[Any]], span: tuple[int, int, int, int]) -> None:
    top, left, bottom, right = span
    for row in cells[top - 1 : bottom]:
        row[left - 1 : right] = [cells[top - 1][left - 1]] * (right - left + 1)
