"""Codes, names and shapes of countries."""

from __future__ import annotations

import pytest
import shapely

from screenmark.benchmarks.map_judging.map_checks import world


def test_every_shape_is_sound_and_where_it_says() -> None:
    assert len(world.countries()) == 240
    assert len(world.states()) == 52
    for code, area in {**world.countries(), **world.states()}.items():
        shape = world.shape_of(code)
        assert shape.is_valid, code
        assert shape.area > 0, code
        assert area.continent in world.CONTINENTS, code
    assert len(world.codes_of("africa")) == 57


@pytest.mark.parametrize(
    ("at", "code"),
    [((127, 37), "KOR"), ((2.3, 48.8), "FRA"), ((103.82, 1.35), "SGP"), ((-97, 31), "USA")],
)
def test_places_are_in_their_countries(at: tuple[float, float], code: str) -> None:
    assert world.shape_of(code).intersects(shapely.Point(at))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("KOR", "KOR"),
        ("kor", "KOR"),
        ("South Korea", "KOR"),
        ("Korea, Republic of", "KOR"),
        ("Côte d’Ivoire", "CIV"),
        ("Russia", "RUS"),
        ("KOS", "XKX"),
        ("Atlantis", None),
    ],
)
def test_names(name: str, code: str | None) -> None:
    assert world.code_of(name) == code


def test_a_polygon_is_the_country_that_it_covers() -> None:
    rough = shapely.simplify(world.shape_of("DEU"), 0.5)
    assert world.identify(rough) == "DEU"
    assert world.identify(shapely.box(-40, 20, -30, 30)) is None
    assert world.identify(world.shape_of("TX"), "states") == "TX"
