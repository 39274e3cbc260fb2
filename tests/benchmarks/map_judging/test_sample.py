"""The bundled sample, and the whole of it."""

from __future__ import annotations

import json
from pathlib import Path

import screenmark
from screenmark.benchmarks import benchmark_class
from screenmark.benchmarks.map_judging.dataset import load_outputs, read_expectations, selection
from tests.support.gis_sample import BUNDLED, EXPECTATIONS, FAULTS, SHEET, whole_sample


def test_bundled_data_is_what_the_list_says() -> None:
    kind = benchmark_class("gis-bench")
    samples = kind(kind.options_type()).load().samples
    assert len(samples) == kind.info.bundled_samples == 22
    assert not [sample.id for sample in samples if sample.problem or sample.output.fault]
    assert all(sample.task.expectations for sample in samples)
    size = sum(path.stat().st_size for path in BUNDLED.parent.rglob("*") if path.is_file())
    assert size < 3_000_000


def test_the_whole_sample_has_twelve_tasks(tmp_path: Path) -> None:
    base = whole_sample(tmp_path)
    chosen = selection([str(SHEET)], [], [], None)
    dataset = load_outputs(chosen, base, EXPECTATIONS, ["j"])
    assert len(dataset.samples) == 24
    assert dataset.warnings == []
    assert all(sample.output.fault is None for sample in dataset.samples)
    assert read_expectations(EXPECTATIONS).keys() == set(range(1, 13))
    faults = json.loads(FAULTS.read_text(encoding="utf-8"))["models"]
    assert faults.keys() == {"model_alpha", "model_beta"}


def test_pictures_of_the_sample_by_the_embedded_judge(in_tmp: Path) -> None:
    run = screenmark.run("gis-bench", judge=["checks"], tasks=["2,3,9,11"], repeats=1)
    rows = run.results["per_sample"]
    assert [row["task_no"] for row in rows] == [2, 3, 9, 11] * 2
    assert {row["status"] for row in rows} == {"checks"}
    assert all(row["judged"]["exists"] == 20 for row in rows)
    assert run.results["headline"]["value"] is None
