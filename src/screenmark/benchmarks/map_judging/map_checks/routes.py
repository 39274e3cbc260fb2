"""Lines: shortest ways, and the distances written beside them."""

from __future__ import annotations

import math
import re
from typing import Final

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.geodesy import off_great_circle_km, sphere_km
from screenmark.benchmarks.map_judging.samples import Check

OFF: Final = 0.02
"""How far a line may be from the great circle, against its length."""

_LONG_KM: Final = 1000.0
_DISTANCE: Final = re.compile(
    r"(\d[\d,]*(?:\.\d+)?)\s*(?:km|㎞|킬로미터|kilomet(?:er|re)s?)\b", re.I
)
_ASKS_CIRCLES: Final = re.compile(r"great[- ]circle|geodesic|대권|측지선", re.IGNORECASE)


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
    lines = [(s, positions(s)) for s in found.of("LineString")]
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


def positions(shown: Shown) -> list[list[float]]:
    """All vertices of a shape, in degrees of longitude and latitude."""
    import shapely

    found: list[list[float]] = shapely.get_coordinates(shown.shape).tolist()
    return found


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
