"""Distances and areas on the ellipsoid, against published figures."""

from __future__ import annotations

import math

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from screenmark.benchmarks.map_judging.map_checks.geodesy import (
    EQUATOR_KM,
    MEAN_KM,
    POLAR_KM,
    area_km2,
    distance_km,
    off_great_circle_km,
    sphere_km,
)

places = st.tuples(st.floats(-180, 180), st.floats(-89, 89))


@pytest.mark.parametrize(
    ("start", "end", "km"),
    [
        ((0, 0), (1, 0), 111.319491),
        ((0, 0), (0, 1), 110.574389),
        ((0, -90), (0, 90), 20003.931459),
        ((-0.1, 51.5), (-0.1, 51.5), 0),
        ((0, 0), (180, 0), math.pi * MEAN_KM),
    ],
)
def test_known_distances(start: tuple[float, float], end: tuple[float, float], km: float) -> None:
    assert distance_km(start, end) == pytest.approx(km, abs=1e-3)


@given(places, places)
def test_the_ellipsoid_is_nearly_a_sphere(
    start: tuple[float, float], end: tuple[float, float]
) -> None:
    assert distance_km(start, end) == pytest.approx(sphere_km(start, end), rel=0.006, abs=1e-6)
    assert distance_km(start, end) == pytest.approx(distance_km(end, start), abs=1e-6)


def test_the_whole_earth_and_a_degree() -> None:
    assert area_km2(shapely.box(-180, -90, 180, 90)) == pytest.approx(510_065_622, rel=1e-6)
    # An ellipsoid's degree at the equator: the product of its two lengths.
    small = area_km2(shapely.box(0, 0, 0.01, 0.01))
    assert small == pytest.approx(1.11319491 * 1.10574276, rel=1e-5)
    assert POLAR_KM < MEAN_KM < EQUATOR_KM


def test_a_hole_is_no_area() -> None:
    whole, hole = shapely.box(0, 0, 4, 4), shapely.box(1, 1, 2, 2)
    assert area_km2(whole - hole) == pytest.approx(area_km2(whole) - area_km2(hole))


def test_off_the_great_circle() -> None:
    assert off_great_circle_km((0, 0), (90, 0), [(45, 0)]) == pytest.approx(0, abs=1e-6)
    off = off_great_circle_km((0, 0), (90, 0), [(45, 0), (45, 10)])
    assert off == pytest.approx(math.radians(10) * MEAN_KM)
