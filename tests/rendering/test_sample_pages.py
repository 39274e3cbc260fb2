"""The pages of the GIS sample, as they are rendered with the assets that `make setup` fetches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from screenmark.rendering import Renderer, Rendering, RenderOptions
from screenmark.rendering.assets import AssetStore, asset_folder
from screenmark.rendering.fetching import fetch
from screenmark.rendering.packages import packages

ROOT = Path(__file__).parents[2]
PACKAGED = ROOT / "src/screenmark/benchmarks/map_judging/data/outputs"
OTHERS = ROOT / "tests/benchmarks/gis_sample"
OPTIONS = RenderOptions(pages=2, settle_s=60, page_s=120)


@pytest.fixture(scope="module")
def assets() -> AssetStore:
    store = AssetStore(asset_folder())
    fetch(store, [package for package in packages() if package.group == "sample"], lambda _: None)
    return store


def rendered(files: list[Path], options: RenderOptions = OPTIONS) -> list[Rendering]:
    async def run() -> list[Rendering]:
        async with Renderer(options) as renderer:
            return list(await asyncio.gather(*(renderer.render(file) for file in files)))

    return asyncio.run(run())


def check_twice(files: list[Path]) -> None:
    found = rendered(files + files)
    for first, second in zip(found[: len(files)], found[len(files) :], strict=True):
        one, other = first.record, second.record
        assert one.readiness is not None
        assert not one.readiness.capped, (one.page, one.readiness)
        assert one.picture is not None
        assert other.picture is not None
        assert one.picture.sha256 == other.picture.sha256, one.page


@pytest.mark.usefixtures("assets")
def test_one_page_of_each_library_twice_gives_the_same_pixels() -> None:
    check_twice([PACKAGED / "model_alpha" / f"{number}.html" for number in (1, 7, 12)])


@pytest.mark.full
@pytest.mark.usefixtures("assets")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=f"{page.parent.name}-{page.stem}")
        for folder in (PACKAGED, OTHERS)
        for page in sorted(folder.glob("*/*.html"))
    ],
)
def test_every_page_twice_gives_the_same_pixels(page: Path) -> None:
    check_twice([page])


@pytest.mark.usefixtures("assets")
def test_what_is_wrong_with_a_page_is_said() -> None:
    folder = PACKAGED / "model_beta"
    blank, broken = (done.record for done in rendered([folder / "4.html", folder / "5.html"]))
    assert blank.picture is not None
    assert blank.picture.verdict == "blank"
    assert blank.script_errors == []
    assert broken.picture is not None
    assert broken.picture.verdict == "blank"
    assert [error.message for error in broken.script_errors] == ["europeData is not defined"]
    assert all(error.uncaught for error in broken.script_errors)


@pytest.mark.usefixtures("assets")
def test_everything_that_a_page_gets_is_in_its_record() -> None:
    [done] = rendered([PACKAGED / "model_alpha" / "1.html"])
    record = done.record
    kept = {entry.package: entry.version for entry in record.served if entry.source == "package"}
    assert kept["leaflet"] == "1.9.3"
    assert kept["jquery"] == "3.7.1"
    markers = [e for e in record.served if e.package == "leaflet.awesome-markers"]
    assert {e.substituted for e in markers} == {"2.0.5 for 2.0.2, another version"}
    assert record.tiles["tile.openstreetmap.org"] > 10
    assert record.blocked == []


@pytest.mark.usefixtures("assets")
def test_without_assets_every_script_is_missed_aloud(tmp_path: Path) -> None:
    page = PACKAGED / "model_alpha" / "10.html"
    for options in (
        RenderOptions(pages=1, network="block"),
        RenderOptions(pages=1, assets=tmp_path),
    ):
        [done] = rendered([page], options)
        warnings = "\n".join(done.record.warnings)
        assert "script not served: https://unpkg.com/leaflet@1.9.4/dist/leaflet.js" in warnings
        assert "script error: " in warnings


@pytest.mark.usefixtures("assets")
def test_maps_are_found_by_hooks_in_frames_too() -> None:
    inner = """<link rel="stylesheet" href="https://unpkg.com/leaflet@1.9.4/dist/leaflet.css">
    <script src="https://unpkg.com/leaflet@1.9.4/dist/leaflet.js"></script>
    <div id="m" style="height: 300px"></div><script>
    (() => { L.map("m").setView([37.5, 127], 6); })();</script>"""
    page = f"<iframe width=600 height=400 srcdoc='{inner}'></iframe>"
    own = 'window.versions = []; __screenmark.onLibrary("L", (L) => { versions.push(L.version); })'
    asked = (
        "({kinds: __screenmark.maps.map(m => m.kind), versions, problems: __screenmark.problems})"
    )

    async def run() -> list[object]:
        async with Renderer(OPTIONS) as renderer, renderer.open(page, init_scripts=[own]) as live:
            await live.ready()
            return [frame.value for frame in await live.evaluate_frames(asked)]

    outer, framed = asyncio.run(run())
    assert outer == {"kinds": [], "versions": [], "problems": []}
    assert framed == {"kinds": ["leaflet"], "versions": ["1.9.4"], "problems": []}


def test_the_clock_and_chance_are_the_same_every_time() -> None:
    page = """<p>x</p><script>window.found = [new Date().getFullYear(), Math.random(),
    Date.now() > Date.UTC(2026, 0, 15), new Date(0).getTime(), typeof Date(),
    new Date() instanceof Date]</script>"""

    async def run() -> list[object]:
        async with Renderer(OPTIONS) as renderer:
            values = []
            for _ in range(2):
                async with renderer.open(page) as live:
                    await live.ready()
                    values.append(await live.evaluate("found"))
            return values

    first, second = asyncio.run(run())
    assert first == second
    assert isinstance(first, list)
    assert first[0] == 2026
    assert first[2:] == [True, 0, "string", True]


def test_a_fixed_wait_waits() -> None:
    [done] = rendered([PACKAGED / "model_beta" / "4.html"], RenderOptions(pages=1, wait="fixed:1"))
    readiness = done.record.readiness
    assert readiness is not None
    assert readiness.rule == "fixed:1"
    assert readiness.seconds >= 1
    assert not readiness.capped
