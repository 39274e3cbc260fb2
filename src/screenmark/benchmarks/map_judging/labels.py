"""Marks that people gave, as a CSV file: ``model, task_no[, rater]`` and the criteria."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from unicodedata import normalize

import msgspec

from screenmark.answers.rubric import CRITERIA, RANGES, normalised
from screenmark.benchmarks.map_judging.csv_rows import csv_rows
from screenmark.benchmarks.map_judging.headings import HEADINGS, plain
from screenmark.benchmarks.map_judging.levels import number_of
from screenmark.errors import DataError, DataErrors
from screenmark.jsonfile import read_bytes

_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "model": ("model", "모델", "모델명"),
    "task_no": HEADINGS["number"],
    "rater": ("rater", "annotator", "평가자", "채점자"),
    "exists": ("exists", "존재", "존재 여부", "시각화 존재", "의미있는 시각화 존재 여부"),
    "accuracy": ("accuracy", "정확성", "정확도", "요청 지역·데이터셋 정확성"),
    "requirement": ("requirement", "조건 충족", "요구 조건", "색상·필터·버퍼 등 조건 충족"),
    "completeness": ("completeness", "완성도", "범례·제목·라벨 완성도"),
    "spatial_location": (
        *("spatial_location", "공간 위치", "위치", "위치 정확성"),
        "데이터가 올바른 지역에 표시되는지",
    ),
    "geometry_validity": (
        *("geometry_validity", "형태", "도형 유효성", "기하 유효성", "형태 이상 여부"),
        "폴리곤·버퍼 형태 이상 여부",
    ),
    "numeric_match": (
        *("numeric_match", "수치 일치", "수치 반영", "수치"),
        "수치·조건이 결과에 반영되었는지",
    ),
    "score": ("score", "점수", "총점"),
}
_MARK: Final = re.compile(r"(\d{1,3})(?:[.,]0+)?\s*점?")
_MOST_NAMED: Final = 10


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
    and ``score`` (out of 100) those that there are; in English or Korean.

    Raises:
        DataError: a column is missing, a cell is no mark of its criterion, or a person marked an
            output twice; all mistakes, up to ten, with line and column.
    """
    rows, separator = csv_rows(path, read_bytes(path))
    head = rows[0].cells if rows else []
    columns = _columns(path, head)
    labels: dict[tuple[str, int, str], Label] = {}
    wrong: list[DataError] = []
    for line, cells in rows[1:]:
        if not any(cell.strip() for cell in cells):
            continue
        row = _Row(path, f"line {line}", cells, columns, decimal_comma=separator != ",")
        row.check_width(len(head))
        label = row.label()
        key = (label.model, label.task_no, label.rater)
        if key in labels and not row.wrong:
            row.say("task_no", f"{label.rater} marked this output before")
        wrong += row.wrong
        labels.setdefault(key, label)
    if wrong:
        raise _all_of(path, wrong)
    if not labels:
        raise DataError("there is no label in it", file=path)
    return list(labels.values())


def _columns(path: Path, head: Sequence[str]) -> dict[str, int]:
    """The column of each field that there is."""
    names: dict[str, list[int]] = {}
    for place, heading in enumerate(head):
        names.setdefault(_compared(heading), []).append(place)
    found: dict[str, int] = {}
    for field, headings in _COLUMNS.items():
        places = [place for heading in headings for place in names.get(_compared(heading), ())]
        places = sorted(set(places) - set(found.values()))
        if len(places) > 1:
            both = " and ".join(repr(head[place].strip()) for place in places)
            raise DataError(f"the columns {both} both mean {field}; rename one", file=path)
        if places:
            found[field] = places[0]
    for field in ("model", "task_no"):
        if field not in found:
            there = ", ".join(heading.strip() for heading in head)
            korean = {"model": "모델", "task_no": "문항번호"}[field]
            problem = f"there is no column {field} ({korean}); found {there}"
            raise DataError(problem, file=path)
    if not {*CRITERIA, "score"} & found.keys():
        criteria = ", ".join(CRITERIA)
        raise DataError(f"no marks: expected columns of {criteria} or score (점수)", file=path)
    return found


def _compared(heading: str) -> str:
    return plain(heading).replace("·", "")


def _all_of(path: Path, wrong: Sequence[DataError]) -> DataError:
    if len(wrong) == 1:
        return wrong[0]
    named = list(wrong[:_MOST_NAMED])
    if len(wrong) > _MOST_NAMED:
        named.append(DataError(f"{len(wrong) - _MOST_NAMED} more mistakes", file=path))
    return DataErrors(named)


class _Row:
    """One line of the file, and what is wrong with it."""

    def __init__(
        self,
        path: Path,
        where: str,
        cells: Sequence[str],
        columns: Mapping[str, int],
        *,
        decimal_comma: bool,
    ) -> None:
        self.wrong: list[DataError] = []
        self._path = path
        self._where = where
        self._cells = cells
        self._columns = columns
        self._decimal_comma = decimal_comma

    def say(self, field: str | None, problem: str) -> None:
        self.wrong.append(DataError(problem, file=self._path, sample=self._where, field=field))

    def check_width(self, width: int) -> None:
        if any(cell.strip() for cell in self._cells[width:]):
            problem = "a cell that holds the separator has to stand in quotes"
            self.say(None, f"{len(self._cells)} cells for {width} headings; {problem}")

    def label(self) -> Label:
        """What the row says, without what is wrong with it."""
        model = normalize("NFC", self._cell("model"))
        if not model:
            self.say("model", "expected the name of a model's folder, found nothing")
        number = number_of(self._cell("task_no"))
        if number is None:
            self.say("task_no", f"expected a number, found {self._cell('task_no')!r}")
        marks = {name: mark for name in CRITERIA if (mark := self._mark(name)) is not None}
        return Label(
            model=model,
            task_no=-1 if number is None else number,
            rater=self._cell("rater") or "human",
            marks=marks,
            total=self._total(marks),
        )

    def _cell(self, field: str) -> str:
        place = self._columns.get(field, len(self._cells))
        return self._cells[place].strip() if place < len(self._cells) else ""

    def _mark(self, name: str) -> int | None:
        cell = self._cell(name)
        if not cell:
            return None
        found = _MARK.fullmatch(cell)
        if found is not None and int(found[1]) in RANGES[name]:
            return int(found[1])
        few = len(RANGES[name]) < 4
        allowed = ", ".join(map(str, RANGES[name])) if few else f"0 to {RANGES[name][-1]}"
        self.say(name, f"expected {allowed}, found {cell!r}")
        return None

    def _total(self, marks: Mapping[str, int]) -> float | None:
        if len(marks) == len(CRITERIA):
            return float(normalised(sum(marks.values())))
        cell = self._cell("score")
        if not cell:
            return None
        comma = cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell
        total = _number(comma if self._decimal_comma else cell)
        if 0 <= total <= 100:
            return total
        problem = f"expected 0 to 100, found {cell!r}"
        if not self._decimal_comma and 0 <= _number(comma) <= 100:
            problem += "; where commas separate cells, decimals are written with a point"
        self.say("score", problem)
        return None


def _number(text: str) -> float:
    """The number in a cell; -1 if there is none."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*점?", text, re.ASCII)
    return float(found[1]) if found else -1.0
