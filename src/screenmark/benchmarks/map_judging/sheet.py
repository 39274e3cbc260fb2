"""The task sheet: a workbook, CSV or JSON file with one row a task.

Columns are known by their headings, Korean or English, in any order; others are left alone. In a
workbook the first sheet counts that has a row with headings of a number and of a prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

from screenmark.benchmarks.map_judging.csv_rows import csv_rows
from screenmark.benchmarks.map_judging.headings import EMPTY, EXPECTATIONS, Columns, columns_of
from screenmark.benchmarks.map_judging.levels import LEVELS, level_of, number_of
from screenmark.benchmarks.map_judging.map_checks.expectations import (
    expectations_of,
    loads_once,
)
from screenmark.benchmarks.map_judging.samples import Task
from screenmark.benchmarks.map_judging.workbook import (
    Uncomputed,
    not_a_workbook,
    read_workbook,
)
from screenmark.errors import DataError
from screenmark.jsonfile import TOP_LEVEL, read_bytes, read_json_items

_LARGEST = 50 << 20
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
    """A row by fields, headings of columns of it that are passed over, and what is wrong."""

    where: str
    cells: Mapping[str, Any]
    passed_over: Sequence[tuple[str, str]] = ()
    problem: str | None = None


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
        sheets = [(f"sheet {name!r}, ", cells) for name, cells in read_workbook(path, data)]
        yield from _below_headings(path, sheets)
    elif kind in {".csv", ".tsv", ".txt"}:
        table = [list[Any](row.cells) for row in csv_rows(path, data).rows]
        yield from _below_headings(path, [("", table)], ragged=True)
    elif kind in {".json", ".jsonl", ".ndjson"}:
        yield from _objects(path, data)
    elif kind == ".xls" and (problem := not_a_workbook(data)):
        raise DataError(f"cannot be read as a workbook: it {problem}", file=path)
    else:
        raise DataError("expected a task sheet as .xlsx, .csv, .tsv, .json or .jsonl", file=path)


def _below_headings(
    path: Path, sheets: Sequence[tuple[str, list[list[Any]]]], *, ragged: bool = False
) -> Iterator[_Row]:
    """The rows of the first sheet with headings; ``ragged`` if rows end where they like."""
    for name, cells in sheets:
        for number, row in enumerate(cells[:_HEADING_ROWS]):
            columns = columns_of(row)
            if {"number", "prompt"} <= columns.places.keys():
                width = _width(row) if ragged else None
                yield from _body(path, name, cells[number + 1 :], number + 2, columns, width)
                return
    raise DataError(
        "no row with headings: expected one of 번호, no, task_no… and one of 문항, prompt, task…",
        file=path,
    )


def _body(
    path: Path, name: str, cells: list[list[Any]], first: int, columns: Columns, width: int | None
) -> Iterator[_Row]:
    for number, row in enumerate(cells, start=first):
        found = _row(path, f"{name}row {number}", columns, row)
        if any(found.cells.get(field) not in EMPTY for field in ("number", "prompt")):
            yield found if width is None else found._replace(problem=_too_wide(row, width))


def _width(row: Sequence[Any]) -> int:
    """Cells up to the last that is not empty."""
    return max((n for n, cell in enumerate(row, start=1) if str(cell).strip()), default=0)


def _too_wide(row: Sequence[Any], width: int) -> str | None:
    """That cells stand under no heading: then a prompt was torn apart at its commas."""
    if _width(row) <= width:
        return None
    return (
        f"{_width(row)} cells for {width} headings, from {_short(row[width])} on; "
        "a cell that holds the separator has to stand in quotes"
    )


def _objects(path: Path, data: bytes) -> Iterator[_Row]:
    for where, item in read_json_items(path, data):
        if not isinstance(item, dict):
            raise DataError("expected an object", file=path, sample=where)
        columns = columns_of(list(item))
        if where == TOP_LEVEL and not {"number", "prompt"} & columns.places.keys():
            _no_list(path, item)
        yield _row(path, where, columns, list(item.values()))


def _no_list(path: Path, item: Mapping[str, Any]) -> NoReturn:
    keys = ", ".join(_short(key) for key in list(item)[:3]) + (", …" if len(item) > 3 else "")
    by_task = " keyed by task" if all(number_of(key) is not None for key in item) else ""
    expected = 'expected a list of tasks, [{"no": 1, "prompt": …}, …]'
    raise DataError(f"{expected}; found one object{by_task} (keys: {keys})", file=path)


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
    if row.problem:
        raise DataError(row.problem, file=path, sample=row.where)
    for field, cell in row.cells.items():
        if isinstance(cell, Uncomputed):
            problem = "whose result is not in the file; open it in Excel and save it, or write it"
            _wrong(path, row, field, f"found the formula {_short(cell.formula)} {problem}")
    number = number_of(row.cells.get("number"))
    if number is None:
        cell = row.cells.get("number")
        found = "nothing" if cell is None or not str(cell).strip() else repr(str(cell)[:60])
        _wrong(path, row, "number", f"expected the task's number, found {found}")
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
