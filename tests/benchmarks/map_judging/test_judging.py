"""Runs of gis-bench against a judge that a script plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.benchmarks.map_judging import viewing
from screenmark.benchmarks.map_judging.tables import record_tables, result_tables
from screenmark.engine.progress import Progress, Silent
from screenmark.errors import CredentialsError, DataError, UsageError
from screenmark.types import Outcome
from tests.support.endpoint import Act, FakeEndpoint, Script
from tests.support.gis import make_outputs, of_total, picture, reply

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")

GOOD = (Act(content=reply()),)


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def judged(base: Path, endpoint: FakeEndpoint, **options: Any) -> screenmark.Run:
    given: dict[str, Any] = {
        "tasks": [str(base / "tasks.csv")],
        "outputs": base,
        "judge": ["m"],
        "api_base": [endpoint.url],
        "concurrency": 1,
    }
    return screenmark.run("gis-bench", **(given | options))


def results(base: Path, script: Script = GOOD, **options: Any) -> dict[str, Any]:
    with FakeEndpoint(script) as endpoint:
        return judged(base, endpoint, **options).results


def test_three_runs_of_each_output(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", "b")
    with FakeEndpoint(GOOD) as endpoint:
        run = judged(base, endpoint)
    assert len(endpoint.requests) == 18
    rows = run.results["per_sample"]
    assert [(row["model"], row["task_no"]) for row in rows] == [
        (model, number) for model in ("a", "b") for number in (1, 2, 3)
    ]
    assert (
        rows[0]
        | {
            "task_no": 1,
            "level": "Level1",
            "model": "a",
            "file_type": "png",
            "score": 92.0,
            "score_raw": 120.0,
            "spatial_location": 15.0,
            "geometry_validity": 5.0,
            "numeric_match": 10.0,
            "pass": True,
            "reason": "fine",
            "scores_3x": "92,92,92",
            "scores_3x_raw": "120,120,120",
        }
        == rows[0]
    )
    assert run.results["headline"] == {
        "metric": "pass_rate", "value": 1.0, "low": pytest.approx(0.438, abs=0.01), "high": 1.0,
    }  # fmt: skip
    assert run.results["by_model"]["a"]["score"] == 92.0
    assert run.results["complete"]


def test_the_judge_is_told_the_task_and_never_whose_output_it_is(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "secret_model")
    with FakeEndpoint(GOOD) as endpoint:
        judged(base, endpoint, repeats=1)
    body = endpoint.requests[0]
    assert body["max_tokens"] == 1024
    (image, words) = body["messages"][0]["content"]
    assert "Show Seoul on a map" in words["text"]
    assert "Level 1" in words["text"]
    assert "데이터셋: cities" in words["text"]
    sent = json.dumps(body)
    for name in ("secret_model", "1.png", str(tmp_path)):
        assert name not in sent
    assert image["image_url"]["url"].startswith("data:image/png;base64,")


def test_the_provider_is_told_the_form(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    with FakeEndpoint(GOOD) as endpoint:
        judged(base, endpoint, repeats=1, tasks=[str(base / "tasks.csv"), "1"])
    schema = endpoint.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["spatial_location"]["enum"] == [0, 8, 15]
    assert "total_raw" not in schema["properties"]


@pytest.mark.parametrize(
    ("totals", "score", "passes", "majority", "undecided"),
    [
        ((77, 78, 78), 179 / 3, False, True, True),
        ((130, 52, 52), 60.0, True, False, True),
        ((78, 78, 78), 60.0, True, True, False),
        ((120, 121, 122), 93.0, True, True, False),
    ],
)
def test_the_mean_of_the_rounded_scores_decides(
    tmp_path: Path,
    totals: tuple[int, ...],
    score: float,
    passes: bool,
    majority: bool,
    undecided: bool,
) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    script = [Act(content=of_total(total)) for total in totals]
    (row,) = results(base, script, tasks=[str(base / "tasks.csv"), "1"])["per_sample"]
    assert row["score"] == pytest.approx(score)
    assert (row["pass"], row["majority"], row["undecided"]) == (passes, majority, undecided)
    assert row["scores_3x_raw"] == ",".join(map(str, totals))


def test_the_reason_is_that_of_the_run_nearest_the_mean(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    script = [Act(content=of_total(total)) for total in (60, 120, 90)]
    (row,) = results(base, script, tasks=[str(base / "tasks.csv"), "1"])["per_sample"]
    assert row["reason"] == "t90"


def test_what_the_candidate_got_wrong_asks_nobody_and_is_no_failure(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(2,))
    (base / "a" / "1.png").touch()
    with FakeEndpoint(GOOD) as endpoint:
        run = judged(base, endpoint, max_error_rate=0.0)
    assert len(endpoint.requests) == 3
    rows = {row["task_no"]: row for row in run.results["per_sample"]}
    assert run.results["outcomes"] == {"ok": 9}
    for number, said in ((1, "1.png is empty"), (3, "missing")):
        row = rows[number]
        assert (row["score"], row["score_raw"], row["pass"]) == (0, 0, False)
        assert (row["scores_3x"], row["status"]) == ("0,0,0", "fault")
        assert said in row["reason"]
    assert rows[3]["file_type"] is None
    assert run.results["by_model"]["a"]["faults"] == 2


def test_an_invalid_reply_is_sent_back_once_with_what_is_wrong(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    script = [Act(content=reply(spatial_location=12)), *GOOD]
    with FakeEndpoint(script) as endpoint:
        run = judged(base, endpoint, repeats=1, tasks=[str(base / "tasks.csv"), "1"])
    first, second = endpoint.requests
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][0] == first["messages"][0]
    assert "spatial_location is 12, expected 0, 8 or 15" in str(second["messages"][2]["content"])
    (record,) = run.records
    assert record.reply is not None
    assert record.reply.earlier == (reply(spatial_location=12),)
    assert run.results["num_asked_again"] == 1
    assert run.results["per_sample"][0]["score"] == 92


@pytest.mark.parametrize(("repairs", "asked"), [(0, 1), (1, 2), (2, 3)])
def test_a_reply_that_stays_invalid_is_unscored_and_no_zero(
    tmp_path: Path, repairs: int, asked: int
) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    with FakeEndpoint([Act(content="no idea")]) as endpoint:
        run = judged(
            base, endpoint, repeats=1, repairs=repairs, tasks=[str(base / "tasks.csv"), "1"]
        )
    assert len(endpoint.requests) == asked
    (row,) = run.results["per_sample"]
    assert (row["score"], row["pass"], row["status"]) == (None, None, "unscored")
    assert row["unscored"] == ["no_json: the reply holds no JSON object"]
    assert run.results["outcomes"] == {"unparseable": 1}
    assert run.results["pass_rate"] is None


def test_refusals_and_cuts_are_outcomes_of_single_runs(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    script = [
        Act(content="", refusal="I will not"),
        Act(content='{"exists": 20, ', finish_reason="length"),
        Act(content='{"exists": 20, ', finish_reason="length"),
        *GOOD,
    ]
    found = results(base, script, tasks=[str(base / "tasks.csv"), "1"])
    (row,) = found["per_sample"]
    assert found["outcomes"] == {"ok": 1, "refused": 1, "truncated": 1}
    assert (row["runs"], row["scored"], row["scores_3x"]) == (3, 1, "92")
    assert row["unscored"][0] == "the judge refused"
    assert row["unscored"][1].startswith("truncated: ")


def test_the_same_command_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a")

    def fails_later(number: int, body: dict[str, Any]) -> Act:
        return Act(content=reply()) if number < 4 else Act(status=400, body=b"no more")

    with FakeEndpoint(fails_later) as endpoint:
        first = judged(base, endpoint, max_retries=0)
        assert first.results["outcomes"] == {"ok": 4, "api_error": 5}
        assert len(endpoint.requests) == 9
        endpoint.script = GOOD
        again = judged(base, endpoint, resume=first.path)
    assert len(endpoint.requests) == 14
    assert again.results["outcomes"] == {"ok": 9}


def test_a_changed_output_is_another_run_and_a_fork_keeps_the_rest(tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "in", "a")
    with FakeEndpoint(GOOD) as endpoint:
        first = judged(base, endpoint, repeats=1)
        picture(base / "a" / "2.png", blank=True)
        second = judged(base, endpoint, repeats=1, resume=first.path, fork=True)
    assert second.path != first.path
    assert len(endpoint.requests) == 4
    assert all(record.sample["checks"] for record in second.records)


def test_several_judges_each_give_their_marks(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))

    def by_name(number: int, body: dict[str, Any]) -> Act:
        return Act(content=of_total(130 if body["model"] == "x" else 65))

    with FakeEndpoint(by_name) as endpoint:
        run = judged(
            base, endpoint, judge=["x", "y"], repeats=2, tasks=[str(base / "tasks.csv"), "1"]
        )
    assert sorted(body["model"] for body in endpoint.requests) == ["x", "x", "y", "y"]
    (row,) = run.results["per_sample"]
    assert row["score"] == 75.0
    assert {name: part["scores"] for name, part in row["judges"].items()} == {
        "x": [100, 100],
        "y": [50, 50],
    }
    assert run.manifest.model == "x+y"


def test_a_cache_tells_judges_and_repetitions_apart(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    given: dict[str, Any] = {
        "tasks": [str(base / "tasks.csv"), "1"],
        "cache": str(tmp_path / "cache"),
        "repeats": 2,
    }
    with FakeEndpoint(GOOD) as endpoint:
        judged(base, endpoint, judge=["x"], **given)
        judged(base, endpoint, judge=["y"], **given)
        assert len(endpoint.requests) == 4
        again = judged(base, endpoint, judge=["x"], runs_dir=tmp_path / "again", **given)
        assert len(endpoint.requests) == 4
    assert again.results["per_sample"][0]["scores_3x"] == "92,92"


def test_what_replies_that_were_sent_back_cost_is_counted(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    with FakeEndpoint([Act(content="no"), *GOOD]) as endpoint:
        run = judged(base, endpoint, repeats=1, tasks=[str(base / "tasks.csv"), "1"])
    (record,) = run.records
    usage = record.reply.usage if record.reply else None
    assert usage is not None
    single = run.results["usage"]["input_tokens"] / 2
    assert usage.input_tokens == 2 * single > 0


def test_several_services_in_one_panel() -> None:
    from screenmark.benchmarks.map_judging.judges import Judge, judges_of

    found = judges_of(["claude-x", "openai:gpt-5", "llava:13b", "org/m@http://h:1/v1", "a@b"])
    assert found == [
        Judge("claude-x", "claude-x", None, None),
        Judge("gpt-5", "gpt-5", "openai", None),
        Judge("llava:13b", "llava:13b", None, None),
        Judge("org/m", "org/m", None, "http://h:1/v1"),
        Judge("a@b", "a@b", None, None),
    ]


def test_judges_at_two_addresses(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    with FakeEndpoint(GOOD) as one, FakeEndpoint([Act(content=of_total(65))]) as two:
        run = judged(
            base,
            one,
            judge=["x", f"y@{two.url}"],
            repeats=1,
            tasks=[str(base / "tasks.csv"), "1"],
        )
    assert (len(one.requests), len(two.requests)) == (1, 1)
    assert run.results["per_sample"][0]["judges"]["y"]["score"] == 50.0


def test_judge_and_checks_side_by_side(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(2,))
    picture(base / "a" / "1.png", blank=True)
    found = results(base, judge=["m", "checks"], tasks=[str(base / "tasks.csv"), "1,2"])
    blank, drawn = found["per_sample"]
    assert blank["score"] == 92.0, "the checks never change the judge's score"
    assert [c["status"] for c in blank["checks"]] == ["failed"]
    assert blank["disagreements"][0]["check"] == "not_blank"
    assert drawn["disagreements"] == []
    assert drawn["judged"]["exists"] == 20
    assert drawn["judged"]["accuracy"] is None


def test_the_embedded_judge_makes_no_points_up(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1, 2))
    run = screenmark.run(
        "gis-bench", tasks=[str(base / "tasks.csv")], outputs=base, judge=["checks"]
    )
    first, _, missing = run.results["per_sample"]
    assert (first["score"], first["pass"], first["status"]) == (None, None, "checks")
    assert first["bounds"] == [15, 100]
    # However often it looks, it leaves open what it leaves open, which is no failure to score.
    assert (first["runs"], first["unscored"], first["numeric_match"]) == (3, [], None)
    assert first["geometry_validity"] == first["judged"]["geometry_validity"]
    (look,) = (table for table in result_tables(run.results) if table.title == "Worth a look")
    assert look.rows == (("missing: there is no output for this task", "a/3"),)
    assert (missing["score"], missing["pass"]) == (0, False)
    # The fault alone is decided, and a mean over faults would be none of the model.
    assert (run.results["score"], run.results["pass_rate"]) == (None, None)
    part = run.results["by_model"]["a"]
    assert (part["score"], part["low"], part["pass_rate"], part["num_decided"]) == (None,) * 3 + (
        0,
    )
    # A picture without a page: where the data are is open, so that 0 of the fault is no mean.
    assert part["criteria"]["accuracy"] is None
    assert part["criteria"]["spatial_location"] is None


def test_outputs_from_elsewhere_are_told_of_before_they_are_sent(tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "base", "a", tasks=(1, 2))
    (base / "a" / "3.png").symlink_to(picture(tmp_path / "elsewhere" / "3.png"))
    (base / "b").symlink_to(tmp_path / "elsewhere")
    with FakeEndpoint(GOOD) as endpoint:
        told: list[tuple[str, int]] = []

        class Told(Silent):
            def start(self, progress: Progress) -> None:
                told.append((progress.first, len(endpoint.requests)))

        judged(base, endpoint, repeats=1, display=Told())
        judged(base, endpoint, repeats=1, display=Told(), models=["a"])
        judged(base, endpoint, repeats=1, display=Told(), models=["a"], levels=["1"])
    (both, asked), (one, _), (none, _) = told
    assert asked == 0
    assert f"2 outputs are links that lead out of {base}, such as {base / 'a' / '3.png'}" in both
    assert "1 output is a link that leads out" in one
    assert "a judge is shown" not in none


def test_tables_have_room_for_long_names_and_many_models(tmp_path: Path) -> None:
    long = "m" * 190 + "-v2"
    names = [long, *"abcd"]
    base = make_outputs(tmp_path, *names, tasks=(1,))
    (base / long / "2.png").write_text("no picture " * 50, encoding="utf-8")
    found = results(base, repeats=1)
    assert found["models"] == [*"abcd", long]
    tables = {table.title: table for table in result_tables(found)}
    (by_model, *_) = tables.values()
    shown = "m" * 40 + "…" + "m" * 16 + "-v2"
    assert [row[0] for row in by_model.rows] == [*"abcd", shown]
    marks = tables["Mean marks"]
    assert marks.columns[:3] == ("model", "exists /20", "accuracy /30")
    assert [row[0] for row in marks.rows] == [*"abcd", shown]
    cells = [str(c) for t in tables.values() for row in t.rows for c in row if t is not by_model]
    assert max(map(len, cells)) <= 140
    few = {table.title: table for table in result_tables(results(base, repeats=1, models=["a"]))}
    assert few["Mean marks"].columns == ("criterion", "most", "a")


def test_blank_pictures_may_be_left_to_nobody(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=())
    picture(base / "a" / "1.png", blank=True)
    with FakeEndpoint(GOOD) as endpoint:
        run = judged(base, endpoint, skip_blank=True, tasks=[str(base / "tasks.csv"), "1"])
    assert not endpoint.requests
    assert run.results["per_sample"][0]["fault"] == "the picture is blank"


def test_only_some_tasks_levels_and_models(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", "b")
    sheet = str(base / "tasks.csv")
    found = results(base, repeats=1, tasks=[sheet], levels=["2,L3"], models=["b"])
    assert [(r["model"], r["task_no"]) for r in found["per_sample"]] == [("b", 2), ("b", 3)]
    for bad, said in (
        ({"tasks": [sheet, "9"]}, "--tasks 9: not in"),
        ({"levels": ["7"]}, "--levels Level7: the sheet's levels are Level1, Level2, Level3"),
        ({"tasks": []}, "--outputs|--tasks"),
        ({"tasks": [sheet, str(base / "none.csv")]}, "expected one sheet"),
    ):
        with pytest.raises((UsageError, DataError), match=said):
            results(base, GOOD, **{"tasks": [sheet], **bad})


def test_a_prompt_of_the_users_own(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    own = tmp_path / "prompt.txt"
    own.write_text('[태스크 Level {level}]\n{prompt}\n{"exists":정수}', encoding="utf-8")
    with FakeEndpoint(GOOD) as endpoint:
        judged(base, endpoint, repeats=1, prompt=own, tasks=[str(base / "tasks.csv"), "1"])
        own.write_text("judge this", encoding="utf-8")
        with pytest.raises(DataError, match=r"expected \{prompt\} in it"):
            judged(base, endpoint, prompt=own)
    text = endpoint.requests[0]["messages"][0]["content"][1]["text"]
    assert text == '[태스크 Level 1]\nShow Seoul on a map\n{"exists":정수}'


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [("ko", "당신은", "당신은"), ("en", "You are", "You are"), ("task", "You are", "당신은")],
)
def test_the_prompts_language(tmp_path: Path, language: str, first: str, second: str) -> None:
    base = make_outputs(tmp_path, "a")
    with FakeEndpoint(GOOD) as endpoint:
        judged(base, endpoint, repeats=1, language=language)
    texts = [body["messages"][0]["content"][1]["text"] for body in endpoint.requests]
    assert texts[0].startswith(first)
    assert texts[1].startswith(second)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"judge": ["M-1"], "models": ["m_1"]}, "would judge its own outputs in m_1"),
        ({"judge": ["m", "m"]}, "named twice"),
        ({"judge": [""]}, "expected a model's name"),
        ({"judge": ["m@http://me:secret@host/v1"]}, "without user and password"),
        ({"model": "m"}, "--model: gis-bench judges what models have left"),
        ({"annotation": Path("x.json")}, "--annotation: not with gis-bench"),
        ({"scoring": "compat"}, "--scoring compat"),
        ({"executor": "ray"}, "--executor ray: gis-bench runs in one process"),
        ({"judge": ["a", "b"], "api_key": "k", "api_base": []}, "--api-key: of which judge"),
        ({"judge": ["m"], "api_base": []}, "no endpoint for 'm'"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    base = make_outputs(tmp_path, "m_1")
    with pytest.raises(UsageError, match=said):
        results(base, **options)


def test_judging_oneself_may_be_forced_and_family_is_warned_of(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "qwen3-vl", tasks=(1,))
    with FakeEndpoint(GOOD) as endpoint:
        options = {"repeats": 1, "tasks": [str(base / "tasks.csv"), "1"]}
        run = judged(base, endpoint, judge=["qwen3-vl"], self_judging=True, **options)
        assert any("of one family" in warning for warning in run.warnings)


def test_the_default_judge_needs_its_key(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a")
    with pytest.raises(CredentialsError, match="ANTHROPIC_API_KEY"):
        screenmark.run("gis-bench", tasks=[str(base / "tasks.csv")], outputs=base)


def test_a_browser_that_is_not_there_is_named(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=())
    (base / "a").mkdir()
    (base / "a" / "1.html").write_text(PAGE + "<script>let a = [", encoding="utf-8")
    options: dict[str, Any] = {"tasks": [str(base / "tasks.csv"), "1"]}
    (row,) = results(base, repeats=1, browser=tmp_path / "none", **options)["per_sample"]
    assert row["status"] == "unscored"
    assert str(tmp_path / "none") in row["unscored"][0]
    assert row["warnings"] == ["the page ends in the middle of a script: it seems to be cut off"]


def test_a_judge_that_cannot_be_asked_is_our_failure(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    script = [*GOOD, Act(status=400, body=b"no")]
    found = results(base, script, tasks=[str(base / "tasks.csv"), "1"], max_retries=0)
    (row,) = found["per_sample"]
    assert found["outcomes"] == {"ok": 1, "api_error": 2}
    assert (row["score"], row["scored"], row["runs"]) == (92.0, 1, 3)
    assert row["unscored"] == ["the judge could not be asked"] * 2


def test_a_reply_is_not_final_while_its_repair_could_not_be_asked_for(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=(1,))
    given: dict[str, Any] = {"repeats": 1, "tasks": [str(base / "tasks.csv"), "1"]}
    with FakeEndpoint([Act(content="no"), Act(status=400, body=b"no")]) as endpoint:
        run = judged(base, endpoint, **given)
        assert run.results["outcomes"] == {"api_error": 1}
        endpoint.script = GOOD
        assert judged(base, endpoint, resume=run.path, **given).results["outcomes"] == {"ok": 1}


def test_scoring_again_gives_the_same_without_asking(tmp_path: Path) -> None:
    from screenmark.engine.api import rescore

    base = make_outputs(tmp_path, "a", tasks=(1, 2))
    with FakeEndpoint(GOOD) as endpoint:
        run = judged(base, endpoint)
    assert rescore(run.path) == run.results
    assert {record.outcome for record in run.records} == {Outcome.OK}


PAGE = "<title>1</title><body style='margin:0;background:linear-gradient(90deg,red,blue)'>"


def test_a_page_is_rendered_once_and_its_picture_judged(tmp_path: Path) -> None:
    base = make_outputs(tmp_path, "a", tasks=())
    (base / "a").mkdir()
    lacking = "".join(f"<script src='https://nowhere.example/{n}.js'></script>" for n in range(9))
    (base / "a" / "1.html").write_text(PAGE + lacking, encoding="utf-8")
    with FakeEndpoint(GOOD) as endpoint:
        run = judged(base, endpoint, tasks=[str(base / "tasks.csv"), "1"])
    sent = [body["messages"][0]["content"][0]["image_url"]["url"] for body in endpoint.requests]
    assert len(sent) == 3
    assert len(set(sent)) == 1
    (row,) = run.results["per_sample"]
    assert (row["file_type"], row["score"]) == ("html_screenshot", 92.0)
    assert len(list((run.path / "artifacts" / "pictures").glob("*.png"))) == 1
    assert all(record.sample["output"]["page"] for record in run.records)
    (look,) = (table for table in result_tables(run.results) if table.title == "Worth a look")
    assert [what for what, _ in look.rows if "not served" in str(what)] == [
        "9 × script not served, such as https://nowhere.example/0.js "
        "(nothing on this machine stands for it)"
    ]
    assert "show RUN --sample MODEL/TASK" in str(look.note)
    every = next(t for t in record_tables(next(iter(run.records))) if "Warnings" in t.title)
    assert sum("not served" in str(what) for (what,) in every.rows) == 9


@pytest.mark.full
def test_a_page_that_never_ends_takes_nothing_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewing, "_PATIENCE", 0.1)  # for the second try, which is in vain too
    base = make_outputs(tmp_path, "a", tasks=(2,))
    (base / "a" / "1.html").write_text("<script>while (true) {}</script>", encoding="utf-8")
    (base / "a" / "3.html").write_text(PAGE, encoding="utf-8")
    with FakeEndpoint(GOOD) as endpoint:
        run = judged(base, endpoint, repeats=1)
    rows = {row["task_no"]: row for row in run.results["per_sample"]}
    assert rows[1]["fault"] == "the page does not answer: its scripts never end"
    assert "the page is lost" not in str(result_tables(run.results)), "it is said once"
    assert (rows[1]["score"], rows[2]["score"], rows[3]["score"]) == (0, 92.0, 92.0)
    assert len(endpoint.requests) == 2
