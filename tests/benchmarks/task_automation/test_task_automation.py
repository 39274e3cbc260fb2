"""Benchmarks in which agents act, over a world of one number."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.benchmarks.task_automation.dataset import TaskSample
from screenmark.benchmarks.task_automation.summary import summarise_episodes
from screenmark.benchmarks.task_automation.tables import result_tables as task_tables
from screenmark.engine.api import rescore
from screenmark.engine.compare import compare_runs
from screenmark.engine.progress import Progress, Silent
from screenmark.environments import registry
from screenmark.errors import RunInterrupted, UsageError
from screenmark.reports import render
from screenmark.reports.progress import detail_line
from screenmark.reports.result_tables import result_tables
from screenmark.types import Answer, Failure, Outcome, Record
from tests.support.agents import Clicker
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.toy_world import Counter


@pytest.fixture(autouse=True)
def toy_world(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(registry.WORLDS):
        monkeypatch.delitem(registry.WORLDS, name)
    monkeypatch.setitem(registry.WORLDS, "toy", "tests.support.toy_world:Toy")


def run(folder: Path, **options: Any) -> Any:
    return screenmark.run("mmbench-gui-l3", runs_dir=folder, **options)


def test_the_oracle_does_all_of_it_and_is_marked(tmp_path: Path) -> None:
    results = run(tmp_path, model="oracle").results
    assert results["success_rate"] == 1.0
    assert [row["steps"] for row in results["per_sample"]] == [2, 3, 4]
    assert results["by_platform"]["web"]["num_tasks"] == 3
    assert results["agent_kind"] == "oracle"
    text = render(result_tables(results), results, "table")
    assert "ORACLE" in text
    lines = [line for line in text.splitlines() if not line.startswith("outcomes:")]
    assert max(map(len, lines)) <= 80


def test_a_model_acts_in_its_dialect(tmp_path: Path) -> None:
    Clicker.seen.clear()
    done = run(tmp_path, adapter="tests.support.agents:Clicker", history=2)
    results = done.results
    assert results["success_rate"] == 1.0
    assert results["claims"]["false_success_rate"] == 0.0
    assert results["claims"]["by_kind"] == {"done": 3}
    assert results["agent_kind"] == "model"
    assert any("200 wide and 100 high" in prompt for prompt in Clicker.seen)
    assert any("pyautogui.doubleClick" in prompt for prompt in Clicker.seen)
    row = results["per_sample"][0]
    assert (done.folder.artifacts / "episodes" / row["folder"] / "episode.json").is_file()


def test_what_a_model_is_shown_is_a_part_of_the_run(tmp_path: Path) -> None:
    Clicker.seen.clear()
    own = "tests.support.agents:Clicker"
    plain = run(tmp_path, adapter=own)
    seeing = run(tmp_path, adapter=own, observe="screenshot,tree,text")
    assert plain.folder.path != seeing.folder.path
    assert not plain.folder.path.name.endswith("-2")
    shown = [prompt for prompt in Clicker.seen if "Accessibility tree:\n- clicks: 1" in prompt]
    assert len(shown) == 3
    assert all(prompt.count("Text on the page") == 1 for prompt in shown)
    assert plain.results["observation"] == "screenshot"
    assert seeing.results["observation"] == "screenshot,tree,text"
    text = render(result_tables(seeing.results), seeing.results, "table")
    assert "screenshot,tree,text" in text


def test_a_model_that_says_nothing_useful_is_told_and_counted(tmp_path: Path) -> None:
    results = run(tmp_path, adapter="tests.support.agents:Babbler", max_steps=4).results
    assert results["success_rate"] == 0.0
    assert results["eqa"] == 0.0
    assert results["steps"]["invalid"] == 12
    assert results["claims"]["ended_by"] == {"budget": 3}
    assert "--dialect" in results["audit"]["warnings"][0]


def test_a_planner_and_a_grounder(tmp_path: Path) -> None:
    own = "tests.support.agents:Planner"
    pair = run(tmp_path, adapter=own, planner="a", grounder="b", max_steps=3).results
    assert pair["agent_kind"] == "pair"
    # The first turn's place is nowhere; clicks follow, and the budget ends it.
    assert [row["invalid"] for row in pair["per_sample"]] == [1, 1, 1]
    assert [row["success"] for row in pair["per_sample"]] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "ocr"}, "did you mean ocr-agent"),
        ({}, r"agent of this package: ocr-agent, random, oracle\), or --planner"),
        ({"adapter": "openai"}, "ocr-agent, random, oracle"),
        ({"model": "orcale"}, "did you mean --model oracle"),
        ({"model": "oracle", "tasks": ("toy/none",)}, "no such task"),
        ({"planner": "a", "adapter": "tests.support.agents:Planner"}, "give both"),
        ({"planner": "a", "grounder": "b", "model": "c"}, "in its place"),
        ({"adapter": "tests.support.agents:Clicker", "dialect": "latin"}, "no dialect 'latin'"),
        ({"model": "oracle", "executor": "ray"}, "one process"),
        ({"model": "ocr-agent", "observe": "screenshot,text"}, "looks at the picture alone"),
        ({"model": "oracle", "observe": "text"}, "--observe"),
        ({"model": "oracle", "cache": "replies"}, "played, not kept"),
    ],
)
def test_what_cannot_be_run(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run(tmp_path, **options)


def test_predictions_are_no_episodes(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(UsageError, match="has to be played"):
        run(tmp_path, predictions=file)


def test_a_broken_world_fails_no_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "broken", 2)
    done = run(tmp_path, model="oracle", concurrency=1)
    results = done.results
    assert results["outcomes"] == {"ok": 2, "environment_error": 1}
    assert results["success_rate"] == 1.0
    assert results["per_sample"][0]["success"] is None
    again = screenmark.run(resume=done.folder.path)
    assert again.results["outcomes"] == {"ok": 3}
    assert len(list((done.folder.artifacts / "episodes").iterdir())) == 3


def test_scoring_again_needs_no_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(tmp_path, model="oracle")
    monkeypatch.setattr(Counter, "broken", 99)
    assert rescore(done.folder.path)["per_sample"] == done.results["per_sample"]


def record(task: str, success: float | None, steps: int, repeat: int = 0, **more: Any) -> Record:
    lost = more.pop("outcome", Outcome.ENVIRONMENT_ERROR)
    sample = TaskSample(
        id=f"{task}#0",
        task=task,
        world="toy",
        platform=more.pop("platform", "web"),
        apps=("toy",),
        seed=0,
        budget=50,
    )
    plain = {name: getattr(sample, name) for name in TaskSample.__struct_fields__}
    if success is None:
        return Record(sample.id, 0, lost, plain, repeat, score={"success": None})
    value = {
        "success": success,
        "steps": steps,
        "ended": "agent",
        "claim": "done",
        "invalid": 0,
        "impossible": 0,
        "repeated": 0,
        "agent_kind": "model",
        **more,
    }
    answer = Answer(Outcome.OK, value)
    return Record(
        sample.id, 0, Outcome.OK, plain, repeat, answer=answer, score={"success": success}
    )


EXAMPLE = [("a", 1.0, 5), ("b", 0.0, 15), ("c", 1.0, 10), ("d", 1.0, 6)]


def test_the_worked_example_with_a_failure_of_ours_between() -> None:
    records = [record(*item) for item in EXAMPLE]
    records.insert(2, record("x", None, 0))
    results = summarise_episodes(records, 15)
    assert results["success_rate"] == 0.75
    assert results["eqa"] == pytest.approx(0.496683, abs=5e-7)
    assert results["eqa_order_averaged"] == pytest.approx(0.523515, abs=5e-7)
    assert results["claims"]["false_success_rate"] == 0.25
    assert results["derived"] is None
    assert "1 of 5 episodes broke down" in results["audit"]["warnings"][0]


def test_what_is_left_out_stands_beside_every_score() -> None:
    records = [record(*item) for item in EXAMPLE]
    records.insert(2, record("x", None, 0))
    records.append(record("y", None, 0, platform="linux"))
    results = summarise_episodes(records, 15)
    assert (results["num_episodes"], results["left_out"]) == (4, 2)
    web, linux = results["by_platform"].values()
    assert (web["num_tasks"], web["num_episodes"], web["left_out"]) == (5, 4, 1)
    assert (linux["num_tasks"], linux["num_episodes"], linux["success_rate"]) == (1, 0, None)
    assert results["success_rate"] == 0.75
    shown = {
        "benchmark": "b",
        "model": "m",
        "complete": True,
        "outcomes": {"ok": 4},
        "usage": None,
        "num_samples": 6,
        **results,
    }
    text = render(task_tables(shown), shown, "table")
    for words in ("4 of 6", "4 of 5", "0 of 1", "2 of 6 episodes broke down"):
        assert words in text


def test_repetitions_over_different_tasks_say_so() -> None:
    records = [record(*item, repeat) for item in EXAMPLE for repeat in range(2)]
    records[1] = record("a", None, 0, 1)
    found = summarise_episodes(records, 15)["by_repeat"]
    assert [(run["num_episodes"], run["left_out"]) for run in found["each"]] == [(4, 0), (3, 1)]
    assert found["same_tasks"] is False


def test_why_episodes_broke_down_is_said_once_a_reason() -> None:
    broken = [record(str(number), None, 0) for number in range(3)]
    for one in broken:
        one.failure = Failure("EnvironmentFailure", "the application fava is not installed: …")
    results = summarise_episodes([record("a", 1.0, 5), *broken], 15)
    assert results["success_rate"] == 1.0
    assert results["audit"]["warnings"][1:] == [
        "3 broke down: the application fava is not installed: …"
    ]


def refused(task: str, message: str = "HTTP 400: context too long", **more: Any) -> Record:
    """An episode whose model gave no reply for good."""
    one = record(task, None, 0, outcome=Outcome.API_ERROR, **more)
    one.failure = Failure("RejectedError", message, 400)
    return one


def as_shown(results: dict[str, Any]) -> dict[str, Any]:
    """Results with what the engine adds."""
    outcomes = {"ok": results["num_episodes"]}
    head = {"benchmark": "mmbench-gui-l3", "model": "m", "complete": True, "outcomes": outcomes}
    return {**head, "usage": None, "num_samples": results["num_episodes"], **results}


def test_a_model_that_gives_no_reply_has_not_solved_the_task() -> None:
    """The worked example, whose failure is now one of the endpoint's."""
    records = [record(*item) for item in EXAMPLE]
    records[1] = refused("b")
    results = summarise_episodes(records, 15)
    assert (results["success_rate"], results["num_episodes"], results["left_out"]) == (0.75, 4, 0)
    assert results["eqa"] == pytest.approx(0.496683, abs=5e-7)
    answered = results["answered_only"]
    assert (answered["num_episodes"], answered["success_rate"]) == (3, 1.0)
    assert answered["eqa"] > results["eqa"]
    assert results["by_world"]["toy"]["success_rate"] == 0.75
    assert results["headline"]["value"] == 0.75
    assert results["steps"]["mean"] == 7.0
    row = results["per_sample"][1]
    assert (row["success"], row["steps"], row["outcome"]) == (0.0, None, "api_error")
    first, second = results["audit"]["warnings"]
    assert "1 of 4 episodes were broken off since the model gave no reply" in first
    assert "count as not solved" in first
    assert second == (
        "1 broken off: the model's endpoint refused the request: HTTP 400: context too long"
    )
    text = render(task_tables(as_shown(results)), {}, "table")
    assert "answered only" in text
    assert max(len(line) for line in text.split("outcomes:")[0].splitlines()) <= 80


