"""What pages may not do, and that the next page does not notice."""

from __future__ import annotations

import asyncio
import urllib.request

import pytest

from screenmark.rendering import (
    PageLostError,
    PageRecord,
    Renderer,
    Rendering,
    RenderingError,
    RenderOptions,
)
from screenmark.rendering.maps import MAP_SCRIPTS, MapReading, read_maps
from screenmark.rendering.readiness import _busy, needs_patience
from tests.rendering import hostile

LIMITS = RenderOptions(pages=1, settle_s=3, call_s=2, page_s=20, memory_mb=700, network="assets")
GOOD = "<body style='background: teal'><h1 style='font-size: 300px'>good</h1>"


def rendered(*pages: str, options: RenderOptions = LIMITS) -> list[Rendering]:
    async def run() -> list[Rendering]:
        async with Renderer(options) as renderer:
            return [await renderer.render(page) for page in pages]

    return asyncio.run(run())


def reasons(record: PageRecord, kind: str) -> list[str]:
    return [entry.url for entry in record.blocked if entry.kind == kind]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(hostile.ENDLESS, id="while-loading"),
        pytest.param(hostile.ENDLESS_LATER, id="after-loading", marks=pytest.mark.full),
    ],
)
def test_an_endless_loop_is_ended_and_the_run_goes_on(page: str) -> None:
    lost, good = rendered(page, GOOD)
    assert lost.png is None
    assert lost.record.lost == "hung"
    assert "does not answer" in lost.record.warnings[0]
    assert good.png is not None
    assert good.record.lost == ""


@pytest.mark.full
def test_a_page_may_not_run_longer_than_its_limit() -> None:
    async def run() -> PageRecord:
        options = RenderOptions(pages=1, settle_s=60, call_s=60, page_s=3)
        async with Renderer(options) as renderer:
            return (await renderer.render(hostile.ENDLESS)).record

    assert asyncio.run(run()).lost in {"time", "hung"}


def test_two_gigabytes_are_not_given_and_the_run_goes_on() -> None:
    lost, good = rendered(hostile.TWO_GIGABYTES, GOOD)
    assert lost.png is None
    assert lost.record.lost in {"memory", "crashed"}
    assert good.record.lost == ""


def test_a_hundred_windows_are_not_opened() -> None:
    async def run() -> tuple[PageRecord, int]:
        async with Renderer(LIMITS) as renderer, renderer.open(hostile.HUNDRED_WINDOWS) as live:
            await live.ready()
            await live.screenshot()
            return live.record, len(live.page.context.pages)

    record, pages = asyncio.run(run())
    assert pages == 1
    assert len(reasons(record, "popup")) >= 50
    assert record.picture is not None
    assert record.picture.verdict == "drawn"


def test_no_page_reaches_a_service_of_this_machine() -> None:
    with hostile.local_service() as (port, asked):
        [done] = rendered(hostile.reaching(port))
        assert asked == []
        # The service is there; only the page could not reach it.
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/us") as answer:
            assert answer.status == 200
        assert asked == ["/us"]
    tried = {entry.url.rsplit("/", 1)[-1] for entry in done.record.blocked}
    assert {"image", "frame", "fetch", "worker", "socket", "navigation"} <= tried
    assert done.record.lost == ""


def test_allowing_the_network_does_not_open_this_machine() -> None:
    with hostile.local_service() as (port, asked):
        options = RenderOptions(pages=1, network="allow")
        [done] = rendered(hostile.reaching(port), options=options)
        assert asked == []
    assert any("private network" in entry.reason for entry in done.record.blocked)


def test_downloads_and_dialogs_are_refused() -> None:
    page = """<h1 style="font-size: 200px">x</h1>
    <a id="a" href="data:application/zip;base64,UEsDBA==" download="x.zip">x</a>
    <script>alert("stop"); document.getElementById("a").click()</script>"""
    [done] = rendered(page)
    assert reasons(done.record, "dialog") == ["stop"]
    assert len(reasons(done.record, "download")) == 1


