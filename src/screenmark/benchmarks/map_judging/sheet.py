"""The task sheet: a workbook, CSV or JSON file with one row a task.

Columns are known by their headings, Korean or English, in any order; others are left alone. In a
workbook the first sheet counts that has a row with headings of a number and of a prompt.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

from screenmark.benchmarks.map_judging.csv_text import csv_text
from screenmark.benchmarks.map_judging.headings import EMPTY, EXPECTATIONS, Columns, columns_of
from screenmark.benchmarks.map_judging.levels import LEVELS, level_of, number_of
from screenmark.benchmarks.map_judging.map_checks.expectations import (
    expectations_of,
    loads_once,
)
from screenmark.benchmarks.map_judging.samples import Task
from screenmark.errors import DataError, MissingExtra
from screenmark.jsonfile import read_bytes, read_json_items

_LARGEST = 50 << 20
_LARGEST_UNPACKED = 200 << 20
_MOST_CELLS = 5_000_000
_HEADING_ROWS = 30
_MOST_NAMED = 10
_LANGUAGES = {"ko": "ko", "kr": "ko", "korean": "ko", "한국어": "ko", "국문": "ko", "한글": "ko"}


class Sheet(NamedTuple):
    """The tasks of a sheet in its order, what was wrong with single rows, and what is odd."""

    tasks: list[Task]
    problems: list[DataError]
    data: bytes
    warnings: list[str]


class _Row(NamedTuple):
    """A row by fields, and headings of columns of it that are passed over."""

    where: str
    cells: Mapping[str, Any]
    passed_over: Sequence[tuple[str, str]] = ()


def read_sheet(path: Path) -> Sheet:
    """Read a task sheet.

    Raises:
        MissingExtra: it is a workbook, and openpyxl is not installed.
        DataError: it cannot be read, has no headings of a number and of a prompt, or two columns
            that mean the same field say different things.
    """
    data = read_bytes(path)
    if len(data) > _LARGEST:
        raise DataError(f"{len(data):,} bytes, more than a task sheet may have", file=path)
    tasks: dict[int, Task] = {}
    problems = []
    levels: dict[str, list[str]] = {}
    passed_over: dict[tuple[str, str], None] = {}
    for row in _rows(path, data):
        passed_over |= dict.fromkeys(row.passed_over)
        try:
            task = _task(path, row)
            if task.number in tasks:
                _wrong(path, row, "number", f"a second task with the number {task.number}")
        except DataError as error:
            problems.append(error)
        else:
            tasks[task.number] = task
            if task.level and task.level not in LEVELS:
                levels.setdefault(task.level, []).append(row.where)
    if not tasks and not problems:
        raise DataError("there is no task in it", file=path)
    warnings = [*_about_columns(path, passed_over), *_about_levels(path, levels)]
    return Sheet(list(tasks.values()), problems, data, warnings)


def _about_columns(path: Path, passed_over: Iterable[tuple[str, str]]) -> Iterator[str]:
    for heading, chosen in passed_over:
        yield f"{path}: column {heading!r} is not read, since {chosen!r} is; they differ"


def _about_levels(path: Path, levels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for level, rows in levels.items():
        more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
        yield (
            f"{path}: {', '.join(rows[:_MOST_NAMED])}{more}: level: expected one of "
            f"{', '.join(LEVELS)}, found {level[:60]!r}, which is kept"
        )


def _rows(path: Path, data: bytes) -> Iterator[_Row]:
    kind = path.suffix.lower()
    if kind in {".xlsx", ".xlsm"}:
        yield from _below_headings(path, _workbook(path, data))
    elif kind in {".csv", ".tsv", ".txt"}:
        yield from _below_headings(path, [("", _csv(path, data))])
    elif kind in {".json", ".jsonl", ".ndjson"}:
        yield from _objects(path, data)
    else:
        raise DataError("expected a task sheet as .xlsx, .csv, .tsv, .json or .jsonl", file=path)


def _workbook(path: Path, data: bytes) -> list[tuple[str, list[list[Any]]]]:
    """Every sheet's name and cells; cells that are merged all have the value of the first."""
    if find_spec("openpyxl") is None:
        raise MissingExtra("task sheets in .xlsx", "gis")
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
    except Exception as error:
        raise DataError(f"cannot be read as a workbook ({error})", file=path) from None
    if unpacked > _LARGEST_UNPACKED:
        problem = f"{unpacked:,} bytes once unpacked, more than a task sheet may have"
        raise DataError(problem, file=path)
    try:
        book = load_workbook(io.BytesIO(data), data_only=True)
    except Exception as error:  # of the zip file, of its XML, of anything that a cell holds
        raise DataError(f"cannot be read as a workbook ({error})", file=path) from None
    sheets = []
    for sheet in book.worksheets:
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            size = f"{sheet.max_row:,} rows x {sheet.max_column:,} columns"
            raise DataError(f"sheet {sheet.title!r} reaches over {size}", file=path)
        cells = [list(row) for row in sheet.iter_rows(values_only=True)]
        for span in sheet.merged_cells.ranges:
            for row in cells[span.min_row - 1 : span.max_row]:
                row[span.min_col - 1 : span.max_col] = [
                    sheet.cell(span.min_row, span.min_col).value
                ] * (span.max_col - span.min_col + 1)
        sheets.append((f"sheet {sheet.title!r}, ", cells))
    return sheets


