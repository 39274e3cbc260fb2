"""Tasks of a person's own in a run, and whole worlds by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.benchmarks.task_automation.benchmark import MMBenchL3
from screenmark.benchmarks.task_automation.dataset import TaskSample
from screenmark.benchmarks.task_automation.options import AgentOptions
from screenmark.environments.web_apps.template import write_template
from screenmark.errors import DataError


def samples(*tasks: str) -> tuple[list[TaskSample], str]:
    dataset = MMBenchL3(AgentOptions(tasks=tasks)).load()
    return list(dataset.samples), dataset.data_hash


def test_a_file_is_taken_and_its_content_is_of_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_template("fava", Path("mine.toml"))
    found, before = samples("mine.toml", "miniwob/click-test")
    assert [one.id for one in found] == [
        "mine.toml:fava-my-purchase#0",
        "mine.toml:fava-my-question#0",
        "miniwob/click-test#0",
    ]
    assert [one.world for one in found] == ["mine.toml", "mine.toml", "miniwob"]
    (one,), _ = samples("mine.toml:fava-my-question")
    assert one.task == "mine.toml:fava-my-question"
    text = Path("mine.toml").read_text(encoding="utf-8")
    Path("mine.toml").write_text(text.replace("12.50", "12.60"), encoding="utf-8")
    assert samples("mine.toml", "miniwob/click-test")[1] != before


def test_a_world_stands_for_its_tasks() -> None:
    found, _ = samples("webapps")
    assert len(found) == 24


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(DataError, match="no such file"):
        samples("none.toml")
