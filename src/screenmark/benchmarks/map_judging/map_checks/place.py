"""Where features are: in the region asked for, in view, on the right side of the antimeridian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few, grouped
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.world import region_of
from screenmark.benchmarks.map_judging.samples import Check

INSIDE = 0.9
"""Share of a layer's features that have to lie in the region."""

VISIBLE = 0.5
"""Share of the features below which a map shows something else than its data."""

ALL_VISIBLE = 0.98
_COAST = 0.4  # Degrees: shapes of countries are rough, and ports lie on the water.
_MOSTLY = 0.5
_IN_BOX = 0.95
_BOX_MARGIN = 0.5
_NEAR_POLE = 84.0
_HALF_TURN = 180.0
_WHOLE_TURN = 359.0
_SPHERES = frozenset({"plotly"})  # Its own maps know that the Earth is round.


def in_region(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether every layer lies where it should, and if not, whether its coordinates are swapped."""
    if not expected.codes and expected.bbox is None:
        return []
    inside = _inside(expected)
    shares = {
        layer: (members, sum(inside(shown.shape) for shown in members) / len(members))
        for layer, members in grouped(_meant(found, expected)).items()
    }
    if not shares:
        return [Check("in_region", "not_extracted", "no feature with a place was read")]
    wrong = {name: pair for name, pair in shares.items() if pair[1] < INSIDE}
    said = "; ".join(
        f"{name}: {round(share * len(members))} of {len(members)} in the region"
        for name, (members, share) in list((wrong or shares).items())[:5]
    )
    checks = [Check("in_region", "failed" if wrong else "passed", said)]
    return [*checks, _not_swapped([members for members, _ in wrong.values()], inside)]


def _meant(found: Evidence, expected: Expectations) -> list[Shown]:
    """Features of the kinds that were asked for; outlines of land under points are a ground."""
    return found.of(*expected.kinds) or found.features


def _inside(expected: Expectations) -> Callable[[Any], bool]:
    """Whether a shape lies in the region, or in the box if there is no region."""
    import shapely

    frame: Any = None
    if expected.bbox is not None:
        frame = shapely.buffer(shapely.box(*expected.bbox), _BOX_MARGIN, join_style="mitre")
    area = region_of(expected.codes, _COAST) if expected.codes else frame
    shapely.prepare(area)

    def inside(shape: Any) -> bool:
        shape = shapely.make_valid(shape)
        if shape.geom_type in {"Point", "MultiPoint"}:
            return bool(area.intersects(shape.centroid))
        if not area.intersects(shape):
            return False
        if area.intersects(shape.representative_point()) and frame is None:
            return True
        if _share(shape, area) >= _MOSTLY:
            return True
        # Areas around places on a coast lie in the sea for the most part.
        return frame is not None and _share(shape, frame) >= _IN_BOX

    return inside


def _share(shape: Any, area: Any) -> float:
    """The part of a polygon's area, or of a line's length, that lies in an area."""
    import shapely

    size = shapely.area if shape.area > 0 else shapely.length
    whole = float(size(shape))
    if whole == 0:
        return float(area.intersects(shape))
    return float(size(shapely.intersection(shape, area))) / whole


_CHANGES: dict[str, Callable[[Any], Any]] = {
    "latitude and longitude are swapped": lambda p: p[:, ::-1],
    "the sign of the longitude is wrong": lambda p: p * [-1, 1],
    "the sign of the latitude is wrong": lambda p: p * [1, -1],
    "latitude and longitude are swapped, with a wrong sign": lambda p: p[:, ::-1] * [-1, 1],
}


def _not_swapped(wrong: Sequence[list[Shown]], inside: Callable[[Any], bool]) -> Check:
    """What would bring the features of wrong layers into the region."""
    import shapely

    for members in wrong:
        for words, change in _CHANGES.items():
            moved = [shapely.transform(shown.shape, change) for shown in members]
            back = sum(inside(shape) for shape in moved)
            if back >= INSIDE * len(moved):
                return Check(
                    "not_swapped", "failed", f"{words}: then {back} of {len(moved)} are inside"
                )
    why = "nor would that bring them into the region" if wrong else "features are in the region"
    return Check("not_swapped", "passed", f"coordinates are not swapped; {why}")


def in_view(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether what is drawn can be seen without moving the map."""
    import shapely

    boxes = [view.bbox for view in found.views if view.bbox is not None]
    if not found.features or not boxes:
        why = "no feature was read" if not found.features else "what is in view is not known"
        return [Check("in_view", "not_extracted", why)] if _wants_place(expected) else []
    # The same place again on the next turn of the world.
    window = shapely.union_all(
        [shapely.box(w + t, s, e + t, n) for w, s, e, n in boxes for t in (-360, 0, 360)]
    )
    shapely.prepare(window)
    seen = sum(window.intersects(shown.shape) for shown in found.features)
    share = seen / len(found.features)
    needed = ALL_VISIBLE if expected.view_on_data else VISIBLE
    said = f"{seen} of {len(found.features)} features are in view"
    return [Check("in_view", "passed" if share >= needed else "failed", said)]


def _wants_place(expected: Expectations) -> bool:
    return bool(expected.codes or expected.bbox or expected.view_on_data)


def antimeridian(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether edges run around the world the wrong way, as a smear across the map."""
    shapes = [s for s in found.of("LineString", "Polygon") if not s.feature.radius_m]
    if not shapes:
        if expected.antimeridian:
            return [Check("antimeridian", "not_extracted", "no line or polygon was read")]
        return []
    smeared = [s for s in shapes if s.engine not in _SPHERES and _is_smeared(s.shape)]
    if smeared:
        said = f"{len(smeared)} of {len(shapes)} shapes run across the whole map: "
        return [Check("antimeridian", "failed", said + few([s.layer for s in smeared], 2))]
    return [Check("antimeridian", "passed", f"none of {len(shapes)} shapes runs across the map")]


def _is_smeared(shape: Any) -> bool:
    import numpy as np
    import shapely

    west, _, east, _ = shape.bounds
    if east - west <= _HALF_TURN:
        return False
    outlines = shapely.boundary(shape) if shape.area > 0 else shape
    for line in shapely.get_parts(outlines):
        points = shapely.get_coordinates(line)
        across = np.abs(np.diff(points[:, 0]))
        flat = np.abs(np.diff(points[:, 1])) < 1e-9
        polar = np.abs(points[:, 1]) > _NEAR_POLE
        # A frame around the world and the edge of a polar cap are meant to be so long.
        meant = (flat & (across > _WHOLE_TURN)) | (polar[1:] & polar[:-1])
        if bool(np.any((across > _HALF_TURN) & ~meant)):
            return True
    return False
