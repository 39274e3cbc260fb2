"""Places that belong to the nearest of several hubs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.maps import checked, line, point, reading, statuses

NEAREST = "Join every city with the nearest hub"
WEST, EAST = (0.0, 0.0), (10.0, 0.0)
TOWNS = [(1.0, 1.0), (2.0, -1.0), (3.0, 0.5), (8.0, 1.0), (9.0, -1.0), (4.9, 0.0), (1.5, 2.0)]


def hubs(*, wrong: bool) -> list[Any]:
    places = [(1.0, 1.0), (2.0, -1.0), (3.0, 0.5), (8.0, 1.0), (9.0, -1.0), (5.0, 0.0)]
    lines = [line(p, WEST if p[0] <= 5 else EAST) for p in places]
    if wrong:
        lines[0] = line(places[0], EAST)
    return [*lines, point(places[0], label="A"), point(WEST, label="W")]


@pytest.mark.parametrize(("wrong", "status"), [(False, "passed"), (True, "failed")])
def test_nearest(wrong: bool, status: str) -> None:
    expected = {"geometry": "Point+LineString"}
    made = checked(expected, reading(*hubs(wrong=wrong)), prompt=NEAREST)
    assert made["nearest_hub"][0] == status
    if wrong:
        assert "A is nearer to W" in made["nearest_hub"][1]


def test_lines_that_share_no_ends() -> None:
    lines = [line((n, 0), (n, 1)) for n in range(6)]
    made = statuses({"geometry": "LineString"}, reading(*lines), prompt=NEAREST)
    assert made["nearest_hub"] == "not_extracted"


def towns(words: str, *, wrong: bool = False, colours: bool = False, key: str = "") -> list[Any]:
    """Two hubs with names, and towns that say, or show, which one they belong to."""
    found = [point(WEST, label="Seoul", layer=3), point(EAST, label="부산", layer=3)]
    for number, at in enumerate(TOWNS):
        is_west = (at[0] < 5) != (wrong and number == 0)
        hub = "Seoul" if is_west else "부산"
        more: dict[str, Any] = {"popup": words.format(hub=hub, number=number)} if words else {}
        if key:
            more["properties"] = {"name": f"Town {number}", key: hub}
        if colours:
            more["fill"] = "red" if is_west else "blue"
        found.append(point(at, kind="circle_marker", **more))
    return found


@pytest.mark.parametrize(
    ("features", "status"),
    [
        pytest.param(towns("Town {number} nearest hub: {hub}"), "passed", id="words"),
        pytest.param(towns("Town {number} nearest hub: {hub}", wrong=True), "failed", id="wrong"),
        pytest.param(towns("최근접 거점: {hub}", wrong=True), "failed", id="wrong, in Korean"),
        pytest.param(towns("", key="nearest_hub"), "passed", id="properties"),
        pytest.param(towns("", key="nearest_hub", wrong=True), "failed", id="wrong properties"),
        pytest.param(towns("", key="county", wrong=True), "not_extracted", id="another property"),
        pytest.param(towns("{hub} Seoul 부산", wrong=True), "not_extracted", id="both"),
        pytest.param(towns("hub {hub}, then Seoul, 부산"), "not_extracted", id="hub and both"),
        pytest.param(towns("to {hub}", wrong=True), "not_extracted", id="no word for it"),
        pytest.param(towns("hub {hub}stadt", wrong=True), "not_extracted", id="part of a name"),
        pytest.param(towns("", colours=True), "passed", id="colours"),
        pytest.param(towns("", colours=True, wrong=True), "not_extracted", id="other colours"),
        pytest.param(towns(""), "not_extracted", id="nothing"),
    ],
)
def test_points_that_are_given_to_hubs(features: list[Any], status: str) -> None:
    made = statuses({"geometry": "Point"}, reading(*features), prompt=NEAREST)
    assert made["nearest_hub"] == status
    assert "nearest_hub" not in statuses({"geometry": "Point"}, reading(*features), prompt="map")