def test_both_numbers_of_a_run_of_refusals_and_broken_worlds() -> None:
    records = [record("a", 1.0, 5), refused("b"), record("c", None, 0)]
    results = summarise_episodes(records, 50)
    assert (results["success_rate"], results["num_episodes"], results["left_out"]) == (0.5, 2, 1)
    assert results["answered_only"]["success_rate"] == 1.0
    assert results["derived"]["success_rate"] == 0.5
    text = render(task_tables(as_shown(results)), {}, "table")
    assert "derived at 15" in text
    assert max(len(line) for line in text.split("outcomes:")[0].splitlines()) <= 80


def test_nothing_but_refusals_is_a_rate_of_zero() -> None:
    results = summarise_episodes([refused("a"), refused("b")], 15)
    assert (results["success_rate"], results["eqa"]) == (0.0, 0.0)
    assert results["answered_only"] == {
        "num_episodes": 0,
        "success_rate": None,
        "eqa": None,
        "eqa_order_averaged": None,
    }
    render(task_tables(as_shown(results)), {}, "table")
    json.dumps(results, allow_nan=False)


def test_refusals_do_not_make_repetitions_be_over_different_tasks() -> None:
    records = [record(*item, repeat) for item in EXAMPLE for repeat in range(2)]
    records[1] = refused("a", repeat=1)
    found = summarise_episodes(records, 15)["by_repeat"]
    assert found["same_tasks"] is True
    assert [run["success_rate"] for run in found["each"]] == [0.75, 0.5]