def _csv(path: Path, data: bytes) -> list[list[Any]]:
    text, separator = csv_text(path, data)
    try:
        return [list(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)]
    except csv.Error as error:
        raise DataError(f"cannot be read as CSV ({error})", file=path) from None


def _below_headings(path: Path, sheets: Sequence[tuple[str, list[list[Any]]]]) -> Iterator[_Row]:
    for name, cells in sheets:
        for number, row in enumerate(cells[:_HEADING_ROWS]):
            columns = columns_of(row)
            if {"number", "prompt"} <= columns.places.keys():
                yield from _body(path, name, cells, number + 1, columns)
                return
    raise DataError(
        "no row with headings: expected one of 번호, no, task_no… and one of 문항, prompt, task…",
        file=path,
    )


def _body(
    path: Path, name: str, cells: list[list[Any]], start: int, columns: Columns
) -> Iterator[_Row]:
    for number, row in enumerate(cells[start:], start=start + 1):
        found = _row(path, f"{name}row {number}", columns, row)
        if any(found.cells.get(field) not in EMPTY for field in ("number", "prompt")):
            yield found


def _objects(path: Path, data: bytes) -> Iterator[_Row]:
    for where, item in read_json_items(path, data):
        if not isinstance(item, dict):
            raise DataError("expected an object", file=path, sample=where)
        yield _row(path, where, columns_of(list(item)), list(item.values()))


def _row(path: Path, where: str, columns: Columns, row: Sequence[Any]) -> _Row:
    passed_over = []
    for rival, read, said in columns.differing(row):
        if not rival.loose:
            both = f"{rival.chosen!r} and {rival.heading!r}"
            raise DataError(
                f"the columns {both} both mean this and differ: {_short(read)} and "
                f"{_short(said)}; rename one",
                file=path,
                sample=where,
                field=rival.field,
            )
        passed_over.append((rival.heading, rival.chosen))
    return _Row(where, columns.read(row), passed_over)


def _short(cell: Any) -> str:
    return repr(str(cell)[:40])


def _task(path: Path, row: _Row) -> Task:
    number = number_of(row.cells.get("number"))
    if number is None:
        found = row.cells.get("number")
        _wrong(path, row, "number", f"expected the task's number, found {str(found)[:60]!r}")
    prompt = row.cells.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        _wrong(path, row, "prompt", "expected what the models were asked for, found nothing")
    dataset = row.cells.get("dataset")
    level = level_of(row.cells.get("level"))
    if level.startswith("-"):
        _wrong(path, row, "level", f"expected a level such as 1 or Level1, found {level[:60]!r}")
    return Task(
        number=number,
        level=level,
        prompt=prompt.strip(),
        dataset=str(dataset).strip() or None if dataset is not None else None,
        language=_language(row.cells.get("language"), prompt),
        expectations=_expectations(path, row),
    )


def _language(value: Any, prompt: str) -> str:
    text = str(value or "").strip().lower()
    if text:
        return _LANGUAGES.get(text, "ko" if text.startswith("ko") else "en")
    return "ko" if any("가" <= c <= "힣" for c in prompt) else "en"


def _expectations(path: Path, row: _Row) -> dict[str, Any] | None:
    """What is expected of the output: the JSON of one cell, and the cells of single columns."""
    whole = row.cells.get("expectations")
    found: dict[str, Any] = {}
    if isinstance(whole, str) and whole.strip():
        try:
            msgspec.json.decode(whole)
            whole = loads_once(whole, file=path, sample=row.where)
        except (msgspec.DecodeError, RecursionError) as error:
            _wrong(path, row, "expectations", f"expected a JSON object ({error})")
    if isinstance(whole, dict):
        found |= whole
    elif whole not in EMPTY:
        _wrong(path, row, "expectations", "expected a JSON object")
    for field in EXPECTATIONS:
        value = row.cells.get(field)
        if value in EMPTY:
            continue
        value = _cell_value(path, row, value)
        if field in found and found[field] != value:
            one, other = _short(found[field]), _short(value)
            _wrong(path, row, field, f"the expectations say {one}, its own column {other}")
        found[field] = value
    if found:
        expectations_of(found, file=path, sample=row.where)
    return found or None


def _cell_value(path: Path, row: _Row, value: Any) -> Any:
    """JSON where the cell holds some, else the text or number as it is."""
    if not isinstance(value, str):
        return value if isinstance(value, bool | int | float | list | dict) else str(value)
    try:
        msgspec.json.decode(value)
        return loads_once(value, file=path, sample=row.where)
    except (msgspec.DecodeError, RecursionError):
        return value.strip()


def _wrong(path: Path, row: _Row, field: str, problem: str) -> NoReturn:
    raise DataError(problem, file=path, sample=row.where, field=field)
