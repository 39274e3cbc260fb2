"""Counts, areas in titles, labelled values."""

from __future__ import annotations

from typing import Any

import pytest

from screenmark.benchmarks.map_judging.map_checks.world import countries
from screenmark.rendering.maps import Feature
from tests.support.maps import box, line, point, reading, statuses


@pytest.mark.parametrize(
    ("expected", "features", "more", "status"),
    [
        ({"count": [2, 3], "geometry": "Point"}, [point((0, 0))] * 2, {}, "passed"),
        ({"count": 2, "geometry": "Point"}, [point((n, 0)) for n in range(3)], {}, "failed"),
        ({"count": 2, "geometry": "Point"}, [point((n % 2, 0)) for n in range(4)], {}, "passed"),
        (
            {"count": 1, "geometry": "LineString+Point"},
            [point((0, 0)), line((0, 0), (1, 1))],
            {},
            "passed",
        ),
        ({"count": [1, 9]}, [], {}, "not_extracted"),
        ({"count": [1, 9]}, [point((0, 0))] * 4, {"whole": False}, "not_extracted"),
        ({"count": [1, 3]}, [point((0, 0))] * 4, {"whole": False}, "not_extracted"),
        ({"count": [1, 3]}, [point((n, 0)) for n in range(4)], {"whole": False}, "failed"),
    ],
)
def test_counts(
    expected: dict[str, Any], features: list[Any], more: dict[str, Any], status: str
) -> None:
    assert statuses(expected, reading(*features, **more))["count"] == status


def test_islands_are_counted_by_their_country() -> None:
    parts = [
        Feature(layer=0, kind="path", geometry={"type": "Polygon", "coordinates": rings})
        for code in ("JPN", "NZL")
        for rings in countries()[code].shape
    ]
    expected = {"count": 2, "geometry": "Polygon"}
    assert len(parts) > 4
    assert statuses(expected, reading(*parts))["count"] == "passed"


def test_points_apart() -> None:
    features = [point((0, 0)), box(0, 0, 1, 1)]
    assert statuses({"count_points": 1}, reading(*features))["count_points"] == "passed"
    assert statuses({"count_points": 2}, reading(*features))["count_points"] == "failed"


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("Area: 12,308 km²", "passed"),
        ("0.0123 million km2 around it", "passed"),
        ("1.23만 km² 면적", "passed"),
        ("0.02 million sq km", "failed"),
        ("no number", None),
    ],
)
def test_area_in_the_title(title: str, status: str | None) -> None:
    found = statuses({}, reading(box(0, 0, 1, 1), titles=[title]), prompt="print the total area")
    assert found.get("title_area") == status


def test_an_area_that_nobody_asked_for() -> None:
    found = statuses({}, reading(box(0, 0, 1, 1), titles=["lakes above 9 km²"]), prompt="lakes")
    assert "title_area" not in found


@pytest.mark.parametrize(
    ("labels", "status"),
    [
        (["Netherlands 427", "Belgium 381.4"], "passed"),
        (["Netherlands 42", "Belgium 381"], "failed"),
        (["Netherlands 427"], "failed"),
        (["Elsewhere 5"], "not_extracted"),
        ([], "not_extracted"),
    ],
)
def test_labelled_values(labels: list[str], status: str) -> None:
    expected = {"top5": ["Netherlands", "Belgium"], "top5_values": [426.9, 381.4]}
    assert statuses(expected, reading(box(0, 0, 1, 1), labels=labels))["top"] == status