def test_a_planner_that_writes_no_actions_is_not_asked_for_its_dialect() -> None:
    said: dict[str, Any] = {"agent_kind": "pair", "invalid": 15}
    (warning,) = summarise_episodes([record("a", 0.0, 15, **said)], 15)["audit"]["warnings"]
    assert "JSON action" in warning
    assert "--dialect" not in warning


def test_a_context_that_overflows_in_the_midst_of_an_episode(tmp_path: Path) -> None:
    """It counts in every score, in pass@k and towards --max-error-rate, and is asked again."""
    click = "```python\npyautogui.click(100, 50)\n```"
    script = [Act(content=click), Act(status=400)]
    with FakeEndpoint(script) as endpoint:
        done = run(
            tmp_path,
            model="m",
            api_base=(endpoint.url,),
            tasks=("toy/click-3",),
            repeats=2,
            concurrency=1,
        )
    results = done.results
    assert results["outcomes"] == {"api_error": 2}
    assert (results["success_rate"], results["left_out"]) == (0.0, 0)
    assert results["repeats"]["reducers"]["pass_at_k"] == {"1": 0.0, "2": 0.0}
    assert "endpoint refused" in results["audit"]["warnings"][1]
    assert rescore(done.folder.path)["per_sample"] == results["per_sample"]
    compared = compare_runs([done.folder.path, done.folder.path])
    assert [one["value"] for one in compared["runs"]] == [0.0, 0.0]


