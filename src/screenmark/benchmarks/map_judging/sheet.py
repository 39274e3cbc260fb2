"""The task sheet: a workbook, CSV or JSON file with one row a task.

Columns are known by their headings, Korean or English, in any order; others are left alone. In a
workbook the first sheet counts that has a row with headings of a number and of a prompt.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

from screenmark.benchmarks.map_judging.levels import level_of, number_of
from screenmark.benchmarks.map_judging.map_checks.expectations import (
    expectations_of,
    loads_once,
)
from screenmark.benchmarks.map_judging.samples import Task
from screenmark.errors import DataError, MissingExtra
from screenmark.jsonfile import read_bytes, read_json_items

HEADINGS: dict[str, tuple[str, ...]] = {
    "prompt": (
        *("프롬프트", "prompt", "문항내용", "질문", "question", "지시문", "instruction", "문항"),
        *("문제", "과제", "내용", "task", "query", "text", "description"),
    ),
    "number": (
        *("번호", "문항번호", "문제번호", "과제번호", "순번", "문번", "no", "no.", "number", "#"),
        *("id", "task_no", "task_id", "task_number", "num", "index", "문항", "문제", "task"),
    ),
    "level": ("레벨", "수준", "난이도", "단계", "level", "lv", "difficulty", "lvl"),
    "dataset": ("데이터셋", "데이터", "자료", "dataset", "data", "datasets"),
    "language": ("언어", "language", "lang"),
    "expectations": ("기대", "기대값", "기대결과", "expectations", "expectation", "expect"),
}
"""What a heading may be called, by the field that it stands for; spaces and case are ignored."""

EXPECTATIONS = (
    *("region", "region_kind", "bbox", "geometry", "count", "count_points", "title", "legend"),
    *("labels", "highlight", "buffers_km", "center", "distances_km", "tolerance_pct"),
    *("projection", "top5", "top5_values", "colour_direction", "view_on_data", "antimeridian"),
)
"""Expectations that may have a column each, ``expect_region`` and so on, with JSON or text."""

_LARGEST = 50 << 20
_LARGEST_UNPACKED = 200 << 20
_MOST_CELLS = 5_000_000
_HEADING_ROWS = 30
_EMPTY: tuple[Any, ...] = (None, "")  # no set, since a cell may hold a list
_LANGUAGES = {"ko": "ko", "kr": "ko", "korean": "ko", "한국어": "ko", "국문": "ko", "한글": "ko"}


class Sheet(NamedTuple):
    """The tasks of a sheet in its order, and what was wrong with single rows."""

    tasks: list[Task]
    problems: list[DataError]
    data: bytes


class _Row(NamedTuple):
    where: str
    cells: Mapping[str, Any]


def read_sheet(path: Path) -> Sheet:
    """Read a task sheet.

    Raises:
        MissingExtra: it is a workbook, and openpyxl is not installed.
        DataError: it cannot be read, or has no headings of a number and of a prompt.
    """
    data = read_bytes(path)
    if len(data) > _LARGEST:
        raise DataError(f"{len(data):,} bytes, more than a task sheet may have", file=path)
    tasks: dict[int, Task] = {}
    problems = []
    for row in _rows(path, data):
        try:
            task = _task(path, row)
            if task.number in tasks:
                _wrong(path, row, "number", f"a second task with the number {task.number}")
        except DataError as error:
            problems.append(error)
        else:
            tasks[task.number] = task
    if not tasks and not problems:
        raise DataError("there is no task in it", file=path)
    return Sheet(list(tasks.values()), problems, data)


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
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = data.decode("cp949")  # what Excel saves as CSV on a Korean machine
        except UnicodeDecodeError:
            raise DataError("is neither UTF-8 nor CP949", file=path) from None
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        return [list(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    except csv.Error as error:
        raise DataError(f"cannot be read as CSV ({error})", file=path) from None


def _below_headings(path: Path, sheets: Sequence[tuple[str, list[list[Any]]]]) -> Iterator[_Row]:
    for name, cells in sheets:
        for number, row in enumerate(cells[:_HEADING_ROWS]):
            columns = _columns(row)
            if {"number", "prompt"} <= columns.keys():
                yield from _body(name, cells, number + 1, columns)
                return
    raise DataError(
        "no row with headings: expected one of 번호, no, task_no… and one of 문항, prompt, task…",
        file=path,
    )


def _columns(row: Sequence[Any]) -> dict[str, int]:
    """The column of each field; of several that fit, the one whose name comes first above."""
    names = {_plain(cell): column for column, cell in reversed(list(enumerate(row))) if cell}
    found: dict[str, int] = {}
    for field, headings in HEADINGS.items():
        places = (names[_plain(h)] for h in headings if _plain(h) in names)
        place = next((place for place in places if place not in found.values()), None)
        if place is not None:
            found[field] = place
    for field in EXPECTATIONS:
        if _plain(f"expect_{field}") in names:
            found[field] = names[_plain(f"expect_{field}")]
    return found


def _plain(heading: Any) -> str:
    text = unicodedata.normalize("NFC", str(heading)).lower()
    return re.sub(r"[\s_\-]+|\(.*?\)", "", text)


def _body(
    name: str, cells: list[list[Any]], start: int, columns: Mapping[str, int]
) -> Iterator[_Row]:
    for number, row in enumerate(cells[start:], start=start + 1):
        found = {f: row[c] for f, c in columns.items() if c < len(row)}
        if any(found.get(field) not in _EMPTY for field in ("number", "prompt")):
            yield _Row(f"{name}row {number}", found)


def _objects(path: Path, data: bytes) -> Iterator[_Row]:
    for where, item in read_json_items(path, data):
        if not isinstance(item, dict):
            raise DataError("expected an object", file=path, sample=where)
        columns = _columns(list(item))
        values = list(item.values())
        yield _Row(where, {field: values[column] for field, column in columns.items()})


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
    elif whole not in _EMPTY:
        _wrong(path, row, "expectations", "expected a JSON object")
    for field in EXPECTATIONS:
        value = row.cells.get(field)
        if value not in _EMPTY:
            found[field] = _cell_value(path, row, value)
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
