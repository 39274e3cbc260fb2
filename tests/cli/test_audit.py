"""``screenmark audit``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from screenmark.benchmarks import BENCHMARKS, benchmark_class
from tests.support.commands import command
from tests.support.tfrecords import features, file_of

BUNDLED = [
    name
    for name in BENCHMARKS
    if benchmark_class(name).info.bundled_samples and benchmark_class(name).info.blind_baselines
]


@pytest.mark.parametrize("name", BUNDLED)
def test_every_benchmark_with_bundled_data(name: str, in_tmp: Path) -> None:
    done = command("audit", name, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["num_samples"] == benchmark_class(name).info.bundled_samples
    assert set(found["blind_baselines"]) <= set(benchmark_class(name).info.blind_baselines)
    assert any(part[found["metric"]] is not None for part in found["blind_baselines"].values())
    assert not list(in_tmp.iterdir()), "an audit leaves nothing"


def test_warns_where_a_rule_is_within_reach_of_models(in_tmp: Path) -> None:
    done = command("audit", "uibert-refexp")
    assert "93.3" in done.stdout
    assert "90.8" in done.stdout
    assert "geometry gets 93.3% without knowing what is asked" in done.stderr
    assert "largest_box gets" not in done.stderr


def test_nothing_to_warn_of_in_a_variant_without_the_shortcut(in_tmp: Path) -> None:
    done = command("audit", "uibert-refexp", "--variant", "matched-distractors", "--split", "dev")
    assert (done.returncode, done.stderr) == (0, "")
    assert "geometry" not in done.stdout


def test_records_that_are_left_out_are_named(in_tmp: Path) -> None:
    data = file_of([features(), features(image__ref_exp__label=[9])])
    (in_tmp / "x.tfrecord").write_bytes(data)
    done = command("audit", "uibert-refexp", "--annotation", "x.tfrecord")
    assert done.returncode == 2
    assert "record 1: image/ref_exp/label: 9 is out of range" in done.stderr
    assert "1 samples" in done.stdout


def test_benchmark_without_data(in_tmp: Path) -> None:
    done = command("audit", "screenspot")
    assert done.returncode == 2
    assert "data download screenspot" in done.stderr