@pytest.mark.usefixtures("quick_retries")
def test_an_episode_is_not_played_anew_for_a_request_that_failed_in_it(tmp_path: Path) -> None:
    click = "```python\npyautogui.click(100, 50)\n```"
    script = [Act(content=click), Act(status=500)]
    with FakeEndpoint(script) as endpoint:
        done = run(
            tmp_path,
            model="m",
            api_base=(endpoint.url,),
            tasks=("toy/click-3",),
            max_retries=2,
            concurrency=1,
        )
    assert done.results["outcomes"] == {"api_error": 1}
    assert len(endpoint.requests) == 1 + 3


class Pressing(Silent):
    """Presses Ctrl-C as soon as an episode waits to ask again, and keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def update(self, progress: Progress) -> None:
        self.told.append(detail_line(progress))
        if "waiting to ask again" in self.told[-1] and not progress.draining:
            signal.raise_signal(signal.SIGINT)


def test_a_run_that_stops_drops_episodes_that_wait_to_ask_again(tmp_path: Path) -> None:
    click = "```python\npyautogui.click(100, 50)\n```"
    busy = Act(status=500, headers={"Retry-After": "50"})
    display = Pressing()
    began = time.monotonic()
    with FakeEndpoint([Act(content=click), busy]) as endpoint:
        with pytest.raises(RunInterrupted, match=r"0 of 1 are kept"):
            run(
                tmp_path,
                model="m",
                api_base=(endpoint.url,),
                tasks=("toy/click-2",),
                display=display,
            )
        assert len(endpoint.requests) == 2
    assert time.monotonic() - began < 40, "it waited the backoff out"
    said = next(line for line in display.told if "waiting to ask again" in line)
    assert said.startswith(
        "playing toy/click-2#0 (turn 2 of 15); 1 waiting to ask again: status 500"
    )


def test_platforms_weigh_by_their_tasks() -> None:
    records = [
        *(record(*item) for item in EXAMPLE),
        record("e", 0.0, 15, platform="linux"),
    ]
    results = summarise_episodes(records, 15)
    assert results["success_rate"] == pytest.approx(0.6)
    assert results["eqa"] == pytest.approx(0.496683 * 4 / 5, abs=5e-7)
    assert list(results["by_platform"]) == ["web", "linux"]


def test_a_larger_budget_has_the_smaller_one_derived() -> None:
    records = [record("a", 1.0, 5), record("b", 1.0, 16)]
    results = summarise_episodes(records, 50)
    assert results["success_rate"] == 1.0
    assert results["derived"]["success_rate"] == 0.5
    assert results["derived"]["budget"] == 15
    assert "derived" in results["derived"]["note"]


def test_repetitions_are_runs_of_their_own() -> None:
    records = [
        record(task, success, steps, repeat)
        for task, success, steps in EXAMPLE
        for repeat in range(2)
    ]
    records[1] = record("a", 0.0, 5, 1)
    results = summarise_episodes(records, 15)
    assert results["success_rate"] == pytest.approx((0.75 + 0.5) / 2)
    assert [run["success_rate"] for run in results["by_repeat"]["each"]] == [0.75, 0.5]
    assert results["by_repeat"]["success_rate_stdev"] == pytest.approx(0.176777, abs=1e-6)


def test_nothing_played_is_no_number() -> None:
    results = summarise_episodes([record("a", None, 0)], 15)
    assert results["success_rate"] is None
    assert results["eqa"] is None
    json.dumps(results, allow_nan=False)


def test_repeats_of_a_run(tmp_path: Path) -> None:
    done = run(tmp_path, model="random", repeats=2, max_steps=3)
    assert len(done.results["by_repeat"]["each"]) == 2
    assert done.results["repeats"]["metric"] == "success"
    assert {row["folder"] for row in done.results["per_sample"]} == {
        f"toy-click-{n}-0{end}" for n in (1, 2, 3) for end in ("", "-2")
    }


def test_a_model_behind_an_endpoint(tmp_path: Path) -> None:
    click = (
        'I click.\n<tool_call>\n{"name": "computer_use", "arguments": '
        '{"action": "left_click", "coordinate": [500, 500]}}\n</tool_call>'
    )
    with FakeEndpoint([Act(status=503), Act(content=click)]) as endpoint:
        done = run(
            tmp_path,
            model="qwen3-vl-8b",
            api_base=(endpoint.url,),
            max_steps=2,
            tasks=("toy/click-2",),
        )
        sent = list(endpoint.requests)
    results = done.results
    assert (results["success_rate"], results["per_sample"][0]["ended"]) == (1.0, "budget")
    assert done.manifest.profile == "qwen3-vl"
    assert results["per_task"]["input_tokens"] > 0
    assert len(sent) == 3
    words = json.dumps(sent[-1]["messages"])
    assert words.count("data:image/png;base64") == 2
    assert sent[-1]["messages"][0]["role"] == "system"
