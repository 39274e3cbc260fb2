"""Lines: shortest ways, the distances written beside them, and the nearest of several ends."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, Final

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.geodesy import (
    distance_km,
    off_great_circle_km,
    sphere_km,
)
from screenmark.benchmarks.map_judging.samples import Check

OFF: Final = 0.02
"""How far a line may be from the great circle, against its length."""

TIE: Final = 0.01
"""By how much an end may be farther than the nearest one: two may be equally far."""

_LONG_KM: Final = 1000.0
_MOST_HUBS: Final = 0.34
_SAME_KM: Final = 0.05
_DISTANCE: Final = re.compile(
    r"(\d[\d,]*(?:\.\d+)?)\s*(?:km|㎞|킬로미터|kilomet(?:er|re)s?)\b", re.I
)
_ASKS_CIRCLES: Final = re.compile(r"great[- ]circle|geodesic|대권|측지선", re.IGNORECASE)
_ASKS_NEAREST: Final = re.compile(r"nearest|closest|가장 가까운|최근접|최단 거리", re.IGNORECASE)


def distances(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether the distances in labels are right."""
    if not expected.distances_km:
        return []
    if not found.features:
        return [Check("distances", "not_extracted", "no feature was read")]
    right: list[str] = []
    wrong: list[str] = []
    unknown: list[str] = []
    for name, wanted in expected.distances_km.items():
        said = [
            float(number.replace(",", ""))
            for text in found.texts
            if name.lower() in text.lower()
            for number in _DISTANCE.findall(text)
        ]
        if not said:
            unknown.append(name)
            continue
        nearest = min(said, key=lambda number: abs(number - wanted))
        fits = abs(nearest - wanted) <= expected.tolerance_pct / 100 * wanted
        (right if fits else wrong).append(f"{name} {nearest:,.0f} km for {wanted:,.0f}")
    if wrong:
        return [Check("distances", "failed", few(wrong))]
    if unknown:
        return [Check("distances", "not_extracted", f"no distance is beside {few(unknown)}")]
    return [Check("distances", "passed", few(right))]


def great_circles(found: Evidence, expected: Expectations, prompt: str) -> list[Check]:
    """Whether lines are the shortest ways that the task asks for."""
    if not _ASKS_CIRCLES.search(prompt):
        return []
    lines = [(s, _points(s)) for s in found.of("LineString")]
    lines = [(s, p) for s, p in lines if len(p) > 1 and sphere_km(p[0], p[-1]) > _LONG_KM]
    if not lines:
        return [Check("great_circle", "not_extracted", "no line of 1,000 km or more was read")]
    off = [(_off(shown, points), shown) for shown, points in lines]
    worst, shown = max(off, key=lambda pair: pair[0])
    name = shown.feature.label or shown.layer
    said = f"{len(lines)} lines, at most {worst:.1%} of their length off the great circle"
    if worst > OFF:
        return [Check("great_circle", "failed", f"{said} ({name})")]
    return [Check("great_circle", "passed", said)]


def _points(shown: Shown) -> list[list[float]]:
    import shapely

    points: list[list[float]] = shapely.get_coordinates(shown.shape).tolist()
    return points


def _off(shown: Shown, points: list[list[float]]) -> float:
    """Largest distance of a line from the great circle between its ends, against its length."""
    start, end = points[0], points[-1]
    inner = points[1:-1]
    if not inner:
        if shown.feature.bent:
            return 0.0
        inner = [_middle(start, end, shown.engine)]
    return off_great_circle_km(start, end, inner) / sphere_km(start, end)


def _middle(start: list[float], end: list[float], engine: str) -> list[float]:
    """Where the middle of a line of two points is drawn: straight on a map of Mercator."""
    lats = [math.radians(max(-85.0, min(85.0, p[1]))) for p in (start, end)]
    y = sum(math.asinh(math.tan(lat)) for lat in lats) / 2
    return [(start[0] + end[0]) / 2, math.degrees(math.atan(math.sinh(y)))]


def nearest_hub(found: Evidence, expected: Expectations, prompt: str) -> list[Check]:
    """Whether every line leads to the nearest of the ends that lines lead to."""
    if not _ASKS_NEAREST.search(prompt) or "LineString" not in expected.kinds:
        return []
    lines = [p for s in found.of("LineString") if len(p := _points(s)) > 1]
    ends = [(tuple(p[0]), tuple(p[-1])) for p in lines]
    hubs, side = _hubs(ends)
    if not hubs:
        why = "lines do not lead to a few common ends"
        return [Check("nearest_hub", "not_extracted", why)]
    wrong = []
    for pair in ends:
        place, hub = pair[1 - side], pair[side]
        lengths = {other: distance_km(place, other) for other in hubs}
        nearest = min(lengths, key=lambda other: lengths[other])
        if lengths[hub] > lengths[nearest] * (1 + TIE) + _SAME_KM:
            wrong.append(f"{_named(found, place)} is nearer to {_named(found, nearest)}")
    said = f"{len(ends) - len(wrong)} of {len(ends)} lines lead to the nearest of {len(hubs)} ends"
    if wrong:
        return [Check("nearest_hub", "failed", f"{said}; {few(wrong, 3)}")]
    return [Check("nearest_hub", "passed", said)]


def _hubs(ends: list[tuple[Any, Any]]) -> tuple[list[Any], int]:
    """The few places that the many lines share, and at which of their ends these are."""
    counts = [Counter(pair[side] for pair in ends) for side in (0, 1)]
    side = 0 if len(counts[0]) < len(counts[1]) else 1
    if len(ends) < 3 or not 2 <= len(counts[side]) <= _MOST_HUBS * len(ends):
        return [], side
    return list(counts[side]), side


def _named(found: Evidence, place: Any) -> str:
    """The label of the point at a place, or its coordinates."""
    for shown in found.of("Point"):
        if shown.feature.label and tuple(_points(shown)[0]) == place:
            return shown.feature.label[:40]
    return f"({place[0]:.3f}, {place[1]:.3f})"
