"""Expectations are refused where no check would look at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks.map_judging.dataset import (
    load_outputs,
    read_expectations,
    selection,
)
from screenmark.benchmarks.map_judging.headings import EXPECTATIONS
from screenmark.benchmarks.map_judging.map_checks import expectations_of
from screenmark.benchmarks.map_judging.map_checks.expectation_words import FORMS
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.errors import DataError
from tests.support.gis_sample import EXPECTATIONS as SAMPLE


def test_each_has_words() -> None:
    assert {"level", *FORMS} == set(Expectations.__struct_fields__)


def test_those_of_the_sample_and_of_a_sheet_are_known() -> None:
    assert set(EXPECTATIONS) <= set(Expectations.__struct_fields__)
    for entry in read_expectations(SAMPLE).values():
        expectations_of(entry)


@pytest.mark.parametrize(
    ("entry", "field", "words"),
    [
        ({"regoin": ["KOR"]}, "regoin", "no such expectation; there are level, region"),
        ({"region": ["Korea"]}, "region", "ISO 3166-1"),
        ({"region": "Atlantis"}, "region", "South America"),
        ({"count": [1]}, "count", "expected a whole number, or [least, most], found [1]"),
        ({"count": "many"}, "count", "expected a whole number, or [least, most], found 'many'"),
        ({"bbox": [10, 0, 5, 1]}, "bbox", "north] in degrees, found [10.0, 0.0, 5.0, 1.0]"),
        ({"geometry": "Points"}, "geometry", "LineString"),
        ({"highlight": ["ZZ"]}, "highlight", "letters of states"),
        (
            {"colour_direction": "up"},
            "colour_direction",
            """expected "dark=high" or "dark=low", found 'up'""",
        ),
        ({"region": 5}, "region", "expected a code or a continent as text, or a list"),
        ({"region": []}, "region", "found nothing; leave the key out"),
        ({"highlight": []}, "highlight", "found nothing"),
        ({"highlight": ["KOR", 5]}, "highlight: expected", "a list of codes"),
        ({"buffers_km": []}, "buffers_km", "found nothing"),
        ({"buffers_km": [1e9]}, "buffers_km", "up to 20,004 km, half of the way around the earth"),
        ({"buffers_km": 100}, "buffers_km", "expected a list of radii in km, [50, 100], found 100"),
        ({"distances_km": {}}, "distances_km", "found nothing"),
        ({"distances_km": {"Tokyo": 1e9}}, "distances_km", "0 to 20,004 km"),
        ({"top5": []}, "top5", "found nothing"),
        ({"projection": " "}, "projection", "expected its name as text, found nothing"),
        ({"geometry": ["Point", "Blob"]}, "geometry", "joined by + or as a list, found 'Blob'"),
        ({"geometry": []}, "geometry", "found nothing"),
        ({"title": "x" * 999}, "title", "expected true or false, found 'xxxx"),
        ({"view_on_data": 0}, "view_on_data", "expected true or false, found 0"),
        ({"bbox": [1, 2, 3]}, "bbox", "[west, south, east, north] in degrees, found [1, 2, 3]"),
        ({"region_kind": True}, "region_kind", "found true"),
        ({"count": [5, 3]}, "count", "found [5, 3]"),
        ({"count": -1}, "count", "from 0 on"),
        ({"count_points": [-2, 3]}, "count_points", "from 0 on"),
        ({"buffers_km": [50, -100]}, "buffers_km", "found -100"),
        ({"buffers_km": [50], "center": [127, 370]}, "center", "[longitude, latitude]"),
        ({"buffers_km": [50], "center": [127]}, "center", "[longitude, latitude]"),
        ({"distances_km": {"Tokyo": -1}}, "distances_km", "'Tokyo'"),
        ({"tolerance_pct": -0.5}, "tolerance_pct", "found -0.5"),
        ({"top5": ["KOR", "JPN"], "top5_values": [1]}, "top5_values", "the 2 of top5, found 1"),
        (
            {"distances_km": {"Tokyo": "far"}},
            "distances_km: expected",
            "an object of places and km",
        ),
    ],
)
def test_what_is_wrong_is_named(entry: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        expectations_of(entry, file=Path("e.json"), sample="task 3")
    text = str(caught.value)
    for part in ("e.json", "task 3", field, words):
        assert part in text


def test_in_a_file_the_task_is_named(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text('{"1": {"title": true}, "2": {"tilte": true}}', encoding="utf-8")
    with pytest.raises(DataError, match=r"e\.json.*task 2.*tilte"):
        read_expectations(path)
    path.write_text('{"2": {"tilte": true, "_draft": true}}', encoding="utf-8")
    assert read_expectations(path) == {2: {"tilte": True, "_draft": True}}, "nobody uses it yet"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"1": {"title": true}, "1": {}}', "'1': this task is there twice"),
        ('{"1": {"title": true}, "01": {}}', "'01': this task is there twice"),
        ('{"1": {"count": 1, "count": 2}}', "task 1.*count.*this key is there twice"),
    ],
)
def test_keys_that_are_there_twice(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "e.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"e\.json.*{said}"):
        read_expectations(path)


def test_sheet_and_file_together_have_to_fit(tmp_path: Path) -> None:
    sheet, path = tmp_path / "t.csv", tmp_path / "e.json"
    sheet.write_text('no,prompt,expect_top5\n1,p,"[""KOR""]"\n', encoding="utf-8")
    path.write_text('{"1": {"top5_values": [1, 2]}}', encoding="utf-8")
    chosen = selection([str(sheet)], [], [], None)
    with pytest.raises(DataError, match=r"task 1.*top5_values"):
        load_outputs(chosen, tmp_path, path, ["judge"])


def test_notes_and_several_forms() -> None:
    assert expectations_of({"_prompt": "x", "count": 5}).count == 5
    assert expectations_of({"region": "KOR, PRK"}).codes == ("KOR", "PRK")
    assert "BRA" in expectations_of({"region": ["South America", "JPN"]}).codes
    assert expectations_of({"geometry": "Point+LineString"}).kinds == ("Point", "LineString")
    assert expectations_of({"geometry": ["Point", "LineString+Polygon"]}).kinds == (
        "Point", "LineString", "Polygon",
    )  # fmt: skip
