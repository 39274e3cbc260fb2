"""Where features are."""

from __future__ import annotations

from typing import Any

import pytest

from screenmark.rendering.maps import MapReading
from tests.support.maps import box, checked, line, point, polygon, reading, statuses

SEOUL, BUSAN = (126.98, 37.57), (129.04, 35.1)
KOREA = {"region": ["KOR"]}


@pytest.mark.parametrize(
    ("found", "expected", "inside", "swapped"),
    [
        (reading(point(SEOUL), point(BUSAN)), KOREA, "passed", "passed"),
        (reading(point(SEOUL[::-1]), point(BUSAN[::-1])), KOREA, "failed", "failed"),
        (reading(point((-126.98, 37.57))), KOREA, "failed", "failed"),
        (reading(point((126.98, -37.57))), KOREA, "failed", "failed"),
        (reading(point((2.3, 48.9))), KOREA, "failed", "passed"),
        (reading(point((126.98 + 0.3, 34.2))), KOREA, "passed", "passed"),
        # One layer of many points must not hide another that lies elsewhere.
        (
            reading(*[point(SEOUL)] * 30, box(100, 10, 102, 12)),
            {**KOREA, "geometry": "Point+Polygon"},
            "failed",
            "passed",
        ),
        # A background of a kind that was not asked for.
        (
            reading(point(SEOUL), box(-170, -60, 170, 80)),
            {**KOREA, "geometry": "Point"},
            "passed",
            "passed",
        ),
        (reading(point(SEOUL)), {"bbox": [126, 37, 128, 38]}, "passed", "passed"),
        (reading(point(BUSAN)), {"bbox": [126, 37, 128, 38]}, "failed", "passed"),
        # An area around a place on the coast, within the box.
        (
            reading(box(128.5, 34.5, 131, 36)),
            {**KOREA, "bbox": [124, 33, 132, 39]},
            "passed",
            "passed",
        ),
    ],
)
def test_region(found: MapReading, expected: dict[str, Any], inside: str, swapped: str) -> None:
    made = statuses(expected, found)
    assert (made["in_region"], made["not_swapped"]) == (inside, swapped)


def test_what_is_wrong_is_said() -> None:
    made = checked(KOREA, reading(point(SEOUL[::-1])))
    assert made["not_swapped"][1].startswith("latitude and longitude are swapped")
    assert made["in_region"][1] == "layer 1 l0: 0 of 1 in the region"


def test_nothing_expected_nothing_said() -> None:
    made = statuses({}, reading(point(SEOUL)))
    assert "in_region" not in made
    assert statuses(KOREA, reading())["in_region"] == "not_extracted"
    assert statuses(None, reading(point(SEOUL)))["expectations"] == "not_applicable"


@pytest.mark.parametrize(
    ("view", "more", "status"),
    [
        ((120, 30, 135, 42), {}, "passed"),
        ((0, 0, 10, 10), {}, "failed"),
        ((480, 30, 495, 42), {}, "passed"),
        ((126, 37, 128, 38), {}, "passed"),
        ((126, 37, 128, 38), {"view_on_data": True}, "failed"),
        (None, {"view_on_data": True}, "not_extracted"),
    ],
)
def test_view(view: Any, more: dict[str, Any], status: str) -> None:
    assert statuses(more, reading(point(SEOUL), point(BUSAN), view=view))["in_view"] == status


@pytest.mark.parametrize(
    ("feature", "engine", "status"),
    [
        (line((170, 0), (-170, 5)), "leaflet", "failed"),
        (line((170, 0), (190, 5)), "leaflet", "passed"),
        (line((170, 0), (-170, 5)), "plotly", "passed"),
        (polygon((170, 60), (-170, 65), (-175, 70), (175, 70)), "maplibre", "failed"),
        (box(-180, -85, 180, 85), "leaflet", "passed"),
        (polygon((-180, -90), (180, -90), (180, -70), (0, -65), (-180, -70)), "leaflet", "passed"),
    ],
)
def test_antimeridian(feature: Any, engine: str, status: str) -> None:
    assert statuses({}, reading(feature, engine=engine))["antimeridian"] == status
