"""The same replies under both scorings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine import side_by_side
from screenmark.errors import UsageError
from screenmark.models import BaseLLMAdapter
from tests.support import screens
from tests.support.commands import command, small_run

REPLIES = {"A": "A", "B": "Dashboard", "C": "Because of the badge, I pick C"}
"""Right under both; no answer when strict, D when compat; right only when strict."""


@pytest.fixture
def run(in_tmp: Path, monkeypatch: pytest.MonkeyPatch) -> screenmark.Run:
    monkeypatch.setenv("COLUMNS", "200")
    screens.image(in_tmp / "images" / "home.png")
    annotation = screens.write(in_tmp / "l1.json", [screens.L1])
    samples = screenmark_samples(annotation)
    predictions = [{"id": s.id, "reply": REPLIES[s.answer]} for s in samples]
    screens.write(in_tmp / "replies.json", predictions)
    return screenmark.run(
        "mmbench-gui-l1", annotation=annotation, predictions=in_tmp / "replies.json"
    )


def screenmark_samples(annotation: Path) -> list[Any]:
    from screenmark.benchmarks.content_understanding import (
        ContentUnderstanding,
        ContentUnderstandingOptions,
    )

    options = ContentUnderstandingOptions(annotation=annotation)
    return list(ContentUnderstanding(options).load().samples)


def test_every_reply_that_is_read_differently_is_listed(run: screenmark.Run) -> None:
    both = side_by_side(run.path)
    assert both["num_samples"] == 3
    assert both["strict"]["headline"]["value"] == pytest.approx(2 / 3)
    assert both["compat"]["headline"]["value"] == pytest.approx(1 / 3)
    assert both["strict"]["headline"]["value"] == run.results["headline"]["value"]
    assert (both["num_read_differently"], both["num_scored_differently"]) == (2, 1)
    second, third = both["differences"]
    assert second["strict"]["outcome"] == "unparseable"
    assert (second["compat"]["value"], second["compat"]["score"]) == ("D", 0)
    assert third["reply"] == REPLIES["C"]
    assert third["strict"] == {"outcome": "ok", "value": "C", "reason": None, "score": 1}
    assert (third["compat"]["value"], third["compat"]["score"]) == ("B", 0)


def test_the_command_shows_both_and_writes_no_results(run: screenmark.Run) -> None:
    before = run.folder.results.read_bytes()
    shown = command("score", run.path, "--scoring", "both", "--output", "both.json")
    assert shown.returncode == 0, shown.stderr
    assert "2 replies are read differently, 1 of them are scored differently" in shown.stdout
    assert "Because of the badge" in shown.stdout
    assert "Dashboard" not in shown.stdout, "it scores 0 either way"
    assert run.folder.results.read_bytes() == before
    written = json.loads(Path("both.json").read_text(encoding="utf-8"))
    printed = json.loads(command("score", run.path, "--scoring", "both", "--json").stdout)
    assert printed == written == side_by_side(run.path)


def test_a_run_without_differences(in_tmp: Path) -> None:
    both = side_by_side(small_run(in_tmp))
    assert both["differences"] == []
    assert both["strict"]["headline"]["value"] == both["compat"]["headline"]["value"] == 1
    shown = command("score", "--scoring", "both")
    assert "0 replies are read differently" in shown.stdout
    assert "Scored differently" not in shown.stdout


class Declines(BaseLLMAdapter):
    """Finds nothing, ever."""

    def infer(self, image_path: str, prompt: str) -> str:
        return "not on screen"


def test_what_becomes_of_absent_targets_is_shown(
    in_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    run = screenmark.run("mmbench-gui-l2", adapter_object=Declines(), max_samples=40, sample_seed=1)
    both = side_by_side(run.path)
    shares = [both[scoring]["absent"]["rejection_rate"] for scoring in ("strict", "compat")]
    assert shares == [1, 0]
    lines = command("score", run.path, "--scoring", "both").stdout.splitlines()
    (head,) = (line for line in lines if "absent declined %" in line)
    assert "right in all %" in head
    (strict,) = (line.split() for line in lines if line.startswith("  strict "))
    assert strict[4] == "100.0"
    assert float(strict[5]) == pytest.approx(100 * both["strict"]["accuracy_all"], abs=0.05)


def test_other_options_hold_for_both_and_those_that_change_answers_are_refused(
    run: screenmark.Run, in_tmp: Path
) -> None:
    with pytest.raises(UsageError, match="--mode changes answers"):
        side_by_side(run.path, mode="easy")
    path = small_run(in_tmp / "pages", runs_dir=in_tmp / "others")
    strict = command("score", path, "--scoring", "both", "--iou-threshold", "1", "--json")
    assert json.loads(strict.stdout)["compat"]["headline"]["value"] == 0
