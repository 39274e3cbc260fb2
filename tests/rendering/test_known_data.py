"""Countries in the place of well-known public files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from screenmark.rendering.assets import AssetStore
from screenmark.rendering.known_data import DataSource
from screenmark.rendering.packages import Package, packages
from screenmark.rendering.routes import Answer, Asked

RAW = "https://raw.githubusercontent.com"
JOHAN = f"{RAW}/johan/world.geo.json/master/countries"


def package(name: str) -> Package:
    return next(package for package in packages() if package.name == name)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    """Two countries of a made-up atlas."""
    store = AssetStore(tmp_path_factory.mktemp("assets"))
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    shapes = [
        {"type": "Polygon", "arcs": [[0]], "id": "410", "properties": {"name": "South Korea"}},
        {"type": "MultiPolygon", "arcs": [[[0]]], "properties": {"name": "N. Cyprus"}},
    ]
    topology = {"arcs": [square], "objects": {"countries": {"geometries": shapes}}}
    write(store.place(package("world-atlas")) / "countries-50m.json", topology)
    write(store.place(package("i18n-iso-countries")) / "codes.json", [["KR", "KOR", "410"]])
    return DataSource(store)


def write(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(value), encoding="utf-8")


def got(source: DataSource, url: str) -> list[tuple[str, str]] | None:
    answer = asyncio.run(source.answer(Asked(url, "fetch")))
    if answer is None:
        return None
    assert isinstance(answer, Answer)
    assert answer.served is not None
    assert answer.served.source == "data"
    features = json.loads(answer.body)["features"]
    assert all(f["geometry"]["type"] in {"Polygon", "MultiPolygon"} for f in features)
    return [(f["id"], f["properties"]["name"]) for f in features]


BOTH = [("-99", "Northern Cyprus"), ("KOR", "South Korea")]


@pytest.mark.parametrize(
    ("url", "features"),
    [
        (f"{JOHAN}.geo.json", BOTH),
        (f"{JOHAN}.geo.json?x=1", BOTH),
        (f"{JOHAN}/KOR.geo.json", BOTH[1:]),
        (f"{RAW}/datasets/geo-countries/main/data/countries.geojson", BOTH),
        (f"{RAW}/holtzy/D3-graph-gallery/master/DATA/world.geojson", BOTH),
        ("https://cdn.jsdelivr.net/gh/johan/world.geo.json@master/countries.geo.json", BOTH),
        (f"{RAW}/python-visualization/folium/main/examples/data/us-states.json", None),
        (f"{RAW}/nvkelso/natural-earth-vector/master/geojson/ne_110m_admin_0.geojson", None),
        ("https://example.com/johan/world.geo.json/master/countries.geo.json", None),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_addresses(source: DataSource, url: str, features: list[tuple[str, str]] | None) -> None:
    assert got(source, url) == features


def test_without_the_packages_others_are_asked(tmp_path: Path) -> None:
    assert got(DataSource(AssetStore(tmp_path)), f"{JOHAN}.geo.json") is None
