"""Which column of a task sheet stands for which field."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from screenmark.benchmarks.map_judging.levels import level_of, number_of

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

EMPTY: Final[tuple[Any, ...]] = (None, "")
"""Cells with nothing in them; no set, since a cell may hold a list."""

_LOOSE: Final = frozenset(
    {
        *("문항", "문제", "과제", "내용", "데이터", "자료"),
        *("task", "query", "text", "description", "data"),
    }
)
"""Headings that, beside a better one, often stand for something else."""


class Rival(NamedTuple):
    """A column that means the same field as another one, which is read.

    Attributes:
        field: what both mean.
        column, heading: the one that is not read.
        chosen: heading of the one that is.
        loose: whether it may as well mean something else.
    """

    field: str
    column: int
    heading: str
    chosen: str
    loose: bool


class Columns(NamedTuple):
    """The column of each field, and others that mean the same."""

    places: dict[str, int]
    rivals: list[Rival]

    def differing(self, row: Sequence[Any]) -> Iterator[tuple[Rival, Any, Any]]:
        """The rivals that say something else in a row, with what is read and what they say."""
        for rival in self.rivals:
            read, said = _cell(row, self.places[rival.field]), _cell(row, rival.column)
            number = number_of(said) if rival.loose else None
            if number is not None and number == number_of(
                _cell(row, self.places.get("number", -1))
            ):
                continue  # 문항 over the numbers, beside 번호
            if not _same(rival.field, read, said):
                yield rival, read, said

    def read(self, row: Sequence[Any]) -> dict[str, Any]:
        """The cells of a row by field; of several that mean one, the first that is not empty."""
        found = {field: row[place] for field, place in self.places.items() if place < len(row)}
        for rival in self.rivals:
            if not rival.loose and found.get(rival.field) in EMPTY:
                found[rival.field] = _cell(row, rival.column)
        return found


def columns_of(row: Sequence[Any]) -> Columns:
    """The fields that a row of headings names; of several, the one that comes first above."""
    names: dict[str, list[int]] = {}
    for column, cell in enumerate(row):
        if cell not in EMPTY:
            names.setdefault(plain(cell), []).append(column)
    places: dict[str, int] = {}
    for field, headings in HEADINGS.items():
        fitting = (names[plain(h)][0] for h in headings if plain(h) in names)
        place = next((place for place in fitting if place not in places.values()), None)
        if place is not None:
            places[field] = place
    for field in EXPECTATIONS:
        if plain(f"expect_{field}") in names:
            places[field] = names[plain(f"expect_{field}")][0]
    return Columns(places, list(_rivals(row, names, places)))


def _rivals(
    row: Sequence[Any], names: Mapping[str, list[int]], places: Mapping[str, int]
) -> Iterator[Rival]:
    every = {**HEADINGS, **{field: (f"expect_{field}",) for field in EXPECTATIONS}}
    taken = set(places.values())
    for field, place in places.items():
        for heading in dict.fromkeys(map(plain, every[field])):
            for column in names.get(heading, ()):
                if column not in taken:
                    taken.add(column)
                    # The same heading twice means the same.
                    loose = heading in _LOOSE and heading != plain(row[place])
                    yield Rival(field, column, str(row[column]), str(row[place]), loose)


def plain(heading: Any) -> str:
    """A heading as it is compared: without case, spaces and what stands in parentheses."""
    text = unicodedata.normalize("NFC", str(heading)).lower()
    return re.sub(r"[\s_\-]+|\(.*?\)", "", text)


def _cell(row: Sequence[Any], column: int) -> Any:
    return row[column] if 0 <= column < len(row) else None


_READ: Final[dict[str, Callable[[Any], Any]]] = {"number": number_of, "level": level_of}


def _same(field: str, one: Any, other: Any) -> bool:
    """Whether two cells say the same about a field; one that says nothing differs from none."""
    if one in EMPTY or other in EMPTY:
        return True
    if field in _READ:
        one, other = _READ[field](one), _READ[field](other)
        return one == other or other is None
    return one == other or str(one).strip() == str(other).strip()
