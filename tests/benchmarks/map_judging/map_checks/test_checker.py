"""Title, legend, labels, projection; pages that could not be read; pictures."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from screenmark.benchmarks.map_judging.map_checks import map_checks, reading_words
from screenmark.benchmarks.map_judging.map_checks.reading_words import legend_of, title_of
from screenmark.benchmarks.map_judging.samples import Output, Task
from screenmark.models.embedded.text_lines import TextLine
from screenmark.rendering.maps import Feature, MapReading
from tests.support.maps import checked, point, polygon, reading, statuses

HERE = point((0, 0))
WANTED = {"title": True, "legend": True, "labels": True}
SCRIPT = {"url": "https://cdn.example/l.js", "kind": "script", "matters": True}
DATA = {"url": "https://data.example/x.geojson", "kind": "fetch", "matters": True}
BESIDE = {"url": "http://screenmark.localhost/x.geojson", "kind": "fetch", "matters": True}
BROKEN = {"message": "x is not defined", "uncaught": True}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (reading(HERE, titles=["T"], legends=["L"], labels=["N"]), ("passed",) * 3),
        (reading(HERE), ("failed",) * 3),
        (reading(point((0, 0), label="n"), titles=["T"]), ("passed", "failed", "passed")),
        (MapReading(whole=False, notes=["no"]), ("not_extracted",) * 3),
    ],
)
def test_furniture(found: MapReading, expected: tuple[str, ...]) -> None:
    made = statuses(WANTED, found)
    assert tuple(made[name] for name in WANTED) == expected


def test_what_is_not_wanted_is_not_looked_for() -> None:
    made = statuses(dict.fromkeys(WANTED, False), reading(HERE))
    assert not set(WANTED) & set(made)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ({"projection": "albers usa"}, "passed"),
        ({"crs": "EPSG:5070"}, "passed"),
        ({"crs": "EPSG:3857"}, "failed"),
        ({"projection": "mercator"}, "failed"),
        ({}, "not_extracted"),
    ],
)
def test_projection(words: dict[str, str], status: str) -> None:
    found = reading(HERE, view_words=words)
    assert statuses({"projection": "Albers"}, found)["projection"] == status


@pytest.mark.parametrize(
    ("features", "dominant", "blocked", "errors", "extracted", "scripts"),
    [
        ([HERE], 0.5, [], [], "passed", None),
        ([HERE], 0.5, [], [BROKEN], "passed", "passed"),
        ([], 1.0, [], [], "failed", None),
        ([], 1.0, [], [BROKEN], "failed", "failed"),
        ([], 1.0, [SCRIPT], [BROKEN], "not_extracted", "not_extracted"),
        ([], 1.0, [DATA], [BROKEN], "not_extracted", "not_extracted"),
        ([], 1.0, [BESIDE], [BROKEN], "failed", "failed"),
        ([], 0.5, [], [], "not_extracted", None),
    ],
)
def test_whether_it_could_be_read(
    features: list[Any],
    dominant: float,
    blocked: list[Any],
    errors: list[Any],
    extracted: str,
    scripts: str | None,
) -> None:
    record = {"blocked": blocked, "script_errors": errors}
    made = statuses({}, reading(*features), dominant=dominant, record=record)
    assert made["extracted"] == extracted
    assert made.get("scripts_run") == scripts


@pytest.mark.parametrize(
    ("expected", "check"),
    [
        ({"count": [2, 9]}, "count"),
        ({"geometry": "Polygon"}, "geometry_kinds"),
        ({"highlight": ["KOR"]}, "highlight"),
        ({"buffers_km": [5]}, "buffer_radius"),
        ({"title": True}, "title"),
        ({"legend": True}, "legend"),
    ],
)
def test_what_may_be_missing_for_want_of_data_is_not_held_against_a_page(
    expected: dict[str, Any], check: str
) -> None:
    record = {"blocked": [DATA], "script_errors": []}
    assert statuses(expected, reading(HERE), record=record)[check] == "not_extracted"
    record = {"blocked": [BESIDE], "script_errors": []}
    assert statuses(expected, reading(HERE), record=record)[check] in {"failed", "not_extracted"}
    if check != "highlight":
        assert statuses(expected, reading(HERE), record=record)[check] == "failed"


def test_stand_ins_for_public_shapes_decide_nothing_about_their_number() -> None:
    served = {"url": "https://data.example/countries.json", "source": "data"}
    record = {"blocked": [], "script_errors": [], "served": [served]}
    expected = {"count": 9, "region": ["KOR"]}
    made = statuses(expected, reading(HERE), record=record)
    assert (made["count"], made["in_region"]) == ("not_extracted", "failed")


@pytest.mark.parametrize("name", ["Bokeh", "Vega"])
def test_words_on_a_canvas_are_not_missed(name: str) -> None:
    empty = reading(notes=[f"drawn by {name}, which is not read"])
    assert statuses({"title": True, "legend": True}, empty)["title"] == "not_extracted"


def test_shapes_that_nobody_can_compute_with() -> None:
    odd = [
        Feature(layer=9, kind="path", geometry={"type": "Polygon", "coordinates": [[[0, 0]]]}),
        Feature(layer=-1, kind="path", geometry={"type": "Point", "coordinates": []}),
        Feature(layer=0, kind="path", geometry={"type": "Nonsense", "coordinates": 5}),
        Feature(layer=0, kind="path", geometry={}),
        polygon((1e300, 1e300), (-1e300, 1e300), (0, -1e300)),
        HERE,
    ]
    expected = {
        **{"region": ["KOR"], "geometry": "Polygon", "count": 1, "highlight": ["KOR"]},
        **{"buffers_km": [5], "center": [0, 0], "view_on_data": True},
    }
    made = checked(expected, reading(*odd))
    assert made["extracted"][0] == "passed"
    assert made["in_region"][0] in {"failed", "not_extracted"}
    assert made["highlight"][0] != "passed"


def test_readings_that_are_none() -> None:
    output = Output(model="m", path="x", file_type="html_screenshot", maps=[{"maps": 5}])
    made = map_checks(Task(number=1, level="", prompt="p", expectations={"count": 1}), output)
    assert {check.status for check in made} == {"not_extracted"}


def text_line(text: str, x: int = 0, y: int = 0) -> TextLine:
    return TextLine((x, y, x + 10 * len(text), y + 12), text, 0.9)


@pytest.mark.parametrize(
    ("lines", "title", "legend"),
    [
        ([], "failed", "failed"),
        ([text_line("Population of Africa")], "passed", "not_extracted"),
        ([text_line("40°N"), text_line("10°W")], "not_extracted", "not_extracted"),
        ([text_line("Nigeria", y=90)], "not_extracted", "not_extracted"),
        ([text_line(str(n), 80, 20 * n) for n in (25, 50, 75)], "not_extracted", "passed"),
        ([text_line(str(n), 30 * n, 20 * n) for n in (1, 2, 3)], "not_extracted", "not_extracted"),
        ([text_line("범례", y=80)], "not_extracted", "passed"),
    ],
)
def test_words_of_a_picture(lines: list[TextLine], title: str, legend: str) -> None:
    assert title_of(lines, 100).status == title
    assert legend_of(lines).status == legend


def test_without_the_means_to_read_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(file: str) -> None:
        raise ImportError("No module named 'rapidocr'")

    monkeypatch.setattr(reading_words, "_lines", missing)
    made = reading_words.picture_words("2.png", title=True, legend=True)
    assert [check.status for check in made] == ["not_extracted"] * 2
    assert "extra ocr" in made[0].detail
    assert reading_words.picture_words("2.png", title=False, legend=False) == []


def test_pictures_are_read_by_several_threads(tmp_path: Path) -> None:
    image = Image.new("RGB", (200, 120), "white")
    image.save(tmp_path / "2.png")
    files = [str(tmp_path / "2.png")] * 4
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda file: reading_words.picture_words(file, True, True), files))
    assert [[check.status for check in checks] for checks in made] == [["failed", "failed"]] * 4


def test_a_real_picture(tmp_path: Path) -> None:
    image = Image.new("RGB", (600, 400), "white")
    draw = ImageDraw.Draw(image)
    draw.text((200, 15), "Population density", "black", font=ImageFont.load_default(24))
    draw.ellipse((100, 100, 400, 350), fill="green")
    image.save(tmp_path / "2.png")
    task = Task(
        number=2,
        level="",
        prompt="p",
        expectations={"title": True, "legend": True, "count": 5, "projection": "Albers"},
    )
    file = str(tmp_path / "2.png")
    made = map_checks(task, Output(model="m", path=file, file=file, file_type="png"))
    assert {check.check: check.status for check in made} == {
        "title": "passed",
        "legend": "not_extracted",
        "count": "not_extracted",
        "projection": "not_extracted",
    }
