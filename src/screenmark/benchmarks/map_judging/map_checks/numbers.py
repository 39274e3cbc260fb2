"""What can be counted, and numbers that a map says of itself."""

from __future__ import annotations

import re
from typing import Final

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations, limits
from screenmark.benchmarks.map_judging.map_checks.shapes import polygon_areas
from screenmark.benchmarks.map_judging.map_checks.world import code_of, identify, names_of
from screenmark.benchmarks.map_judging.samples import Check

AREA: Final = 0.03
"""Error of an area in a title."""

VALUE: Final = 0.02
"""Error of a labelled value."""

_SAME: Final = 1e-6  # Degrees.
_NUMBER: Final = r"(\d[\d,]*(?:\.\d+)?)"
_AREA_TEXT: Final = re.compile(
    rf"{_NUMBER}\s*(million|mln|m|백만|만|thousand)?\s*"
    r"(?:km²|km2|km\^2|㎢|sq\.? ?km|square kilomet(?:er|re)s|제곱킬로미터)",
    re.IGNORECASE,
)
_FACTORS: Final = {"million": 1e6, "mln": 1e6, "m": 1e6, "백만": 1e6, "만": 1e4, "thousand": 1e3}
_ASKS_AREA: Final = re.compile(r"\barea|면적", re.IGNORECASE)


def counts(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether there are as many features as there should be."""
    checks = []
    if expected.count is not None:
        kind = expected.kinds[0] if expected.kinds else ""
        members = found.of(kind) if kind else found.features
        checks.append(_count("count", found, members, limits(expected.count), kind))
    if expected.count_points is not None:
        points = found.of("Point")
        checks.append(_count("count_points", found, points, limits(expected.count_points), "Point"))
    return checks


def _count(
    name: str, found: Evidence, members: list[Shown], wanted: tuple[int, int], kind: str
) -> Check:
    if not found.features:
        return Check(name, "not_extracted", "no feature was read")
    low, high = wanted
    range_ = f"{low}" if low == high else f"{low} to {high}"
    number = len(members)
    said = f"{number} {kind or 'features'}, expected {range_}"
    if low <= number <= high and found.is_whole:
        return Check(name, "passed", said)
    if found.may_lack and number <= high:
        return Check(name, "not_extracted", f"{said}; only a part is there")
    if kind == "Polygon" and number > high:
        # A country may come as several polygons, each a feature of its own.
        codes = {code for shown in members if (code := shown.code or identify(shown.shape))}
        if low <= len(codes) <= high:
            return Check(name, "passed", f"{number} polygons of {len(codes)} countries")
    distinct = _distinct(members)
    if number > high and low <= distinct <= high:
        at = f"{number} {kind or 'features'} at {distinct} places"
        return Check(name, "passed" if found.is_whole else "not_extracted", at)
    return Check(name, "failed", said)


def _distinct(members: list[Shown]) -> int:
    """Shapes that are not the same: a place may have a dot and a label, a line its casing."""
    import shapely

    shapes = shapely.set_precision([shown.shape for shown in members], _SAME, mode="pointwise")
    return len({bytes(shape) for shape in shapely.to_wkb(shapely.normalize(shapes))})


def title_area(found: Evidence, expected: Expectations, prompt: str) -> list[Check]:
    """Whether an area in the title is that of the polygons on the ground."""
    if not _ASKS_AREA.search(prompt):
        return []
    said = [match for text in found.titles for match in _AREA_TEXT.finditer(text)]
    if not said:
        return []
    areas = polygon_areas(found)
    if not areas or not found.is_whole:
        return [Check("title_area", "not_extracted", "the polygons could not be read in full")]
    number = float(said[0][1].replace(",", "")) * _FACTORS.get((said[0][2] or "").lower(), 1.0)
    nearest = min(areas.values(), key=lambda area: abs(area - number))
    right = abs(nearest - number) <= AREA * nearest
    detail = f"the title says {number:,.0f} km², the polygons cover {nearest:,.0f} km²"
    return [Check("title_area", "passed" if right else "failed", detail)]


def top(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether the places with the highest values are labelled, with the right values."""
    if not expected.top5:
        return []
    texts = [*found.visible_labels, *(s.feature.label for s in found.features)]
    if not any(texts):
        return [Check("top", "not_extracted", "no label was read")]
    values: list[float | None] = list(expected.top5_values or [])
    values += [None] * (len(expected.top5) - len(values))
    missing, wrong = [], []
    for name, value in zip(expected.top5, values, strict=False):
        code = code_of(name)
        names = {name, *(names_of(code) if code else ())}
        own = [text for text in texts if any(n.lower() in text.lower() for n in names)]
        if not own:
            missing.append(name)
        elif value is not None and not any(_says(text, value) for text in own):
            wrong.append(f"{own[0][:60]!r} is not {value:g}")
    if len(missing) == len(expected.top5):
        return [Check("top", "not_extracted", "no label names any of the places")]
    if missing or wrong:
        said = [f"not labelled: {few(missing)}"] if missing else []
        return [Check("top", "failed", "; ".join([*said, *wrong]))]
    return [Check("top", "passed", f"labelled: {few(expected.top5)}")]


def _says(text: str, value: float) -> bool:
    """Whether one of the numbers in a text is the value, as far as it is rounded."""
    for digits in re.findall(_NUMBER, text):
        number = float(digits.replace(",", ""))
        if abs(number - value) <= max(VALUE * abs(value), 0.5 if "." not in digits else 0):
            return True
    return False
