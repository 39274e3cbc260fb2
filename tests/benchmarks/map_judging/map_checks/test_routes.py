"""Shortest ways and distances."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.maps import line, point, reading, statuses

SEOUL, LONDON = (126.98, 37.57), (-0.13, 51.51)
GREAT = "Draw great-circle routes"


def great_circle(n: int) -> list[tuple[float, float]]:
    import numpy as np

    def vector(lon: float, lat: float) -> Any:
        a, b = np.radians([lon, lat])
        return np.array([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)])

    start, end = vector(*SEOUL), vector(*LONDON)
    angle = np.arccos(start @ end)
    places = []
    for part in np.linspace(0, 1, n):
        at = (np.sin((1 - part) * angle) * start + np.sin(part * angle) * end) / np.sin(angle)
        places.append(
            (float(np.degrees(np.arctan2(at[1], at[0]))), float(np.degrees(np.arcsin(at[2]))))
        )
    return places


@pytest.mark.parametrize(
    ("feature", "status"),
    [
        (line(*great_circle(50)), "passed"),
        (line(SEOUL, (60, 45), LONDON), "failed"),
        (line(SEOUL, LONDON), "failed"),
        (line(SEOUL, LONDON, bent=True), "passed"),
        (line((0, 0), (90, 0)), "passed"),
        (line((0, 0), (1, 1)), "not_extracted"),
    ],
)
def test_great_circles(feature: Any, status: str) -> None:
    assert statuses({}, reading(feature), prompt=GREAT)["great_circle"] == status
    assert "great_circle" not in statuses({}, reading(feature), prompt="draw lines")


@pytest.mark.parametrize(
    ("label", "status"),
    [
        ("Tokyo 1,153 km", "passed"),
        ("to Tokyo: 1195.2 km", "failed"),
        ("Tokyo", "not_extracted"),
        ("Osaka 1159 km", "not_extracted"),
    ],
)
def test_distances(label: str, status: str) -> None:
    expected = {"distances_km": {"Tokyo": 1159}, "tolerance_pct": 3}
    assert statuses(expected, reading(point(SEOUL, label=label)))["distances"] == status
    assert statuses(expected, reading(point(SEOUL, popup=label)))["distances"] == status
