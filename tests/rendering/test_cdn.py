from __future__ import annotations

import pytest

from screenmark.rendering.cdn import Wanted, wanted
from screenmark.rendering.packages import packages

CASES = [
    (
        "https://raw.githubusercontent.com/pointhi/leaflet-color-markers/master/img/"
        "marker-icon-2x-red.png",
        ("leaflet-color-markers", "", "img/marker-icon-2x-red.png"),
    ),
    (
        "https://cdn.rawgit.com/pointhi/leaflet-color-markers/master/img/marker-icon-red.png",
        ("leaflet-color-markers", "", "img/marker-icon-red.png"),
    ),
    (
        "https://cdn.jsdelivr.net/gh/jieter/Leaflet.Sync/L.Map.Sync.min.js",
        ("leaflet.sync", "", "L.Map.Sync.min.js"),
    ),
    (
        "https://code.jquery.com/ui/1.12.1/themes/base/jquery-ui.css",
        ("jquery-ui-dist", "1.12.1", "jquery-ui.css"),
    ),
    (
        "https://ajax.googleapis.com/ajax/libs/jqueryui/1.12.1/jquery-ui.min.js",
        ("jquery-ui-dist", "1.12.1", "jquery-ui.min.js"),
    ),
    (
        "https://api.mapbox.com/mapbox.js/plugins/leaflet-markercluster/v1.0.0/"
        "leaflet.markercluster.js",
        ("leaflet.markercluster", "1.0.0", "leaflet.markercluster.js"),
    ),
    (
        "https://unpkg.com/world-atlas@1/world/110m.json",
        ("world-atlas", "1", "countries-110m.json"),
    ),
    (
        "https://vega.github.io/vega-datasets/data/world-110m.json",
        ("vega-datasets", "", "data/world-110m.json"),
    ),
    ("https://cdn.tailwindcss.com", ("@tailwindcss/browser", "3", "")),
    ("https://unpkg.com/leaflet@1.9.4/dist/leaflet.js", ("leaflet", "1.9.4", "dist/leaflet.js")),
    ("https://unpkg.com/leaflet", ("leaflet", "", "")),
    ("https://cdn.jsdelivr.net/npm/d3@7", ("d3", "7", "")),
    (
        "https://cdn.jsdelivr.net/npm/@turf/turf@6/turf.min.js",
        ("@turf/turf", "6", "turf.min.js"),
    ),
    (
        "https://cdnjs.cloudflare.com/ajax/libs/leaflet.draw/1.0.2/leaflet.draw.js",
        ("leaflet-draw", "1.0.2", "leaflet.draw.js"),
    ),
    (
        "https://cdnjs.cloudflare.com/ajax/libs/font-awesome/4.7.0/css/font-awesome.min.css",
        ("font-awesome", "4.7.0", "css/font-awesome.min.css"),
    ),
    (
        "https://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.5.1/css/all.min.css",
        ("@fortawesome/fontawesome-free", "6.5.1", "css/all.min.css"),
    ),
    ("https://code.jquery.com/jquery-3.7.1.min.js", ("jquery", "3.7.1", "dist/jquery.min.js")),
    (
        "https://ajax.googleapis.com/ajax/libs/jquery/3.6.0/jquery.min.js",
        ("jquery", "3.6.0", "jquery.min.js"),
    ),
    (
        "https://maxcdn.bootstrapcdn.com/bootstrap/3.2.0/css/bootstrap-theme.min.css",
        ("bootstrap", "3.2.0", "dist/css/bootstrap-theme.min.css"),
    ),
    ("https://cdn.plot.ly/plotly-2.35.2.min.js", ("plotly.js-dist-min", "2.35.2", "plotly.min.js")),
    ("https://cdn.plot.ly/plotly-latest.min.js", ("plotly.js-dist-min", "1.58.5", "plotly.min.js")),
    ("https://d3js.org/d3.v7.min.js", ("d3", "7", "")),
    ("https://d3js.org/topojson.v1.min.js", ("topojson", "1", "")),
    (
        "https://cdn.bokeh.org/bokeh/release/bokeh-widgets-3.9.2.min.js",
        ("@bokeh/bokehjs", "3.9.2", "build/js/bokeh-widgets.min.js"),
    ),
    (
        "https://api.tiles.mapbox.com/mapbox-gl-js/v1.13.0/mapbox-gl.js",
        ("mapbox-gl", "1.13.0", "dist/mapbox-gl.js"),
    ),
    ("https://openlayers.org/en/v6.5.0/build/ol.js", ("ol", "6.5.0", "dist/ol.js")),
    (
        "https://cesium.com/downloads/cesiumjs/releases/1.110/Build/Cesium/Cesium.js",
        ("cesium", "1.110", "Build/Cesium/Cesium.js"),
    ),
    (
        "https://cdn.jsdelivr.net/npm/@deck.gl/jupyter-widget@~8.8.*/dist/index.js",
        ("pypi:pydeck", "", "pydeck/nbextension/static/index.js"),
    ),
    (
        "https://cdn.jsdelivr.net/gh/python-visualization/folium@main/folium/templates/"
        "leaflet_heat.min.js",
        ("pypi:folium", "", "folium/templates/leaflet_heat.min.js"),
    ),
]


@pytest.mark.parametrize(
    ("url", "meant"), [pytest.param(*case, id=case[0][8:60]) for case in CASES]
)
def test_addresses_of_libraries(url: str, meant: tuple[str, str, str]) -> None:
    assert wanted(url) == Wanted(*meant)


@pytest.mark.parametrize(("url", "meant"), CASES, ids=[case[0][8:60] for case in CASES])
def test_what_addresses_mean_is_on_the_list(url: str, meant: tuple[str, str, str]) -> None:
    name = meant[0].removeprefix("pypi:")
    assert name in {package.name for package in packages()}


def test_a_part_of_a_file_may_be_meant() -> None:
    url = "https://netdna.bootstrapcdn.com/bootstrap/3.0.0/css/bootstrap-glyphicons.css"
    found = wanted(url)
    assert found is not None
    assert (found.path, found.part) == ("dist/css/bootstrap.css", "glyphicons")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/leaflet@1.9.4/dist/leaflet.js",
        "https://unpkg.com.example.com/leaflet",
        "https://maps.googleapis.com/maps/api/js?key=x",
        "https://cdn.plot.ly/un/world_110m.json",
        "http://127.0.0.1/npm/d3",
    ],
)
def test_other_addresses_are_no_library(url: str) -> None:
    assert wanted(url) is None
