"""``screenmark gis``, and gis-bench at the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.gis import make_outputs, of_total, picture

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")


def by_number(number: int, body: dict[str, Any]) -> Act:
    """Another total for each request, the same in every test."""
    return Act(content=of_total(60 + (number * 17) % 60))


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(by_number) as served:
        yield served


def judge(base: Path, endpoint: FakeEndpoint, *more: str) -> Path:
    done = command(
        *("run", "gis-bench", "--tasks", base / "tasks.csv", "--outputs", base, "--judge", "m"),
        *("--api-base", endpoint.url, "--concurrency", 1, "--output", "out.json", *more),
    )
    assert done.returncode == 0, done.stderr
    (folder,) = (line for line in done.stderr.splitlines() if line.startswith("run folder: "))
    return Path(folder.removeprefix("run folder: ").split(" (")[0])


def test_a_run_and_its_tables_fit_a_terminal(
    tmp_path: Path, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    base = make_outputs(tmp_path, "model_a", tasks=(1, 2))
    run = judge(base, endpoint)
    shown = command("show", run).stdout
    assert "gis-bench · judged by m · 3 outputs" in shown
    assert "missing: there is no output for this task" in shown
    rows = json.loads(Path("out.json").read_text(encoding="utf-8"))["per_sample"]
    assert rows[0]["scores_3x"].count(",") == 2
    assert "criterion" in command("show", run, "--sample", "model_a/1").stdout
    listed = command("show", run, "--worst", 1, "--json").stdout
    assert json.loads(listed)[0]["score"] == 0


def test_the_worst_where_no_judge_gave_a_score(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1, 2))
    picture(base / "a" / "2.png", blank=True)
    given = ("run", "gis-bench", "--tasks", base / "tasks.csv", "--outputs", base)
    assert command(*given, "--judge", "checks").returncode == 0
    rows = json.loads(command("show", "--worst", 2, "--json").stdout)
    assert [(row["task_no"], row["score"], row.get("bounds")) for row in rows] == [
        (3, 0, None), (2, None, [0, 85]),
    ]  # fmt: skip
    shown = command("show", "--worst", 2).stdout
    assert "The 2 lowest by score, or else by the most that it can be" in shown


def test_the_worst_of_nothing(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a")
    with FakeEndpoint([Act(content="no marks")]) as unclear:
        judge(base, unclear, "--repeats", "1")
    assert json.loads(command("show", "--worst", 2, "--json").stdout) == []
    shown = command("show", "--worst", 2)
    assert "No sample of this run has a score" in shown.stdout
    assert shown.returncode == 0


@pytest.mark.parametrize("form", ["csv", "xlsx", "json"])
def test_the_seeds_fields_as_files(tmp_path: Path, endpoint: FakeEndpoint, form: str) -> None:
    base = make_outputs(tmp_path, "a")
    run = judge(base, endpoint)
    done = command("export", run, "--to", form, "--what", "seed", "-o", f"out.{form}")
    assert done.returncode == 0, done.stderr
    fields = [
        *("task_no", "level", "model", "file_type", "score", "score_raw", "spatial_location"),
        *("geometry_validity", "numeric_match", "pass", "reason", "scores_3x", "scores_3x_raw"),
    ]
    if form == "xlsx":
        from openpyxl import load_workbook

        head, *body = load_workbook(f"out.{form}").active.iter_rows(values_only=True)
        assert list(head) == fields
        assert len(body) == 3
        return
    text = Path(f"out.{form}").read_text(encoding="utf-8-sig")
    if form == "csv":
        assert text.splitlines()[0] == ",".join(fields)
    else:
        assert [list(row) for row in json.loads(text)] == [fields] * 3


def test_reliability_of_a_run(tmp_path: Path, endpoint: FakeEndpoint) -> None:
    base = make_outputs(tmp_path, "a", "b")
    run = judge(base, endpoint)
    rows = ["a,1,40", "a,2,60", "b,1,80", *(f"c,{n},5" for n in range(12))]
    Path("l.csv").write_text("\n".join(["model,task_no,score", *rows]) + "\n", encoding="utf-8")
    done = command("gis", "reliability", run, "--human", "l.csv", "--resamples", 100)
    assert done.returncode == 0, done.stderr
    assert "l.csv: left out: labels of 12 outputs that no model marked in this run: c/0, c/1" in (
        done.stderr
    )
    assert "c/9, …" in done.stderr
    assert "m · 3 runs of 6 outputs, 3 tasks" in done.stdout
    assert "n/a" in done.stdout
    assert "m against people · 3 outputs" in done.stdout
    found = json.loads(command("gis", "reliability", run, "--resamples", 100, "--json").stdout)
    assert found["judges"]["m"]["runs"]["total"]["alpha"]["value"] < 0.9


def test_bias_between_two_runs(tmp_path: Path, endpoint: FakeEndpoint) -> None:
    base = make_outputs(tmp_path, "a", "b")
    plain = judge(base, endpoint)
    planted = judge(base, endpoint, "--probe", "planted-text")
    jpeg = judge(base, endpoint, "--probe", "jpeg")
    shuffled = judge(base, endpoint, "--probe", "shuffled")
    assert len({plain, planted, jpeg, shuffled}) == 4
    sent = [body["messages"][0]["content"][0]["image_url"]["url"] for body in endpoint.requests]
    assert sent[18] != sent[0]
    assert sent[36].startswith("data:image/jpeg")
    assert sorted(sent[:18]) == sorted(sent[54:])
    done = command("gis", "bias", plain, planted, "--resamples", 100)
    assert done.returncode == 0, done.stderr
    assert "6 outputs" in done.stdout
    assert "-0.00" not in done.stdout
    assert "The runs differ in: probe: none and planted-text." in " ".join(done.stdout.split())
    twice = command("gis", "bias", plain, plain.resolve())
    assert twice.returncode == 2
    assert "the same run" in twice.stderr
    part = judge(base, endpoint, "--models", "b", "--tasks", "2", "--language", "en")
    done = command("gis", "bias", plain, part, "--resamples", 100, "--json")
    found = json.loads(done.stdout)
    assert found["options"] == [
        "the tasks, expectations or outputs", "language: ko and en", "models: none and b",
    ]  # fmt: skip
    assert f"{plain}: left out: 5 outputs have marks in this run alone: a/1, a/2" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["reliability", "nowhere"], "nowhere"), (["bias", "a", "b"], "a: not a run")],
)
def test_runs_that_there_are_not(arguments: list[str], said: str) -> None:
    done = command("gis", *arguments)
    assert done.returncode == 2
    assert said.split(":")[0] in done.stderr


def test_drafts_are_drafts_until_somebody_confirms_them(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a")
    replies = {
        "Seoul": '{"region": ["KOR"], "title": true, "made_up": 1}',
        "아프리카": "Africa, of course",
        "Alps": '```json\n{"geometry": "Polygon"}\n```',
    }

    def answer(number: int, body: dict[str, Any]) -> Act:
        asked = json.dumps(body, ensure_ascii=False)
        return Act(content=next(text for word, text in replies.items() if word in asked))

    with FakeEndpoint(answer) as endpoint:
        arguments = ("gis", "draft-expectations", base / "tasks.csv", "-o", "e.json")
        done = command(*arguments, "--model", "m", "--api-base", endpoint.url)
        assert done.returncode == 2
        assert "task 2: no JSON object in the reply" in done.stderr
        again = command(*arguments, "--model", "m", "--api-base", endpoint.url)
        assert "is there already" in again.stderr
    drafts = json.loads(Path("e.json").read_text(encoding="utf-8"))
    assert drafts["1"]["region"] == ["KOR"]
    assert drafts["1"]["_dropped"] == ["made_up"]
    assert all(entry["_draft"] is True for entry in drafts.values())
    del drafts["3"]["_draft"]
    Path("e.json").write_text(json.dumps(drafts), encoding="utf-8")
    done = command(
        *("run", "gis-bench", "--tasks", base / "tasks.csv", "--outputs", base),
        *("--judge", "checks", "--repeats", 1, "--expect", "e.json", "--runs-dir", "r"),
    )
    assert "nobody has confirmed the drafts for 1, 2" in done.stderr
    (records,) = Path("r").glob("*/records.jsonl")
    tasks = [json.loads(line)["sample"]["task"] for line in records.read_text("utf-8").splitlines()]
    expected = {task["number"]: task.get("expectations") for task in tasks}
    assert expected == {1: None, 2: None, 3: {"level": "Level3", "geometry": "Polygon"}}
