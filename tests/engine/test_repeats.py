"""Runs that ask every sample several times."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine import rescore
from screenmark.jsonfile import dump_json
from screenmark.models import BaseLLMAdapter
from screenmark.reports import render
from screenmark.reports.result_tables import result_tables
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")


def run(tmp_path: Path, acts: list[Act], repeats: int, pages: int = 2) -> screenmark.Run:
    """Asks page by page, then all pages once more: acts come in that order."""
    with FakeEndpoint(acts) as endpoint:
        return screenmark.run(
            "gui-hallubench",
            annotation=make_pages(tmp_path, pages),
            model="m",
            api_base=[endpoint.url],
            concurrency=1,
            repeats=repeats,
        )


GOOD, BAD = Act(content=REPLY), Act(content="[]")


def test_results_hold_the_repetitions(tmp_path: Path) -> None:
    finished = run(tmp_path, [GOOD, BAD, GOOD, GOOD, GOOD, BAD], repeats=3)
    results = finished.results
    assert results["num_samples"] == 6, "samples times repetitions"
    assert results["complete"] is True
    block = results["repeats"]
    assert (block["n"], block["num_samples"], block["metric"]) == (3, 2, "f1")
    assert block["pass_from"] == 0.5
    assert block["reducers"]["mean"] == pytest.approx(2 / 3)
    assert block["reducers"]["median"] == 0.5
    assert block["reducers"]["majority"] == 0.5
    assert block["reducers"]["all"] == 0.5
    assert block["reducers"]["pass_at_k"] == pytest.approx({"1": 2 / 3, "2": 5 / 6, "3": 1.0})
    assert block["flip_rate"] == 0.5
    assert [row["sample_id"] for row in block["per_sample"]] == ["images/0.png", "images/1.png"]
    assert [(row["image_path"], row["repeat"], row["f1"]) for row in results["per_sample"]] == [
        ("images/0.png", 0, 1.0),
        ("images/0.png", 1, 1.0),
        ("images/0.png", 2, 1.0),
        ("images/1.png", 0, 0.0),
        ("images/1.png", 1, 1.0),
        ("images/1.png", 2, 0.0),
    ]


def test_a_failure_is_no_flip(tmp_path: Path) -> None:
    finished = run(tmp_path, [GOOD, GOOD, Act(status=400), GOOD], repeats=2)
    block = finished.results["repeats"]
    assert finished.results["outcomes"] == {"ok": 3, "api_error": 1}
    assert block["flip_rate"] == 0.0
    assert block["reducers"]["mean"] == pytest.approx(0.75)


def test_scoring_again_gives_the_same_bytes(tmp_path: Path) -> None:
    finished = run(tmp_path, [GOOD, BAD, Act(content="x"), Act(status=400), GOOD, GOOD], repeats=3)
    written = finished.folder.results.read_text(encoding="utf-8")
    assert "repeats" in json.loads(written)
    assert dump_json(rescore(finished.path)) == written


def test_one_repetition_needs_no_block(tmp_path: Path) -> None:
    results = run(tmp_path, [GOOD], repeats=1).results
    assert "repeats" not in results
    assert "repeat" not in results["per_sample"][0]
    assert len(result_tables(results)) == len(result_tables({**results, "repeats": BLOCK})) - 1


def test_compat_scoring_has_its_zeros_in_the_block_too(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    annotation = make_pages(tmp_path / "pages", 1)
    page = json.loads(annotation.read_text(encoding="utf-8"))[0]
    annotation.write_text(json.dumps([{**page, "elements": []}]), encoding="utf-8")

    means = {}
    for scoring in ("strict", "compat"):
        finished = screenmark.run(
            "gui-hallubench",
            annotation=annotation,
            adapter_object=Silent(),
            repeats=2,
            scoring=scoring,
        )
        means[scoring] = finished.results["repeats"]["reducers"]["mean"]
    assert means == {"strict": None, "compat": 0.0}


class Silent(BaseLLMAdapter):
    """Sees nothing on any page."""

    name = "silent"

    def infer(self, image_path: str, prompt: str) -> str:
        return "[]"


BLOCK: dict[str, Any] = {
    "n": 2,
    "metric": "f1",
    "num_samples": 7,
    "pass_from": 0.5,
    "reducers": {
        "mean": 0.25,
        "median": 0.375,
        "majority": 0.125,
        "pass_at_k": {"1": 0.5, "2": 0.75},
        "all": 0.0625,
    },
    "flip_rate": 0.875,
    "value_flip_rate": 1.0,
    "mean_standard_deviation": 0.1875,
    "per_sample": [],
}


@pytest.mark.parametrize(
    ("change", "expected", "missing"),
    [
        pytest.param(
            lambda block: block,
            "25.0 | 37.5 | 18.8 | 100.0 | 50.0 | 75.0 | 12.5 | 6.2 | 87.5",
            "nothing is missing",
            id="with a verdict",
        ),
        pytest.param(
            lambda block: {**block, "pass_from": None},
            "25.0 | 37.5 | 18.8 | 100.0 |\n",
            "pass@",
            id="without",
        ),
    ],
)
def test_the_table_has_a_line_about_repetitions(
    tmp_path: Path, change: Callable[[Any], Any], expected: str, missing: str
) -> None:
    results = {**run(tmp_path, [GOOD], repeats=1).results, "repeats": change(BLOCK)}
    text = render(result_tables(results), results, "markdown")
    assert "2 repetitions of 7 samples, by f1" in text
    assert "· 7 pages × 2 ·" in text
    assert expected in text
    assert missing not in text
