"""``screenmark compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import screenmark
from tests.support.commands import command


def run(name: str, correct: int, *, count: int = 40, benchmark: str = "uibert-app-type") -> str:
    """A run whose first so many predictions are right."""
    from screenmark.benchmarks.ui_classification import AppType
    from screenmark.benchmarks.ui_classification.options import AppTypeOptions

    samples = AppType(AppTypeOptions()).load().samples[:count]
    said = {s.id: s.label if n < correct else "nothing" for n, s in enumerate(samples)}
    Path(f"{name}.json").write_text(json.dumps(said), encoding="utf-8")
    made = screenmark.run(benchmark, predictions=f"{name}.json", max_samples=count, runs_dir="runs")
    return str(made.path)


def test_better_and_worse(in_tmp: Path) -> None:
    base, better, worse = run("base", 20), run("better", 32), run("worse", 8)
    done = command("compare", base, better, worse, "--json")
    assert done.returncode == 0, done.stderr
    up, down = json.loads(done.stdout)["comparisons"]
    assert (up["gained"], up["lost"], up["better"], up["worse"]) == (12, 0, True, False)
    assert up["difference"] == pytest.approx(0.3)
    assert up["low"] < 0.3 < up["high"]
    assert up["p_value"] == pytest.approx(2 / 2**12)
    assert (down["gained"], down["lost"], down["worse"]) == (0, 12, True)


@pytest.mark.parametrize(("correct", "code"), [(8, 1), (18, 0), (20, 0), (32, 0)])
def test_fail_if_worse(in_tmp: Path, correct: int, code: int) -> None:
    done = command("compare", run("base", 20), run("other", correct), "--fail-if-worse")
    assert done.returncode == code, done.stderr
    assert ("worse than" in done.stderr) == bool(code)


def test_pairs_by_sample_and_says_what_is_left_out(in_tmp: Path) -> None:
    done = command("compare", run("base", 20), run("short", 20, count=30), "--json")
    assert json.loads(done.stdout)["num_samples"] == 30
    assert "10 samples that not all runs have are left out" in done.stderr


def test_fits_a_terminal(in_tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = command("compare", run("base", 20), run("a-longer-name", 8), terminal=True)
    heading = next(line for line in done.stdout.splitlines() if "won:lost" in line)
    assert "95 %" in heading


def test_wrong_use(in_tmp: Path) -> None:
    base = run("base", 3, count=5)
    alone = command("compare", base)
    assert alone.returncode == 2
    assert "two runs or more" in alone.stderr
    missing = command("compare", base, "runs/none")
    assert missing.returncode == 2
    assert "no run here" in missing.stderr
    other = screenmark.run("uibert-sync", model="random", max_samples=4, runs_dir="runs")
    mixed = command("compare", base, other.path)
    assert mixed.returncode == 2
    assert "different benchmarks" in mixed.stderr
