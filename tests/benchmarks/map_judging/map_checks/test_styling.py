"""Which places stand out, and what dark means."""

from __future__ import annotations

from typing import Any

import pytest

from screenmark.benchmarks.map_judging.map_checks.colours import lightness, parse_colour
from screenmark.benchmarks.map_judging.map_checks.world import countries, states
from screenmark.rendering.maps import Feature
from tests.support.maps import box, checked, point, reading, statuses


def area(code: str, fill: str = "", **more: Any) -> Feature:
    shape = (countries().get(code) or states()[code]).shape
    geometry = {"type": "MultiPolygon", "coordinates": shape}
    return Feature(**{"layer": 0, "kind": "path", "fill": fill, **more}, geometry=geometry)


@pytest.mark.parametrize(
    ("features", "wanted", "status"),
    [
        ([area("FRA", "red"), area("DEU", "red"), area("ESP", "grey")], ["FRA", "DEU"], "passed"),
        ([area("FRA", "red"), area("DEU", "red"), area("ESP", "red")], ["FRA", "DEU"], "failed"),
        ([area("FRA", "red"), area("DEU", "grey"), area("ESP", "grey")], ["FRA", "DEU"], "failed"),
        ([area("FRA", layer=1), area("DEU", layer=1), area("ESP")], ["FRA", "DEU"], "passed"),
        ([area("TX", "#f00"), area("CA", "#f00"), area("NV", "#ddd")], ["TX", "CA"], "passed"),
        (
            [
                Feature(layer=0, kind="choropleth", location=c, location_mode="ISO-3", fill=f)
                for c, f in (("FRA", "red"), ("DEU", "red"), ("ESP", "grey"))
            ],
            ["FRA", "DEU"],
            "passed",
        ),
        (
            [area("ESP", "red", properties={"iso_a3": "FRA"}), area("DEU", "grey")],
            ["FRA"],
            "passed",
        ),
        ([point((0, 0)), box(-40, 20, -30, 30, fill="red")], ["FRA"], "not_extracted"),
        ([], ["FRA"], "not_extracted"),
    ],
)
def test_highlight(features: list[Any], wanted: list[str], status: str) -> None:
    assert statuses({"highlight": wanted}, reading(*features))["highlight"] == status


def test_what_is_too_much_and_what_is_missing() -> None:
    features = [*(area(code, "red") for code in ("FRA", "ITA", "ESP")), area("DEU", "grey")]
    expected = {"highlight": ["FRA", "ITA", "DEU"]}
    status, words = checked(expected, reading(*features))["highlight"]
    assert status == "failed"
    assert "also ESP" in words
    assert "without DEU" in words


def ramped(*fills: str) -> list[Feature]:
    return [box(n, 0, n + 1, 1, value=float(n), fill=fill) for n, fill in enumerate(fills)]


GREYS = ["#ffffff", "#cccccc", "#999999", "#666666", "#333333", "#000000"]


@pytest.mark.parametrize(
    ("fills", "direction", "status"),
    [
        (GREYS, "dark=high", "passed"),
        (GREYS, "dark=low", "failed"),
        (GREYS[::-1], "dark=low", "passed"),
        ([*GREYS[::2], *GREYS[1::2]], "dark=high", "failed"),
        (["red"] * 6, "dark=high", "failed"),
        (GREYS[:3], "dark=high", "not_extracted"),
        ([*["white"] * 40, "#999", "#999", "black"], "dark=high", "passed"),
        ([*["white"] * 40, "#999", "#999", "black"], "dark=low", "failed"),
    ],
)
def test_ramp(fills: list[str], direction: str, status: str) -> None:
    assert statuses({"colour_direction": direction}, reading(*ramped(*fills)))["ramp"] == status


@pytest.mark.parametrize(
    ("properties", "direction", "status"),
    [
        (lambda n: {"pop": n, "name": "x"}, "dark=high", "passed"),
        (lambda n: {"pop": n}, "dark=low", "not_extracted"),
        (lambda n: {"pop": n, "rank": 9 - n}, "dark=high", "not_extracted"),
        (lambda n: {"pop": n, "code": n * 7 % 5}, "dark=high", "passed"),
        (lambda n: {"large": n > 3}, "dark=high", "not_extracted"),
    ],
)
def test_ramps_of_numbers_that_came_with_the_features(
    properties: Any, direction: str, status: str
) -> None:
    features = [
        box(n, 0, n + 1, 1, fill=fill, properties=properties(n)) for n, fill in enumerate(GREYS)
    ]
    assert statuses({"colour_direction": direction}, reading(*features))["ramp"] == status


@pytest.mark.parametrize(
    ("text", "rgb"),
    [
        ("#f00", (255, 0, 0)),
        ("#FF000080", (255, 0, 0)),
        ("rgba(1, 2.4, 3, 0.5)", (1, 2, 3)),
        ("rgb(100%, 0%, 50%)", (255, 0, 128)),
        ("navy", (0, 0, 128)),
        ("var(--x)", None),
        ("#12", None),
        ("rgb(1)", None),
        ("", None),
    ],
)
def test_colours(text: str, rgb: tuple[int, int, int] | None) -> None:
    assert parse_colour(text) == rgb


def test_lightness() -> None:
    assert lightness((0, 0, 0)) == 0
    assert lightness((255, 255, 255)) == pytest.approx(1)
    assert lightness((0, 255, 0)) > lightness((255, 0, 0)) > lightness((0, 0, 255))
