"""Expectations that mean nothing alone are refused, wherever they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks.map_judging.dataset import load_outputs, selection
from screenmark.benchmarks.map_judging.samples import Task
from screenmark.errors import DataError
from tests.support.gis import make_outputs


def expected_of_task_1(tmp_path: Path, sheet: dict[str, Any], file: dict[str, Any]) -> Task:
    base = make_outputs(tmp_path / "base", "a")
    row = {"no": 1, "prompt": "p", "expectations": sheet}
    tasks, expect = tmp_path / "tasks.jsonl", tmp_path / "expect.json"
    tasks.write_text(json.dumps(row), encoding="utf-8")
    expect.write_text(json.dumps({"1": file} if file else {}), encoding="utf-8")
    dataset = load_outputs(selection([str(tasks)], [], [], None), base, expect, ["m"])
    return dataset.samples[0].task


@pytest.mark.parametrize("where", ["tasks.jsonl", "expect.json"])
@pytest.mark.parametrize(
    ("entry", "key", "partner"),
    [
        ({"top5_values": [1, 2]}, "top5_values", "top5"),
        ({"top5": None, "top5_values": None}, None, None),
        ({"center": [127, 37]}, "center", "buffers_km"),
        ({"buffers_km": None, "center": [127, 37]}, "center", "buffers_km"),
        ({"tolerance_pct": 5}, "tolerance_pct", "distances_km"),
        ({"region_kind": "continent"}, "region_kind", "region"),
        ({"buffers_km": [10]}, None, None),
        ({"count": 5}, None, None),
        ({"buffers_km": [10], "center": [127, 37]}, None, None),
    ],
)
def test_a_key_without_its_partner(
    tmp_path: Path, where: str, entry: dict[str, Any], key: str | None, partner: str | None
) -> None:
    sheet, file = (entry, {}) if where == "tasks.jsonl" else ({}, entry)
    if key is None:
        assert expected_of_task_1(tmp_path, sheet, file).expectations == entry
        return
    with pytest.raises(DataError, match=f"nothing without {partner}; add that") as caught:
        expected_of_task_1(tmp_path, sheet, file)
    error = caught.value
    assert (error.file, error.sample, error.field) == (str(tmp_path / where), "task 1", key)


def test_the_partner_may_stand_in_the_other_place(tmp_path: Path) -> None:
    task = expected_of_task_1(tmp_path, {"top5": ["A"]}, {"top5_values": [1]})
    assert task.expectations == {"top5": ["A"], "top5_values": [1]}
