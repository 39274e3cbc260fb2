"""Properties of pictures, the embedded judge, and where judge and checks disagree."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from screenmark.benchmarks.map_judging.checks import run_checks
from screenmark.benchmarks.map_judging.checks_judge import bounds, marks, value_of
from screenmark.benchmarks.map_judging.disagreement import disagreements
from screenmark.benchmarks.map_judging.picture import measure
from screenmark.benchmarks.map_judging.samples import Check, CheckStatus, Output, Picture, Task
from screenmark.errors import ImageError
from screenmark.rendering.site import ORIGIN
from tests.support.gis import picture

TASK = Task(number=1, level="Level1", prompt="p")
DRAWN = Picture(width=10, height=10, dominant=0.5, colours=40)
SPARSE = Picture(width=10, height=10, dominant=0.99, colours=50)
BLANK = Picture(width=10, height=10, dominant=1.0, colours=1)
SCRIPT = {"url": "https://cdn.example/l.js", "kind": "script", "matters": True}


def output(seen: Picture | None, blocked: list[dict[str, object]] | None = None) -> Output:
    page = None if blocked is None else {"blocked": blocked}
    return Output(model="m", path="1.html", file="1.png", picture=seen, page=page)


def check(name: str, status: CheckStatus) -> Check:
    return Check(name, status, f"{name} {status}")


def test_properties_of_a_picture(tmp_path: Path) -> None:
    Image.new("RGB", (40, 20), "white").save(tmp_path / "w.png")
    assert measure(tmp_path / "w.png") == Picture(width=40, height=20, dominant=1.0, colours=1)
    half = Image.new("RGB", (40, 20), "white")
    half.paste("navy", (0, 0, 10, 20))
    half.save(tmp_path / "h.png")
    assert measure(tmp_path / "h.png").dominant == 0.75
    seen = measure(picture(tmp_path / "p.png"))
    assert seen.colours > 20
    (tmp_path / "bad.png").write_bytes(b"no")
    with pytest.raises(ImageError):
        measure(tmp_path / "bad.png")


def test_a_clear_picture_is_transparent_on_white(tmp_path: Path) -> None:
    Image.new("RGBA", (4, 4), (9, 9, 9, 0)).save(tmp_path / "t.png")
    assert measure(tmp_path / "t.png").dominant == 1.0


@pytest.mark.parametrize(
    ("made", "status", "said"),
    [
        (output(DRAWN), "passed", "50.00 %"),
        (output(SPARSE), "passed", "nearly blank"),
        (output(BLANK), "failed", "blank: 100.00 %"),
        (output(BLANK, []), "failed", "blank"),
        (output(BLANK, [SCRIPT]), "not_extracted", "not served: https://cdn.example/l.js"),
        (output(SPARSE, [SCRIPT]), "not_extracted", "not served"),
        (output(DRAWN, [SCRIPT]), "passed", "50.00 %"),
        (output(BLANK, [SCRIPT | {"kind": "font"}]), "failed", "blank"),
        (output(BLANK, [SCRIPT | {"kind": "fetch"}]), "not_extracted", "not served: https://cdn"),
        (output(BLANK, [SCRIPT | {"kind": "xhr", "url": f"{ORIGIN}/d.json"}]), "failed", "blank"),
        (output(None), "not_extracted", "no picture"),
    ],
)
def test_whether_anything_is_drawn(made: Output, status: str, said: str) -> None:
    (found,) = (c for c in run_checks(TASK, made) if c.check == "not_blank")
    assert found.status == status
    assert said in found.detail


def test_nobody_checks_what_is_not_there() -> None:
    assert run_checks(TASK, Output(model="m", path="", fault="missing")) == []


@pytest.mark.parametrize(
    ("checks", "seen", "criterion", "mark"),
    [
        ([("not_blank", "passed")], DRAWN, "exists", 20),
        ([("not_blank", "failed")], BLANK, "exists", 0),
        ([("not_blank", "passed")], SPARSE, "exists", None),
        ([("not_blank", "not_extracted")], BLANK, "exists", None),
        ([("title", "passed"), ("legend", "passed")], DRAWN, "completeness", 20),
        ([("title", "failed"), ("legend", "failed")], DRAWN, "completeness", 0),
        ([("title", "failed"), ("legend", "passed")], DRAWN, "completeness", None),
        ([("title", "passed"), ("legend", "not_extracted")], DRAWN, "completeness", None),
        ([("title", "not_applicable")], DRAWN, "completeness", None),
        ([("in_region", "passed"), ("in_view", "passed")], DRAWN, "spatial_location", 15),
        ([("in_region", "passed"), ("in_view", "failed")], DRAWN, "spatial_location", None),
        ([("in_region", "failed"), ("in_view", "passed")], DRAWN, "spatial_location", 0),
        ([("geometry_valid", "passed")], DRAWN, "geometry_validity", 5),
        ([("count", "passed"), ("highlight", "failed")], DRAWN, "numeric_match", 5),
        ([("count", "failed")], DRAWN, "numeric_match", 0),
        ([("count", "passed")], DRAWN, "numeric_match", 10),
        ([("count", "passed")], DRAWN, "accuracy", None),
    ],
)
def test_only_marks_that_follow(
    checks: list[tuple[str, CheckStatus]], seen: Picture, criterion: str, mark: int | None
) -> None:
    found, _ = marks([check(*pair) for pair in checks], seen)
    assert found[criterion] == mark


def test_bounds_are_what_the_marks_leave_open() -> None:
    everything = {"exists": 20, "accuracy": None, "numeric_match": 0}
    assert bounds(everything) == (15, 38)
    value = value_of([check("not_blank", "failed"), check("in_region", "failed")], BLANK)
    assert value["bounds"] == [0, 73]
    assert value["pass"] is None
    assert value["total_raw"] is None
    names = ("not_blank", "in_region", "title", "geometry_valid", "count")
    assert value_of([check(name, "failed") for name in names], BLANK)["pass"] is False


@pytest.mark.parametrize(
    ("marks", "checks", "found"),
    [
        ({"spatial_location": 15}, [("in_region", "failed")], ["in_region"]),
        ({"spatial_location": 0}, [("in_region", "passed")], ["in_region"]),
        ({"spatial_location": 8}, [("in_region", "failed")], []),
        ({"spatial_location": 0}, [("in_region", "passed"), ("in_view", "failed")], []),
        ({"completeness": 20}, [("title", "failed"), ("legend", "failed")], ["title", "legend"]),
        ({"completeness": 0}, [("title", "passed")], []),
        ({"exists": 20}, [("not_blank", "failed")], ["not_blank"]),
        ({"exists": 20}, [("extracted", "failed")], ["extracted"]),
        ({"exists": 0}, [("extracted", "passed")], ["extracted"]),
        ({"requirement": 30}, [("projection", "failed")], ["projection"]),
        ({"requirement": 0}, [("projection", "passed")], []),
        ({"numeric_match": 10}, [("nearest_hub", "failed")], ["nearest_hub"]),
        ({"geometry_validity": 5}, [("great_circle", "failed")], ["great_circle"]),
        ({"numeric_match": None}, [("count", "failed")], []),
        ({"numeric_match": 10}, [("count", "not_extracted")], []),
        ({"accuracy": 28, "spatial_location": 15}, [("in_region", "failed")], ["in_region"] * 2),
    ],
)
def test_disagreements(
    marks: dict[str, float | None], checks: list[tuple[str, CheckStatus]], found: list[str]
) -> None:
    made = disagreements(marks, [check(*pair) for pair in checks])
    assert [entry["check"] for entry in made] == found
