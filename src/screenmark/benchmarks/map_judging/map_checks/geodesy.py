"""Distances, directions and areas on the ellipsoid of WGS 84."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

Position: TypeAlias = Sequence[float]
"""Longitude and latitude in degrees."""

EQUATOR_KM: Final = 6378.137
FLATTENING: Final = 1 / 298.257223563
POLAR_KM: Final = EQUATOR_KM * (1 - FLATTENING)
MEAN_KM: Final = 6371.0088
_ECCENTRICITY_2: Final = FLATTENING * (2 - FLATTENING)
_ROUNDS: Final = 100
_PRECISE: Final = 1e-11


def distance_km(start: Position, end: Position) -> float:
    """Length of the shortest way between two places, after Vincenty.

    For places almost opposite each other, where his series does not come to rest, the length on
    a sphere, which is within 0.6 %.
    """
    u1, u2 = (math.atan((1 - FLATTENING) * math.tan(math.radians(p[1]))) for p in (start, end))
    across = math.radians(end[0] - start[0])
    sin_u1, cos_u1, sin_u2, cos_u2 = math.sin(u1), math.cos(u1), math.sin(u2), math.cos(u2)
    turn = across
    for _ in range(_ROUNDS):
        sin_t, cos_t = math.sin(turn), math.cos(turn)
        sin_s = math.hypot(cos_u2 * sin_t, cos_u1 * sin_u2 - sin_u1 * cos_u2 * cos_t)
        if sin_s == 0:
            return 0.0
        cos_s = sin_u1 * sin_u2 + cos_u1 * cos_u2 * cos_t
        angle = math.atan2(sin_s, cos_s)
        sin_a = cos_u1 * cos_u2 * sin_t / sin_s
        cos2_a = 1 - sin_a**2
        cos_m = cos_s - 2 * sin_u1 * sin_u2 / cos2_a if cos2_a > 0 else 0.0
        c = FLATTENING / 16 * cos2_a * (4 + FLATTENING * (4 - 3 * cos2_a))
        inner = cos_m + c * cos_s * (2 * cos_m**2 - 1)
        before, turn = turn, across + (1 - c) * FLATTENING * sin_a * (angle + c * sin_s * inner)
        if abs(turn - before) < _PRECISE:
            return _length(cos2_a, angle, sin_s, cos_s, cos_m)
    return sphere_km(start, end)


def _length(cos2_a: float, angle: float, sin_s: float, cos_s: float, cos_m: float) -> float:
    """The last lines of Vincenty's inverse formula, in kilometres."""
    u2 = cos2_a * (EQUATOR_KM**2 - POLAR_KM**2) / POLAR_KM**2
    a = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    b = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    last = b / 6 * cos_m * (4 * sin_s**2 - 3) * (4 * cos_m**2 - 3)
    delta = b * sin_s * (cos_m + b / 4 * (cos_s * (2 * cos_m**2 - 1) - last))
    return POLAR_KM * a * (angle - delta)


def sphere_km(start: Position, end: Position) -> float:
    """Length of the great circle between two places on a sphere of the Earth's mean radius."""
    lat1, lat2 = math.radians(start[1]), math.radians(end[1])
    half = math.sin(math.radians(end[0] - start[0]) / 2) ** 2
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * half
    return 2 * MEAN_KM * math.asin(math.sqrt(min(1.0, h)))


def off_great_circle_km(start: Position, end: Position, places: Sequence[Position]) -> float:
    """How far the farthest of some places lies from the great circle through two others.

    Args:
        start, end: not the same and not opposite.
        places: at least one.
    """
    import numpy as np

    normal = np.cross(_vector(start), _vector(end))
    normal /= np.linalg.norm(normal)
    sines = np.array([abs(float(np.dot(normal, _vector(place)))) for place in places])
    return float(MEAN_KM * np.arcsin(min(1.0, sines.max())))


def _vector(place: Position) -> Any:
    import numpy as np

    lon, lat = math.radians(place[0]), math.radians(place[1])
    return np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])


def area_km2(shape: Any) -> float:
    """Area of a shapely polygon in degrees, by an equal-area projection of the ellipsoid.

    Edges are taken as straight in that projection, which for edges shorter than a degree is far
    below a thousandth.
    """
    import numpy as np
    import shapely

    def project(points: Any) -> Any:
        sine = np.sin(np.radians(np.clip(points[:, 1], -90, 90)))
        return np.column_stack([np.radians(points[:, 0]), _authalic(sine) / 2])

    return float(shapely.area(shapely.transform(shape, project))) * EQUATOR_KM**2


def _authalic(sine: Any) -> Any:
    """Snyder's q of sines of latitudes: what has the height of an equal-area cylinder, twice."""
    import numpy as np

    e = math.sqrt(_ECCENTRICITY_2)
    inner = sine / (1 - _ECCENTRICITY_2 * sine**2)
    return (1 - _ECCENTRICITY_2) * (inner + np.arctanh(e * sine) / e)
