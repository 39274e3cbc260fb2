"""The checks on the sample's real pages: nothing wrong with the clean model, every fault found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.rendering.assets import AssetStore, asset_folder
from screenmark.rendering.fetching import fetch
from screenmark.rendering.packages import packages
from tests.support.gis_sample import EXPECTATIONS, FAULTS, SHEET, whole_sample

FOUND_BY = {
    "swapped_lat_lon": "not_swapped",
    "missing_legend": "legend",
    "missing_title": "title",
    "blank_page": "not_blank",
    "js_error": "scripts_run",
    "distorted_buffers": "buffer_shape",
    "wrong_buffer_size": "buffer_radius",
    "wrong_filter_threshold": "highlight",
    "straight_lines_not_great_circles": "great_circle",
    "wrong_distances": "distances",
    "wrong_assignment": "nearest_hub",
    "crs_mixup_buffer_elsewhere": "in_region",
    "wrong_area": "title_area",
}
"""The check that finds each fault."""

NOT_READ = {
    "wrong_region": "in_region",
    "wrong_projection": "projection",
    "distorted_shapes": "projection",
    "wrong_ranking": "top",
    "wrong_values": "top",
}
"""Faults of pictures, and the check that must not pass them."""


def checked(folder: Path, tasks: str) -> dict[tuple[str, int], dict[str, str]]:
    """Status by check of every output."""
    fetched = [package for package in packages() if package.group == "sample"]
    fetch(AssetStore(asset_folder()), fetched, lambda _: None)
    run = screenmark.run(
        "gis-bench",
        tasks=[str(SHEET), tasks],
        outputs=whole_sample(folder / "outputs"),
        expect=EXPECTATIONS,
        judge=["checks"],
        repeats=1,
    )
    rows: list[dict[str, Any]] = run.results["per_sample"]
    return {
        (row["model"], row["task_no"]): {c["check"]: c["status"] for c in row["checks"]}
        for row in rows
    }


def check(found: dict[tuple[str, int], dict[str, str]]) -> None:
    faults = json.loads(FAULTS.read_text(encoding="utf-8"))["models"]
    for (model, number), made in found.items():
        planted = faults[model][str(number)]
        failed = {name for name, status in made.items() if status == "failed"}
        if not planted:
            assert not failed, (model, number)
        for fault in planted:
            if fault in FOUND_BY:
                assert made[FOUND_BY[fault]] == "failed", (model, number, fault)
            else:
                assert made[NOT_READ[fault]] == "not_extracted", (model, number, fault)


def test_a_page_of_each_library_and_a_picture(in_tmp: Path) -> None:
    found = checked(in_tmp, "1,2,7,12")
    assert len(found) == 8
    check(found)
    record = (in_tmp / "runs").rglob("records.jsonl")
    assert '"coordinates":' not in next(record).read_text(encoding="utf-8"), "shapes stay outside"


@pytest.mark.full
def test_all_twelve_tasks(in_tmp: Path) -> None:
    found = checked(in_tmp, "1-12")
    assert len(found) == 24
    check(found)
