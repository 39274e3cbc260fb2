"""Maps are read from the engines that draw them, whatever a page does to hinder it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from screenmark.rendering import Renderer, RenderOptions
from screenmark.rendering.assets import AssetStore, asset_folder
from screenmark.rendering.fetching import fetch
from screenmark.rendering.maps import MAP_SCRIPTS, Feature, LiveMap, MapReading, read_maps
from screenmark.rendering.maps.reading import LIMITS
from screenmark.rendering.packages import packages
from tests.rendering.maps import pages

OPTIONS = RenderOptions(pages=2, settle_s=60, page_s=120)
OTHERS = {"ol@10.11.0": "openlayers", "deck.gl@9.4.0": "deck", "leaflet.heat@0.2.0": "clusters"}


def store() -> AssetStore:
    return AssetStore(asset_folder())


def read(given: dict[str, str], limits: dict[str, int] | None = None) -> dict[str, Any]:
    """The readings of several pages."""

    async def one(renderer: Renderer, page: str) -> list[MapReading]:
        async with renderer.open(page, init_scripts=MAP_SCRIPTS) as live:
            await live.ready()
            return await read_maps(live, limits)

    async def run() -> list[list[MapReading]]:
        async with Renderer(OPTIONS) as renderer:
            return list(await asyncio.gather(*(one(renderer, page) for page in given.values())))

    return dict(zip(given, asyncio.run(run()), strict=True))


@pytest.fixture(scope="module")
def found() -> dict[str, list[MapReading]]:
    fetch(store(), [package for package in packages() if package.group == "sample"], lambda _: None)
    given = {
        "leaflet": pages.LEAFLET.replace("{version}", "1.9.4"),
        "maplibre": pages.MAPLIBRE,
        "plotly": pages.PLOTLY,
        "esm": pages.ESM,
        "svg": pages.SVG,
        "swatches": pages.SWATCHES,
        "grouped": pages.GROUPED,
        "scoped": pages.SCOPED,
        "own words": pages.OWN_WORDS,
    }
    inner = pages.LEAFLET.replace("{version}", "1.9.4").replace('"', "&quot;")
    given["frame"] = f'<iframe width=900 height=700 srcdoc="{inner}"></iframe>'
    kept = {place.name for place in (store().folder / "npm").iterdir()}
    more = {
        "openlayers": pages.OPENLAYERS,
        "deck": pages.DECK,
        "clusters": pages.CLUSTERS,
        "leaflet16": pages.LEAFLET.replace("{version}", "1.6.0"),
    }
    libraries = {
        name: kind for library, kind in OTHERS.items() if library in kept for name in [kind]
    }
    given |= {name: page for name, page in more.items() if name in libraries}
    if "leaflet@1.6.0" in kept:
        given["leaflet16"] = more["leaflet16"]
    return read(given)


def the(found: dict[str, list[MapReading]], name: str) -> LiveMap:
    """The only map of a page."""
    if name not in found:
        pytest.skip(f"the library of {name} is not among the assets; screenmark assets fetch")
    (live,) = found[name][0].maps
    return live


@pytest.mark.parametrize("name", ["leaflet", "leaflet16"])
def test_leaflet(found: dict[str, list[MapReading]], name: str) -> None:
    live = the(found, name)
    assert live.engine == "leaflet"
    marker, circle, dot, line, polygon, islands = live.features
    assert marker == Feature(
        layer=0,
        kind="marker",
        geometry={"type": "Point", "coordinates": [127.987654321, 37.123456789]},
        label="Wonju",
        popup="A & B",
    ), "full precision, whatever the version rounds"
    assert (circle.kind, circle.radius_m, circle.stroke, circle.fill) == (
        *("circle", 5000, "#f00", "#0f0"),
    )
    assert (dot.kind, dot.radius_px, dot.label) == ("circle_marker", 7, "seen")
    assert line.geometry == {"type": "LineString", "coordinates": [[127, 37], [128, 38]]}
    assert line.stroke == "blue"
    assert polygon.geometry is not None
    assert [len(ring) for ring in polygon.geometry["coordinates"]] == [4, 4]
    assert polygon.geometry["coordinates"][0][0] == polygon.geometry["coordinates"][0][-1]
    assert islands.geometry is not None
    assert islands.geometry["type"] == "MultiPolygon"
    assert islands.properties == {"name": "Z", "n": 3}
    (view,) = live.views
    assert view.zoom == 7
    assert view.crs == "EPSG:3857"
    assert view.bbox is not None
    assert view.bbox[0] < 127 < view.bbox[2]
    furniture = found[name][0].furniture
    assert furniture.titles[0] == "Ten towns"
    assert furniture.legends == ["many"]
    assert "seen" in furniture.labels


def test_a_map_in_a_frame(found: dict[str, list[MapReading]]) -> None:
    outer, inner = found["frame"]
    assert outer.maps == []
    assert (outer.frame, inner.frame) == (0, 1)
    assert len(inner.maps[0].features) == 6


def test_clusters_and_heat(found: dict[str, list[MapReading]]) -> None:
    kinds = [feature.kind for feature in the(found, "clusters").features]
    assert (kinds.count("marker"), kinds.count("heat")) == (30, 2)


def test_maplibre(found: dict[str, list[MapReading]]) -> None:
    live = the(found, "maplibre")
    small, large, marker = live.features
    assert [f.fill for f in (small, large)] == ["rgba(255,0,0,1)", "rgba(0,0,255,1)"]
    assert small.properties == {"n": 1}
    assert [layer.name for layer in live.layers] == ["s", "markers"], "u is drawn by no layer"
    assert marker.geometry == {"type": "Point", "coordinates": [9, 51]}
    assert marker.popup == "pop"


def test_openlayers_in_degrees(found: dict[str, list[MapReading]]) -> None:
    polygon, circle = the(found, "openlayers").features
    assert polygon.geometry is not None
    assert polygon.geometry["coordinates"][0] == pytest.approx(
        [pytest.approx(p) for p in ([9, 49], [11, 49], [11, 51], [9, 49])]
    )
    assert polygon.fill == "#123456"
    assert polygon.properties == {"name": "T"}
    assert circle.geometry is not None
    assert circle.geometry["type"] == "Polygon"


def test_plotly(found: dict[str, list[MapReading]]) -> None:
    live = the(found, "plotly")
    france, germany, own, lost, *ways, paris = live.features
    assert [(f.location, f.location_mode, f.value, f.fill) for f in (france, germany)] == [
        ("FRA", "ISO-3", 0, "rgb(0,0,0)"),
        ("DEU", "ISO-3", 10, "rgb(255,255,255)"),
    ]
    assert own.geometry is not None
    assert own.geometry["coordinates"][0][1] == [5, 40]
    assert lost.geometry is None
    assert [way.geometry["coordinates"][0] for way in ways if way.geometry] == [[0, 0], [20, 20]]
    assert all(way.bent for way in ways)
    assert paris.label == "Paris 5 km"
    assert live.views[0].bbox == (-10, 35, 30, 60)
    reading = found["plotly"][0]
    assert reading.furniture.titles == ["A plot"]
    assert any("0 2 4 6 8 10" in text for text in reading.furniture.legends)
    assert {"note", "Paris 5 km"} <= set(reading.furniture.labels)
    assert reading.notes == ["plotly: no shape for location b"]


def test_deck(found: dict[str, list[MapReading]]) -> None:
    dot, arc, place = the(found, "deck").features
    assert (dot.radius_m, dot.fill, dot.properties) == (1000, "rgb(255,0,0)", {"name": "x"})
    assert arc.geometry == {"type": "LineString", "coordinates": [[0, 0], [9, 9]]}
    assert place.geometry == {"type": "Point", "coordinates": [1, 2]}


def test_words_of_a_group_are_those_of_its_members(found: dict[str, list[MapReading]]) -> None:
    assert [(f.label, f.popup) for f in the(found, "grouped").features] == [
        ("Incheon to Tokyo 1,213 km", "by air")
    ] * 2


def test_places_outside_of_the_continent_shown_are_not_drawn(
    found: dict[str, list[MapReading]],
) -> None:
    assert [f.location for f in the(found, "scoped").features] == ["NGA", "EGY"]
    assert "plotly: 2 places outside of africa are not drawn" in found["scoped"][0].notes


def test_maps_that_a_function_makes_and_words_that_an_engine_holds(
    found: dict[str, list[MapReading]],
) -> None:
    places = [f.geometry and f.geometry["coordinates"] for f in the(found, "own words").features]
    assert places == [[127, 37], [129, 35]]
    furniture = found["own words"][0].furniture
    assert furniture.titles == ["By Vega", "By Bokeh"]
    assert furniture.legends == ["Heads"]


def test_what_cannot_be_read_says_why(found: dict[str, list[MapReading]]) -> None:
    assert "ES modules" in found["esm"][0].notes[0]
    assert "D3 or plain SVG" in found["svg"][0].notes[0]
    assert found["svg"][0].furniture.labels == ["Here"]


def test_titles_and_legends_without_a_name(found: dict[str, list[MapReading]]) -> None:
    furniture = found["swatches"][0].furniture
    assert furniture.titles == ["Where people live"]
    assert furniture.legends == ["few many"]


EXPECTED = {
    "a getter that throws": (1, True, "a layer cannot be read"),
    "objects in circles": (1, True, ""),
    "no numbers": (1, True, "2 features have coordinates that are no numbers"),
    "huge texts": (2, True, ""),
    "a million features": (LIMITS["features"], False, "more than 20000 features"),
    "functions replaced": (0, False, "something else than a reading"),
    "another answer": (0, False, "something else than a reading"),
    "hooks taken away": (1, True, ""),
}


@pytest.fixture(scope="module")
def hindered() -> dict[str, list[MapReading]]:
    return read(pages.HOSTILE)


@pytest.mark.parametrize("name", EXPECTED)
def test_pages_that_hinder_it(hindered: dict[str, list[MapReading]], name: str) -> None:
    (reading,) = hindered[name]
    number, whole, note = EXPECTED[name]
    assert sum(len(live.features) for live in reading.maps) == number
    assert reading.whole == whole
    assert any(note in text for text in reading.notes) if note else reading.notes == []
    assert len(msgspec.json.encode(reading)) < 4_000_000


def test_limits_on_vertices() -> None:
    page = pages.LEAFLET.replace("{version}", "1.9.4")
    (reading,) = read({"it": page}, {"vertices": 5})["it"]
    assert not reading.whole
    assert reading.notes == ["more than 5 vertices; what follows is left out"]
    assert len(reading.maps[0].features) == 4, "what came before is kept"