def test_dialogs_without_end_are_named_as_the_cause() -> None:
    page = f"{GOOD}<script>let key; while (!key) key = prompt('Your key?')</script>"
    limits = RenderOptions(pages=1, settle_s=1.5, call_s=1.5, page_s=20)
    lost, good = rendered(page, f"{GOOD}<script>alert('once')</script>", options=limits)
    record = lost.record
    assert record.lost == "hung"
    assert record.readiness is not None
    held = record.readiness.reasons[0]
    assert held.startswith("dialogs hold it up: it opened ")
    assert held.endswith(" dialogs, such as prompt: 'Your key?'")
    assert not needs_patience(record.readiness.reasons)
    assert record.dialogs > 2
    assert good.record.warnings[0] == ("dialogs are dismissed: it opened a dialog, alert: 'once'")
    assert good.record.readiness is not None
    assert not good.record.readiness.capped


def test_files_of_this_machine_cannot_be_opened() -> None:
    page = """<iframe id="f" src="file:///etc/passwd"></iframe><script>
    fetch("file:///etc/passwd").then(() => document.title = "read", () => document.title = "no");
    </script>"""

    async def run() -> tuple[str, list[str]]:
        async with Renderer(LIMITS) as renderer, renderer.open(page) as live:
            await live.ready()
            frames = await live.evaluate_frames("document.body?.innerText ?? ''")
            return await live.evaluate("document.title"), [str(frame.value) for frame in frames]

    title, texts = asyncio.run(run())
    assert title == "no"
    assert not any("root:" in text for text in texts)


def test_calls_into_a_page_that_hangs_end() -> None:
    async def run() -> str:
        async with Renderer(LIMITS) as renderer, renderer.open(GOOD) as live:
            await live.ready()
            with pytest.raises(PageLostError):
                await live.evaluate("() => { while (true) {} }")
            return live.record.lost

    assert asyncio.run(run()) == "hung"


def test_a_page_that_meddles_with_its_watchers_is_photographed_all_the_same() -> None:
    async def run() -> tuple[PageRecord, list[MapReading]]:
        async with (
            Renderer(LIMITS) as renderer,
            renderer.open(hostile.MEDDLER, init_scripts=MAP_SCRIPTS) as live,
        ):
            await live.ready()
            await live.screenshot()
            return live.record, await read_maps(live)

    record, maps = asyncio.run(run())
    assert record.picture is not None
    assert record.lost == ""
    assert [reading.maps for reading in maps] == [[]]


@pytest.mark.parametrize(
    "answer",
    [None, 3, "x", [], {}, {"going": None, "popups": [], "hooked": True},
     {"going": [1], "popups": [], "hooked": True}, {"going": [], "popups": [{}], "hooked": True}],
)  # fmt: skip
def test_an_answer_of_another_shape_tells_nothing(answer: object) -> None:
    assert _busy(answer) is None


def test_an_error_of_a_script_of_ones_own_is_told() -> None:
    async def run() -> None:
        async with Renderer(LIMITS) as renderer, renderer.open(GOOD) as live:
            await live.ready()
            with pytest.raises(RenderingError, match="nowhere is not defined"):
                await live.evaluate("nowhere.at(0)")

    asyncio.run(run())


@pytest.mark.full
def test_pages_in_parallel_do_not_suffer_from_a_bad_one() -> None:
    async def run() -> list[Rendering]:
        options = RenderOptions(pages=2, settle_s=3, call_s=3, page_s=20)
        pages = [hostile.ENDLESS, GOOD, GOOD]
        async with Renderer(options) as renderer:
            return list(await asyncio.gather(*(renderer.render(page) for page in pages)))

    bad, *good = asyncio.run(run())
    assert bad.record.lost == "hung"
    assert [one.record.lost for one in good] == ["", ""]
    assert len({one.record.picture.sha256 for one in good if one.record.picture}) == 1
