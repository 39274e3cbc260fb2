"""Kinds of shapes, sound polygons, round buffers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.maps import box, checked, disc, ellipse, line, point, polygon, reading, statuses

CENTRE = (127.0, 37.5)
BUFFERS = {"buffers_km": [50, 100], "center": list(CENTRE)}
BOW_TIE = polygon((0, 0), (2, 2), (2, 0), (0, 2))
HAIR = polygon((0, 0), (10, 0), (10, 10), (5, 10), (5, 10.001), (5.001, 10), (0, 10))


@pytest.mark.parametrize(
    ("wanted", "features", "status"),
    [
        ("Point", [point((0, 0))], "passed"),
        ("Polygon", [point((0, 0))], "failed"),
        ("Polygon", [point((0, 0), radius_m=5000.0)], "passed"),
        ("Point", [point((0, 0), radius_m=5000.0)], "passed"),
        ("Point+LineString", [point((0, 0))], "failed"),
        ("LineString", [], "not_extracted"),
    ],
)
def test_kinds(wanted: str, features: list[Any], status: str) -> None:
    assert statuses({"geometry": wanted}, reading(*features))["geometry_kinds"] == status


@pytest.mark.parametrize(
    ("features", "status", "words"),
    [
        ([box(0, 0, 1, 1)], "passed", "1 shapes are sound"),
        ([BOW_TIE], "failed", "1 of 1 shapes cross themselves"),
        ([HAIR], "passed", "defects of less than"),
        ([line((1, 1), (1, 1))], "passed", "1 lines have no length"),
    ],
)
def test_validity(features: list[Any], status: str, words: str) -> None:
    found = checked({}, reading(*features))["geometry_valid"]
    assert found[0] == status
    assert words in found[1]


def test_coordinates_that_are_no_numbers() -> None:
    assert statuses({}, reading(point((0, 0)), odd=2))["geometry_valid"] == "failed"


@pytest.mark.parametrize(
    ("features", "radius", "shape"),
    [
        ([disc(CENTRE, 50), disc(CENTRE, 100)], "passed", "passed"),
        ([disc(CENTRE, 50), disc(CENTRE, 150)], "failed", "passed"),
        ([point(CENTRE, radius_m=50_000.0), point(CENTRE, radius_m=100_000.0)], "passed", "passed"),
        ([ellipse(CENTRE, 0.45, 0.45), ellipse(CENTRE, 0.9, 0.9)], "failed", "failed"),
        ([disc((120, 30), 50), disc((120, 30), 100)], "failed", "failed"),
        ([point(CENTRE)], "failed", "failed"),
        ([], "not_extracted", "not_extracted"),
    ],
)
def test_buffers(features: list[Any], radius: str, shape: str) -> None:
    found = statuses(BUFFERS, reading(*features))
    assert (found["buffer_radius"], found["buffer_shape"]) == (radius, shape)


def test_buffers_around_any_centre() -> None:
    found = statuses({"buffers_km": [500]}, reading(disc((10, 5), 500)))
    assert found["buffer_radius"] == "passed"
