"""Pages become pictures once, and what a page does wrong is told apart from what we do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Error as PlaywrightError

from screenmark.benchmarks.map_judging import viewing
from screenmark.benchmarks.map_judging.samples import Output
from screenmark.benchmarks.map_judging.viewing import Viewer, take_over
from screenmark.errors import EnvironmentFailure
from screenmark.rendering import PageLostError, PageRecord, Readiness, RenderingError, RenderOptions
from tests.support.gis import picture


class FakePage:
    def __init__(self, png: bytes, lost: str, reasons: tuple[str, ...]) -> None:
        self.record = PageRecord(page="1.html")
        self._png, self._lost, self._reasons = png, lost, reasons

    async def ready(self) -> None:
        self.record.readiness = Readiness(
            rule="ready", seconds=15, capped=bool(self._reasons), reasons=self._reasons
        )
        if self._lost:
            self.record.lost = self._lost  # type: ignore[assignment]
            raise PageLostError(self._lost)

    async def screenshot(self) -> bytes:
        return self._png


class FakeRenderer:
    """In the place of browsers; ``opened`` holds the pages that it was asked for."""

    opened: list[str]
    png = b""
    lost = ""
    lost_on_opening = False
    broken = False
    reasons: tuple[str, ...] = ()
    settles_after = 1e9
    crowd: list[tuple[float, int]]
    open_now = 0

    def __init__(self, options: RenderOptions) -> None:
        self.closed = False
        self.options = options

    async def __aenter__(self) -> FakeRenderer:
        if self.broken:
            raise RenderingError("there is no browser")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed = True

    @asynccontextmanager
    async def open(self, page: Path, *, init_scripts: Any = ()) -> AsyncIterator[FakePage]:
        kind, patience = type(self), self.options.settle_s
        kind.opened.append(page.name)
        kind.open_now += 1
        kind.crowd.append((patience, kind.open_now))
        try:
            await asyncio.sleep(0)
            settles = patience >= self.settles_after
            if self.lost_on_opening and not settles:
                lost: Any = self.lost
                record = PageRecord(page=page.name, lost=lost)
                raise PageLostError(f"{page.name}: {record.warnings[0]}", record)
            yield FakePage(self.png, "" if settles else self.lost, () if settles else self.reasons)
        finally:
            kind.open_now -= 1


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[FakeRenderer]:
    class Renderer(FakeRenderer):
        opened: list[str] = []  # noqa: RUF012 - one for each test
        crowd: list[tuple[float, int]] = []  # noqa: RUF012
        png = picture(tmp_path / "shot.png").read_bytes()

    monkeypatch.setattr(viewing, "Renderer", Renderer)
    return Renderer


PAGE = Output(model="m", path="1.html", file_type="html_screenshot")


def look(folder: Path, *outputs: Output, wait: str = "ready", **more: Any) -> list[Output]:
    async def go() -> list[Output]:
        viewer = Viewer(RenderOptions(wait=wait), folder, **more)
        try:
            return await asyncio.gather(*(viewer.look(o, "content") for o in outputs))
        finally:
            await viewer.close()

    return asyncio.run(go())


def test_a_page_is_rendered_once_however_often_it_is_asked_for(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    first, second = look(tmp_path / "a", PAGE, PAGE)
    assert first == second
    assert fake.opened == ["1.html"]
    assert Path(first.file).read_bytes() == fake.png
    assert first.picture is not None
    assert first.page is not None
    assert first.page["warnings"] == []
    (again,) = look(tmp_path / "a", PAGE)
    assert again == first
    assert fake.opened == ["1.html"], "a later session takes what is there"
    look(tmp_path / "a", PAGE, wait="fixed:3")
    assert len(fake.opened) == 2, "another rule is another picture"


def test_outputs_without_a_file_keep_the_fault_of_their_own(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    faults = ["missing", "several outputs for one task: 3.PNG, 3.html"]
    seen = look(tmp_path, *(Output(model="m", path="", fault=fault) for fault in faults))
    assert [output.fault for output in seen] == faults


def test_no_name_of_a_model_or_file_is_in_the_pictures(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    (seen,) = look(tmp_path / "a", PAGE)
    assert {"m", "1"}.isdisjoint(Path(seen.file).stem.split("-"))
    assert "1.html" not in Path(seen.file).with_suffix(".json").read_text(encoding="utf-8")


def test_pictures_of_another_run_are_taken_over(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    look(tmp_path / "a", PAGE)
    take_over(tmp_path / "a", tmp_path / "b")
    take_over(tmp_path / "none", tmp_path / "b")
    look(tmp_path / "b", PAGE)
    assert fake.opened == ["1.html"]


def test_half_of_a_picture_is_no_picture(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    (seen,) = look(tmp_path / "a", PAGE)
    Path(seen.file).unlink()
    look(tmp_path / "a", PAGE)
    (record,) = (tmp_path / "a").glob("*.json")
    record.write_text("{", encoding="utf-8")
    look(tmp_path / "a", PAGE)
    assert len(fake.opened) == 3


@pytest.mark.parametrize("lost", ["hung", "crashed", "memory", "time"])
def test_what_a_page_does_is_its_own_fault(
    tmp_path: Path, fake: type[FakeRenderer], lost: str
) -> None:
    fake.lost = lost
    (seen,) = look(tmp_path / "a", PAGE)
    assert seen.fault is not None
    assert seen.fault.startswith("the page ")
    assert (seen.file, seen.picture) == ("", None)
    assert len(fake.opened) == (2 if lost in {"hung", "time"} else 1)


@pytest.mark.parametrize("lost", ["hung", "crashed", "memory", "time"])
def test_a_page_that_is_lost_while_it_is_opened_is_at_fault_too(
    tmp_path: Path, fake: type[FakeRenderer], lost: str
) -> None:
    fake.lost, fake.lost_on_opening = lost, True
    (seen,) = look(tmp_path / "a", PAGE)
    assert seen.fault is not None
    assert seen.fault.startswith("the page ")


def test_what_is_wrong_names_the_page_once(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    fake.lost, fake.lost_on_opening = "browser", True
    page = msgspec.structs.replace(PAGE, path="base/m/1.html")
    with pytest.raises(EnvironmentFailure) as caught:
        look(tmp_path / "a", page)
    assert str(caught.value) == "base/m/1.html: the page is lost: the browser died"


def test_one_page_of_several_models_is_rendered_once(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    fake.reasons = ("the page does not answer",)
    pages = [msgspec.structs.replace(PAGE, model=model, path=f"{model}/1.html") for model in "abc"]
    seen = look(tmp_path / "a", *pages)
    assert len({output.file for output in seen}) == 1
    assert [output.path for output in seen] == [page.path for page in pages]
    assert len(fake.opened) == 2, "once, and once with more patience"
    assert {path.suffix for path in (tmp_path / "a").iterdir()} == {".png", ".json"}


@pytest.mark.parametrize("reason", ["the page does not answer", "plotly: drawing"])
def test_a_page_that_was_not_done_is_rendered_again_alone_and_longer(
    tmp_path: Path, fake: type[FakeRenderer], reason: str
) -> None:
    fake.reasons, fake.settles_after = (reason,), 40
    pages = [msgspec.structs.replace(PAGE, path=f"{n}.html") for n in range(1, 4)]

    async def go() -> list[Output]:
        viewer = Viewer(RenderOptions(), tmp_path / "a")
        try:
            return await asyncio.gather(*(viewer.look(p, p.path) for p in pages))
        finally:
            await viewer.close()

    seen = asyncio.run(go())
    assert [s.page["warnings"] for s in seen if s.page] == [[]] * 3
    assert sorted(fake.opened) == ["1.html", "1.html", "2.html", "2.html", "3.html", "3.html"]
    assert [beside for patience, beside in fake.crowd if patience == 45] == [1, 1, 1]


def test_a_page_that_is_never_done_is_kept_with_a_warning_and_looked_at_anew(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    fake.reasons = ("the page does not answer",)
    (seen,) = look(tmp_path / "a", PAGE)
    assert seen.fault is None
    assert seen.picture is not None
    assert seen.page is not None
    assert seen.page["warnings"] == ["not settled after 15.0 s: the page does not answer"]
    look(tmp_path / "a", PAGE)
    assert len(fake.opened) == 4, "a run that goes on tries again"


def test_an_endless_animation_is_not_waited_for_again(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    fake.reasons = ("the picture keeps changing",)
    look(tmp_path / "a", PAGE)
    assert len(fake.opened) == 1


def test_a_hang_on_a_busy_machine_is_no_fault(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    fake.lost, fake.settles_after = "hung", 40
    (seen,) = look(tmp_path / "a", PAGE)
    assert seen.fault is None


def test_a_browser_that_dies_is_ours(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    fake.lost = "browser"
    with pytest.raises(EnvironmentFailure, match=r"1\.html: browser"):
        look(tmp_path / "a", PAGE)
    assert len(fake.opened) == 2, "it is tried once more"


def test_no_browser_is_ours(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    fake.broken = True
    with pytest.raises(EnvironmentFailure, match="there is no browser"):
        look(tmp_path / "a", PAGE)


@pytest.mark.parametrize(
    "error",
    [
        PlaywrightError("Target page, context or browser has been closed\nCall log: …"),
        Exception("Connection closed while reading from the driver"),
    ],
)
def test_a_browser_that_breaks_down_is_ours_in_words(
    tmp_path: Path, fake: type[FakeRenderer], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def ready(self: FakePage) -> None:
        raise error

    monkeypatch.setattr(FakePage, "ready", ready)
    with pytest.raises(EnvironmentFailure) as caught:
        look(tmp_path / "a", PAGE)
    assert str(caught.value) == f"1.html: the browser fails: {str(error).splitlines()[0]}"


def test_an_error_of_our_own_is_not_called_the_browsers(
    tmp_path: Path, fake: type[FakeRenderer], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ready(self: FakePage) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(FakePage, "ready", ready)
    with pytest.raises(ZeroDivisionError):
        look(tmp_path / "a", PAGE)


def test_the_maps_of_a_page_are_kept_beside_its_picture(
    tmp_path: Path, fake: type[FakeRenderer]
) -> None:
    async def read(live: object) -> list[dict[str, Any]]:
        return [{"kind": "leaflet", "features": []}]

    (seen,) = look(tmp_path / "a", PAGE, read_maps=read)
    assert seen.maps == [{"kind": "leaflet", "features": []}]
    assert look(tmp_path / "a", PAGE, read_maps=read) == [seen]
    assert len(fake.opened) == 1


def test_images_are_shown_as_they_are(tmp_path: Path, fake: type[FakeRenderer]) -> None:
    path = picture(tmp_path / "2.png")
    image = Output(model="m", path=str(path), file_type="png")
    missing = Output(model="m", path="", fault="missing")
    seen, nothing = look(tmp_path / "a", image, missing)
    assert seen.file == str(path)
    assert seen.picture is not None
    assert nothing == missing
    assert not fake.opened
    path.unlink()
    with pytest.raises(EnvironmentFailure):
        look(tmp_path / "a", image)


def test_a_real_page_is_judged_by_its_picture(tmp_path: Path) -> None:
    page = tmp_path / "1.html"
    page.write_text(
        "<body style='margin:0;background:linear-gradient(90deg,red,blue)'>", encoding="utf-8"
    )
    output = Output(model="m", path=str(page), file_type="html_screenshot")
    (seen,) = look(tmp_path / "a", output)
    assert seen.picture is not None
    assert (seen.picture.width, seen.picture.height) == (1280, 800)
    assert seen.picture.dominant < 0.5
