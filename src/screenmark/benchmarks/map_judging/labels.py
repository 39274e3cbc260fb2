"""Marks that people gave, as a CSV file: ``model, task_no[, rater]`` and the criteria."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import msgspec

from screenmark.answers.rubric import CRITERIA, RANGES, normalised
from screenmark.benchmarks.map_judging.csv_text import csv_text
from screenmark.benchmarks.map_judging.levels import number_of
from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes


class Label(msgspec.Struct, frozen=True):
    """One person's marks of one output.

    Attributes:
        rater: whose marks they are.
        marks: of the criteria that the person marked.
        total: out of 100; None unless all criteria were marked or the file gives it.
    """

    model: str
    task_no: int
    rater: str
    marks: dict[str, int]
    total: float | None


def read_labels(path: Path) -> list[Label]:
    """Read marks of people. Columns: ``model``, ``task_no``, and of ``rater``, the seven criteria
    and ``score`` (out of 100) those that there are.

    Raises:
        DataError: a column is missing, a cell is no mark of its criterion, or a person marked an
            output twice; the message names line and column.
    """
    text, separator = csv_text(path, read_bytes(path))
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    names = [name.strip() for name in rows.fieldnames or ()]
    rows.fieldnames = names
    for column in ("model", "task_no"):
        if column not in names:
            raise DataError(f"there is no column {column}; found {', '.join(names)}", file=path)
    if not {*CRITERIA, "score"} & set(names):
        raise DataError(f"no marks: expected columns of {', '.join(CRITERIA)} or score", file=path)
    labels: dict[tuple[str, int, str], Label] = {}
    for row in rows:
        where = f"line {rows.line_num}"
        label = _label(path, where, row)
        key = (label.model, label.task_no, label.rater)
        if key in labels:
            _wrong(path, where, "task_no", f"{label.rater} marked this output before")
        labels[key] = label
    if not labels:
        raise DataError("there is no label in it", file=path)
    return list(labels.values())


def _label(path: Path, where: str, row: Mapping[str, str | None]) -> Label:
    number = number_of(row.get("task_no"))
    if number is None:
        _wrong(path, where, "task_no", f"expected a number, found {row.get('task_no')!r}")
    marks = {}
    for name in CRITERIA:
        cell = (row.get(name) or "").strip()
        if not cell:
            continue
        mark = number_of(cell)
        if mark is None or mark not in RANGES[name]:
            allowed = ", ".join(map(str, RANGES[name])) if len(RANGES[name]) < 4 else "0 to "
            most = "" if len(RANGES[name]) < 4 else str(RANGES[name][-1])
            _wrong(path, where, name, f"expected {allowed}{most}, found {cell!r}")
        marks[name] = mark
    return Label(
        model=(row.get("model") or "").strip(),
        task_no=number,
        rater=(row.get("rater") or "").strip() or "human",
        marks=marks,
        total=_total(path, where, row, marks),
    )


def _total(
    path: Path, where: str, row: Mapping[str, str | None], marks: Mapping[str, int]
) -> float | None:
    if len(marks) == len(CRITERIA):
        return float(normalised(sum(marks.values())))
    cell = (row.get("score") or "").strip()
    if not cell:
        return None
    try:
        total = float(cell)
    except ValueError:
        total = -1.0
    if not 0 <= total <= 100:
        _wrong(path, where, "score", f"expected 0 to 100, found {cell!r}")
    return total


def _wrong(path: Path, where: str, field: str, problem: str) -> NoReturn:
    raise DataError(problem, file=path, sample=where, field=field)
