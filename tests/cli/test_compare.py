"""``screenmark compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import screenmark
from tests.support.commands import command
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.gis import make_outputs, of_total


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
    assert "left out: 10 samples that not all runs have" in done.stderr


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


def judged(base: Path, totals: list[int], *more: str) -> str:
    """A run of gis-bench whose judge gives these totals, of 130, in order."""

    def answer(number: int, body: object) -> Act:
        return Act(content=of_total(totals[number % len(totals)]))

    with FakeEndpoint(answer) as endpoint:
        done = command(
            *("run", "gis-bench", "--tasks", base / "tasks.csv", "--outputs", base, *more),
            *("--judge", "m", "--api-base", endpoint.url, "--concurrency", 1),
        )
    assert done.returncode == 0, done.stderr
    (folder,) = (line for line in done.stderr.splitlines() if line.startswith("run folder: "))
    return folder.removeprefix("run folder: ").split(" (")[0]


@pytest.mark.usefixtures("quick_retries")
def test_judged_outputs_are_paired_over_their_runs(in_tmp: Path, tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "o", "a", "b")
    # Three runs of each of six outputs, and each time 13 of 130 more.
    first = judged(base, [50, 50, 50, 52, 65, 78, 72, 78, 84, 91, 91, 91])
    other = judged(base, [63, 63, 63, 65, 78, 91, 85, 91, 97, 104, 104, 104], "--probe", "jpeg")
    done = command("compare", first, other, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["unit"], found["num_samples"], found["out_of"]) == ("outputs", 6, 100)
    (one,) = found["comparisons"]
    assert one["difference"] == pytest.approx(10, abs=0.5)
    assert one["low"] <= one["difference"] <= one["high"]
    assert one["p_value"] == pytest.approx(2 / 2**3), "three tasks, however many outputs"
    assert not one["better"], "three tasks cannot tell"
    assert (one["gained"], one["lost"]) == (6, 0)
    assert one["passes"]["difference"] == pytest.approx(2 / 6)
    assert one["passes"]["gained"] == 2
    table = command("compare", first, other).stdout
    assert "6 outputs" in table
    assert "+10.0" in table
    assert f" {found['runs'][0]['value']:.1f} " in table


@pytest.mark.usefixtures("quick_retries")
def test_outputs_of_two_models_are_paired_by_task(in_tmp: Path, tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "o", "a", "b")
    totals = [65, 78, 91]
    first = judged(base, totals, "--models", "a", "--repeats", "1")
    other = judged(base, [n + 26 for n in totals], "--models", "b", "--repeats", "1")
    found = json.loads(command("compare", first, other, "--json").stdout)
    assert [run["model"] for run in found["runs"]] == ["a", "b"]
    assert found["comparisons"][0]["difference"] == pytest.approx(20)
    assert found["num_samples"] == 3
    assert found["paired"].startswith("by task, outputs of a (runs/")
    assert " with those of b (runs/" in found["paired"]
    both = judged(base, totals, "--repeats", "1")
    found = json.loads(command("compare", first, both, "--json").stdout)
    assert found["num_samples"] == 3
    assert found["paired"] == "outputs, each with the same one in the other run"


@pytest.mark.usefixtures("quick_retries")
def test_outputs_without_a_score_are_left_out_and_counted(in_tmp: Path, tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "o", "a", tasks=(1, 2))
    first = judged(base, [65], "--repeats", "1")
    (base / "a" / "3.png").write_bytes((base / "a" / "1.png").read_bytes())
    (base / "a" / "1.png").unlink()
    given = ("--tasks", base / "tasks.csv", "--outputs", base, "--judge", "checks")
    assert command("run", "gis-bench", *given, "--runs-dir", "checked").returncode == 0
    (checked,) = Path("checked").iterdir()
    done = command("compare", first, checked)
    assert f"{checked}: left out: 2 outputs without a score" in done.stderr
    assert "the runs read other tasks or other outputs" not in done.stderr
    assert "1 outputs" in done.stdout


@pytest.mark.usefixtures("quick_retries")
def test_outputs_of_other_models_and_other_sheets(in_tmp: Path, tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "o", "a", "b", "c", tasks=(1,))
    elsewhere = make_outputs(tmp_path / "p", "a", tasks=(1,))
    first = judged(base, [65], "--models", "a,b", "--repeats", "1")
    none = command("compare", first, judged(base, [65], "--models", "c", "--repeats", "1"))
    assert none.returncode == 2
    assert f"no output in common: {first} has a, b; runs/" in none.stderr
    done = command("compare", first, judged(elsewhere, [65], "--repeats", "1"))
    assert f"different task sheets ({base / 'tasks.csv'}, {elsewhere / 'tasks.csv'})" in done.stderr
