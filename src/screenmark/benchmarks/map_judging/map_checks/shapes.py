"""What features are: the kinds that were asked for, and sound; circles that are round."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.geodesy import area_km2, distance_km
from screenmark.benchmarks.map_judging.samples import Check

DEFECT = 0.001
"""Share of its area that a defect of a polygon may change and still come from its source."""

RADIUS = 0.03
"""Error of a buffer's radius."""

ROUNDNESS = 0.06
"""Difference of a buffer's extents to the four sides, against their mean."""

_NEAR_CENTRE = 0.25
_MOST_VERTICES = 720


def kinds(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether there are shapes of every kind that was asked for."""
    if not expected.kinds:
        return []
    if not found.features:
        return [Check("geometry_kinds", "not_extracted", "no feature was read")]
    counts = Counter(shown.kind for shown in found.features)
    said = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    missing = [kind for kind in expected.kinds if not found.of(kind)]
    if missing and found.may_lack:
        return [Check("geometry_kinds", "not_extracted", f"only a part is there: {said}")]
    if missing:
        return [Check("geometry_kinds", "failed", f"no {' and no '.join(missing)}; found {said}")]
    return [Check("geometry_kinds", "passed", f"found {said}")]


def validity(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether polygons are sound, apart from small defects that come with public data."""
    import shapely

    shapes = found.of("LineString", "Polygon")
    if not shapes and not found.odd:
        return []
    lines = [s for s in shapes if s.kind == "LineString" and s.shape.length == 0]
    small: list[Shown] = []
    broken: list[Shown] = []
    for shown in shapes:
        if shown.kind == "Polygon" and not shown.shape.is_valid:
            right = shapely.area(shapely.make_valid(shown.shape))
            change = abs(right - _drawn_area(shown.shape)) / right if right else 1.0
            (small if change < DEFECT else broken).append(shown)
    if broken or found.odd:
        said = f"{len(broken)} of {len(shapes)} shapes cross themselves"
        if broken:
            said += f" ({few([s.layer for s in broken], 2)})"
        if found.odd:
            said += f"; {found.odd} features have coordinates that are no numbers"
        return [Check("geometry_valid", "failed", said)]
    said = f"{len(shapes)} shapes are sound"
    if small:
        said += f", {len(small)} of them but for defects of less than 0.1 % of their area"
    if lines:
        said += f"; {len(lines)} lines have no length"
    return [Check("geometry_valid", "passed", said)]


def _drawn_area(shape: Any) -> float:
    """Area by the order of the vertices, in which loops that cross cancel."""
    import shapely

    total = 0.0
    for part in shapely.get_parts(shape):
        rings = [part.exterior, *part.interiors]
        sizes = [abs(shapely.area(shapely.Polygon(ring))) for ring in rings]
        total += sizes[0] - sum(sizes[1:])
    return total


class _Circle(NamedTuple):
    """Extents of a buffer in km: mean, and to the west, east, south and north."""

    radius: float
    sides: tuple[float, float, float, float]

    @property
    def stretch(self) -> float:
        return (max(self.sides) - min(self.sides)) / self.radius


def buffers(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether buffers have their radii on the ground, to all sides."""
    if not expected.buffers_km:
        return []
    names = ("buffer_radius", "buffer_shape")
    if not found.features:
        return [Check(name, "not_extracted", "no feature was read") for name in names]
    circles = [c for shown in found.of("Polygon") if (c := _circle(shown, expected.center))]
    if not circles:
        status: Any = "not_extracted" if found.may_lack else "failed"
        where = "around the centre" if expected.center else "that could be a buffer"
        return [Check(name, status, f"no polygon or circle {where} was found") for name in names]
    pairs = [
        (wanted, min(circles, key=lambda c: abs(c.radius - wanted)))
        for wanted in expected.buffers_km
    ]
    said = ", ".join(f"{circle.radius:.1f} km for {wanted:g}" for wanted, circle in pairs)
    right = all(abs(c.radius - wanted) <= RADIUS * wanted for wanted, c in pairs)
    worst = max((circle for _, circle in pairs), key=lambda c: c.stretch)
    west, east, south, north = worst.sides
    shape = f"to the west {west:.1f}, east {east:.1f}, south {south:.1f}, north {north:.1f} km"
    return [
        Check("buffer_radius", "passed" if right else "failed", said),
        Check("buffer_shape", "passed" if worst.stretch <= ROUNDNESS else "failed", shape),
    ]


def _circle(shown: Shown, centre: tuple[float, float] | None) -> _Circle | None:
    """The extents of a feature around the centre; None if it is about somewhere else."""
    import shapely

    shape = shown.shape
    middle = centre or (shape.centroid.x, shape.centroid.y)
    if shown.feature.radius_m:
        radius = shown.feature.radius_m / 1000
        if distance_km(middle, (shape.x, shape.y)) > _NEAR_CENTRE * radius:
            return None
        return _Circle(radius, (radius,) * 4)
    if not shapely.make_valid(shape).intersects(shapely.Point(middle)):
        return None
    part = max(shapely.get_parts(shape), key=lambda p: p.area)
    points = shapely.get_coordinates(part.exterior)[:-1]
    step = -(-len(points) // _MOST_VERTICES)
    reach = [distance_km(middle, point) for point in points[::step].tolist()]
    sides = tuple(
        distance_km(middle, points[index].tolist())
        for column in (0, 1)
        for index in (points[:, column].argmin(), points[:, column].argmax())
    )
    radius = sum(reach) / len(reach)
    if radius == 0 or distance_km(middle, (part.centroid.x, part.centroid.y)) > (
        _NEAR_CENTRE * radius
    ):
        return None
    return _Circle(radius, sides)  # type: ignore[arg-type]


def polygon_areas(found: Evidence) -> dict[str, float]:
    """Area on the ground of what each layer's polygons cover, in km²; and of all together."""
    import shapely

    layers: dict[str, list[Any]] = {}
    for shown in found.of("Polygon"):
        if not shown.feature.radius_m:
            layers.setdefault(shown.layer, []).append(shapely.make_valid(shown.shape))
    areas = {name: area_km2(shapely.union_all(shapes)) for name, shapes in layers.items()}
    if len(layers) > 1:
        everything = shapely.union_all([shape for shapes in layers.values() for shape in shapes])
        areas["all layers"] = area_km2(everything)
    return areas
