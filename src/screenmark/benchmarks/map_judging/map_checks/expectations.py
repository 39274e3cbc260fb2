"""What a right output satisfies, as somebody wrote it beside the task."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from screenmark.benchmarks.map_judging.map_checks.expectation_words import (
    FORMS,
    is_empty,
    not_as_expected,
)
from screenmark.benchmarks.map_judging.map_checks.world import (
    CONTINENTS,
    codes_of,
    continent_named,
    is_code,
)
from screenmark.errors import DataError

KINDS = ("Point", "LineString", "Polygon")
_FARTHEST_KM = 20_004
_FARTHEST = f"{_FARTHEST_KM:,} km, half of the way around the earth"
_UNKNOWN = re.compile(r"unknown field `(.+?)`")
_PATH = re.compile(r" - at `\$\.?(.*)`$")


class Expectations(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Expectations of one task; what is None is not expected.

    Attributes:
        level: of the task; nothing is checked by it.
        region: ISO 3166-1 alpha-3 codes, or a continent, or several (``region_kind``).
        bbox: [west, south, east, north] in degrees.
        geometry: kinds of shapes, joined by ``+`` or as a list.
        count: least and most features of the first kind; count_points: of points alone.
        title, legend, labels: whether they are wanted.
        highlight: codes of the countries, or of states of the USA, that stand out.
        buffers_km, center: radii, and [longitude, latitude] of their centre.
        distances_km, tolerance_pct: distances by destination, and their error in per cent.
        projection: its name.
        top5, top5_values: names that are labelled, and the numbers with them.
        colour_direction: whether dark colours stand for high or for low values.
        view_on_data: whether all of the data has to be in view at once.
        antimeridian: whether the data cross it.
    """

    level: Any = None
    region: str | list[str] | None = None
    region_kind: Literal["continent", "country"] | None = None
    bbox: tuple[float, float, float, float] | None = None
    geometry: str | list[str] | None = None
    count: int | tuple[int, int] | None = None
    count_points: int | tuple[int, int] | None = None
    title: bool | None = None
    legend: bool | None = None
    labels: bool | None = None
    highlight: list[str] | None = None
    buffers_km: list[float] | None = None
    center: tuple[float, float] | None = None
    distances_km: dict[str, float] | None = None
    tolerance_pct: float = 3.0
    projection: str | None = None
    top5: list[str] | None = None
    top5_values: list[float] | None = None
    colour_direction: Literal["dark=high", "dark=low"] | None = None
    view_on_data: bool | None = None
    antimeridian: bool | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of shapes that are expected; none if nobody said."""
        given = [self.geometry] if isinstance(self.geometry, str) else self.geometry or []
        parts = [part.strip() for text in given for part in text.split("+")]
        return tuple(part for part in parts if part)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the countries of the region; none if nobody said."""
        names = self.region.split(",") if isinstance(self.region, str) else self.region or []
        found: list[str] = []
        for name in names:
            continent = continent_named(name)
            found += codes_of(continent) if continent else [name.strip()]
        return tuple(found)


def limits(count: int | tuple[int, int]) -> tuple[int, int]:
    """Least and most of a count."""
    return (count, count) if isinstance(count, int) else count


def expectations_of(
    entry: Mapping[str, Any], *, file: Path | None = None, sample: str | None = None
) -> Expectations:
    """Read the expectations of a task, and refuse what no check would ever look at.

    Args:
        entry: keys and values; keys that begin with an underscore are notes.
        file, sample: where they stand, for the error.

    Raises:
        DataError: a key is not known, or a value is not what the key is for.
    """
    plain = {key: value for key, value in entry.items() if not key.startswith("_")}
    for field, value in plain.items():
        if field in FORMS and is_empty(value):
            problem = f"expected {FORMS[field]}, found nothing; leave the key out to expect nothing"
            raise DataError(problem, file=file, sample=sample, field=field)
    try:
        found = msgspec.convert(plain, Expectations)
    except msgspec.ValidationError as error:
        text = str(error)
        unknown = _UNKNOWN.search(text)
        if unknown:
            known = ", ".join(Expectations.__struct_fields__)
            raise DataError(
                f"no such expectation; there are {known}",
                file=file,
                sample=sample,
                field=unknown[1],
            ) from None
        path = _PATH.search(text)
        field = "" if path is None else path[1].partition("[")[0].partition(".")[0]
        if field in FORMS:
            text = not_as_expected(field, plain[field])
        raise DataError(text, file=file, sample=sample, field=field) from None
    for field, problem in _problems(found):
        raise DataError(problem, file=file, sample=sample, field=field)
    return found


def loads_once(text: str, *, file: Path | None = None, sample: str | None = None) -> Any:
    """JSON whose objects have no key twice, of which all but the last would be lost.

    Raises:
        DataError: a key is there twice.
        ValueError: the text is no JSON.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise DataError("this key is there twice", file=file, sample=sample, field=key)
            found[key] = value
        return found

    return json.loads(text, object_pairs_hook=once)


def _problems(found: Expectations) -> list[tuple[str, str]]:
    problems = []
    for code in found.codes:
        if not is_code(code):
            expected = f"ISO 3166-1 alpha-3 codes, or one of {', '.join(CONTINENTS)}"
            problems.append(("region", f"expected {expected}, found {code!r}"))
    for code in found.highlight or ():
        if not is_code(code):
            expected = "ISO 3166-1 alpha-3 codes, or the letters of states of the USA"
            problems.append(("highlight", f"expected {expected}, found {code!r}"))
    wrong = [kind for kind in found.kinds if kind not in KINDS]
    if wrong:
        problems.append(("geometry", f"expected {FORMS['geometry']}, found {wrong[0]!r}"))
    if found.bbox is not None and not _is_box(found.bbox):
        problems.append(("bbox", not_as_expected("bbox", list(found.bbox))))
    if found.center is not None and not _is_place(found.center):
        problems.append(("center", not_as_expected("center", list(found.center))))
    return [*problems, *_impossible(found)]


def _impossible(found: Expectations) -> Iterator[tuple[str, str]]:
    """Numbers that no output could satisfy."""
    for field, count in (("count", found.count), ("count_points", found.count_points)):
        if count is not None:
            least, most = limits(count)
            if not 0 <= least <= most:
                yield field, f"expected [least, most] from 0 on, found {[least, most]}"
    for radius in found.buffers_km or ():
        if not 0 < radius <= _FARTHEST_KM:
            yield "buffers_km", f"expected radii above 0 up to {_FARTHEST}, found {radius:g}"
    for name, distance in (found.distances_km or {}).items():
        if not 0 <= distance <= _FARTHEST_KM:
            problem = f"expected distances from 0 to {_FARTHEST}, found {distance:g} for {name!r}"
            yield "distances_km", problem
    if not 0 <= found.tolerance_pct < math.inf:
        yield "tolerance_pct", f"expected per cent from 0 on, found {found.tolerance_pct:g}"
    if found.top5 is not None and found.top5_values is not None:
        names, values = len(found.top5), len(found.top5_values)
        if names != values:
            yield "top5_values", f"expected one for each of the {names} of top5, found {values}"


def _is_box(box: tuple[float, float, float, float]) -> bool:
    west, south, east, north = box
    return west < east and -90 <= south < north <= 90 and east - west <= 360


def _is_place(place: tuple[float, float]) -> bool:
    longitude, latitude = place
    return -360 <= longitude <= 360 and -90 <= latitude <= 90
