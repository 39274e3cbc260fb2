"""``run --config``: pairs one after the other, errors kept apart, a table at the end."""

import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.configs import run_pair
from screenmark.engine.plan import Plan
from tests.support.commands import command


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "200")
    samples = Plan("mmbench-gui-l1", {"model": "m"}).benchmark.load().samples
    replies = [{"id": sample.id, "text": "A"} for sample in samples]
    (tmp_path / "all-a.json").write_text(json.dumps(replies), encoding="utf-8")
    path = tmp_path / "pairs.toml"
    path.write_text(
        """
        [options]
        runs-dir = "runs"
        max-samples = 4
        [models.always-a]
        predictions = "all-a.json"
        [models.nobody]
        [benchmarks.mmbench-gui-l1]
        """,
        encoding="utf-8",
    )
    return path


def test_one_pair_that_fails_does_not_keep_the_others(config: Path) -> None:
    done = command("run", "--config", config)
    assert done.returncode == 2
    assert "All of pairs.toml" in done.stdout
    assert "always-a" in done.stdout
    assert "no endpoint for 'nobody'" in done.stdout
    assert "── always-a on mmbench-gui-l1 ──" in done.stderr
    assert f"error: {config}: nobody on mmbench-gui-l1: no endpoint for" in done.stderr


def test_options_of_the_command_hold_for_all(config: Path) -> None:
    done = command("run", "--config", config, "--max-samples", 2, "--json")
    first, second = json.loads(done.stdout)
    assert first["results"]["num_samples"] == 2
    assert second["results"] is None
    assert second["error"].startswith("no endpoint")
    assert Path(first["run"]).parent == config.parent / "runs"


def test_one_benchmark_of_several(config: Path) -> None:
    done = command("run", "mmbench-gui-l2", "--config", config)
    assert done.returncode == 2
    assert "has no pair with the benchmark mmbench-gui-l2" in done.stderr


def test_output_needs_one_run(config: Path) -> None:
    done = command("run", "--config", config, "--output", config.parent / "out.json")
    assert done.returncode == 2
    assert "--output is for one run" in done.stderr


def test_every_mistake_of_a_file_has_a_line(config: Path) -> None:
    text = config.read_text(encoding="utf-8").replace("= 4", "= 0\nconcurrency = -1")
    config.write_text(text, encoding="utf-8")
    done = command("run", "--config", config)
    assert done.returncode == 2
    assert [line.split(": ")[:3] for line in done.stderr.splitlines()] == [
        ["error", str(config), "options.max-samples"],
        ["error", str(config), "options.concurrency"],
    ]


def test_a_wrong_file(tmp_path: Path) -> None:
    done = command("run", "--config", tmp_path / "none.toml")
    assert done.returncode == 2
    assert "no such file" in done.stderr


def test_an_interrupted_pass_does_not_ask_finished_pairs_again(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from screenmark.cli import config_runs
    from screenmark.errors import RunInterrupted

    text = config.read_text(encoding="utf-8").replace(
        "[models.nobody]",
        '[models.second]\n        predictions = "all-a.json"\n        repeats = 2',
    )
    config.write_text(text, encoding="utf-8")

    def broken(pair: Any, **overrides: Any) -> Any:
        if pair.name == "second":
            raise RunInterrupted("stopped")
        return run_pair(pair, **overrides)

    runs = config.parent / "runs"
    with monkeypatch.context() as patch:
        patch.setattr(config_runs, "run_pair", broken)
        assert command("run", "--config", config).returncode == 3
    assert len(list(runs.glob("mmbench*"))) == 1
    assert command("run", "--config", config).returncode == 0
    assert len(list(runs.glob("mmbench*"))) == 2
    # A pass that came to its end starts anew.
    command("run", "--config", config)
    assert len(list(runs.glob("mmbench*"))) == 4
    assert not list(runs.glob(".config-*"))


def test_two_runs_do_not_write_to_one_file(config: Path) -> None:
    text = config.read_text(encoding="utf-8").replace(
        "max-samples", 'output = "a.json"\nmax-samples'
    )
    config.write_text(text, encoding="utf-8")
    done = command("run", "--config", config)
    assert done.returncode == 2
    assert "output: several of its runs would write to" in done.stderr
