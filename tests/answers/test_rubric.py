"""A judge's reply to marks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers.rubric import (
    CRITERIA,
    MOST,
    PASS_FROM,
    RANGES,
    answer_of,
    judge_reply,
    normalised,
    parse_rubric,
)
from screenmark.answers.rubric_text import written_objects
from screenmark.types import Outcome
from tests.answers.rubric_cases import BAD, OK, REFUSALS, Bad, Ok, file_cases, obj


@pytest.mark.parametrize("case", file_cases(), ids=lambda case: case["id"])
def test_cases_of_the_file(case: dict[str, Any]) -> None:
    value = parse_rubric(case["reply"], stop_reason=case["stop_reason"]).value
    assert {name: value[name] for name in case["expect"]} == case["expect"]


@pytest.mark.parametrize("case", OK, ids=lambda case: case.id)
def test_marks_that_can_be_told(case: Ok) -> None:
    verdict = judge_reply(case.reply, case.stop_reason)
    assert (verdict.status, verdict.flags, verdict.total_raw) == ("ok", case.flags, case.total)
    assert verdict.error is None


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.id)
def test_replies_that_have_to_be_asked_for_again(case: Bad) -> None:
    verdict = judge_reply(case.reply, case.stop_reason)
    assert (verdict.status, verdict.error, verdict.field) == ("invalid", case.error, case.field)
    assert verdict.scores is None
    assert verdict.total_raw is None
    assert verdict.reason


def test_a_reply_without_end_is_not_read() -> None:
    thinking = f"<think>{'a ' * 400_000}</think>"
    assert judge_reply(thinking + obj()).status == "ok"
    verdict = judge_reply("{" * 2_000_000 + obj())
    assert (verdict.status, verdict.error) == ("invalid", "syntax")
    assert "more than 1,000,000" in str(verdict.reason)


@pytest.mark.parametrize(("reply", "stop_reason"), REFUSALS)
def test_refusals(reply: str, stop_reason: str) -> None:
    assert judge_reply(reply, stop_reason).status == "refusal"


@pytest.mark.parametrize(
    ("reply", "stop_reason", "outcome"),
    [
        (obj(), None, Outcome.OK),
        (obj(accuracy="31"), None, Outcome.UNPARSEABLE),
        (obj()[:-2], "max_tokens", Outcome.TRUNCATED),
        ("", None, Outcome.EMPTY),
        ("", "refusal", Outcome.REFUSED),
    ],
)
def test_outcomes(reply: str, stop_reason: str | None, outcome: Outcome) -> None:
    assert parse_rubric(reply, stop_reason=stop_reason).outcome is outcome


def test_the_judges_own_figures_are_kept_and_not_believed() -> None:
    own = ', "total_raw": 130, "total_normalized": "100점", "pass": false, "reason": "좋음"'
    verdict = judge_reply(obj(own))
    assert verdict.said == {"total_raw": 130, "total_normalized": 100, "pass": False}
    assert (verdict.total_raw, verdict.total_normalized, verdict.passed) == (120, 92, True)
    assert verdict.reason == "좋음"


@pytest.mark.parametrize(("raw", "points", "passes"), [(77, 59, False), (78, 60, True)])
def test_the_line(raw: int, points: int, passes: bool) -> None:
    rest = raw - 20 - 15 - 5 - 10
    marks = {"accuracy": str(min(rest, 30)), "requirement": str(max(0, rest - 30))}
    verdict = judge_reply(obj(completeness="0", **marks))
    assert (verdict.total_raw, verdict.total_normalized, verdict.passed) == (raw, points, passes)


def test_no_total_lies_half_way_between_two_points() -> None:
    assert all((raw / MOST * 100) % 1 != 0.5 for raw in range(MOST + 1))
    assert normalised(MOST) == 100


def test_an_answer_is_strict_json_and_comes_back() -> None:
    value = answer_of(judge_reply(obj(', "total_raw": 1e400'))).value
    assert json.loads(json.dumps(value, allow_nan=False)) == value


_marks = st.fixed_dictionaries({name: st.sampled_from(RANGES[name]) for name in CRITERIA})
_noise = st.text(st.sampled_from("{}[]\"',: \n\\0123accuracyexists정수/`<think>"), max_size=60)


@given(_marks)
def test_every_valid_rubric_comes_back(marks: dict[str, int]) -> None:
    verdict = judge_reply(json.dumps(marks))
    assert verdict.scores == marks
    assert verdict.total_raw == sum(marks.values())
    assert verdict.passed == (normalised(sum(marks.values())) >= PASS_FROM)


@given(_marks, st.integers(0, 400))
def test_a_cut_never_makes_another_mark(marks: dict[str, int], at: int) -> None:
    verdict = judge_reply(json.dumps(marks | {"reason": "x" * 40})[:at], "max_tokens")
    assert verdict.scores in (None, marks)


@given(st.text() | _noise, st.sampled_from([None, "end_turn", "max_tokens", "refusal"]))
def test_any_text_is_read(text: str, stop_reason: str | None) -> None:
    verdict = judge_reply(text, stop_reason)
    assert (verdict.status == "ok") == (verdict.scores is not None)
    assert (verdict.status == "invalid") == (verdict.error is not None)
    json.dumps(parse_rubric(text, stop_reason=stop_reason).value, allow_nan=False)


@given(_noise, _marks, _noise)
def test_noise_makes_no_mark_that_nobody_wrote(
    before: str, marks: dict[str, int], after: str
) -> None:
    verdict = judge_reply(f"{before}\n{json.dumps(marks)}\n{after}")
    assert verdict.scores in (None, marks)


@pytest.mark.parametrize(
    "piece",
    ['{"a":', '{"', '{"a":1,', '"', '" ', "{", "{'", "exists ", "exists: 1 ", "```", "[", '",x'],
)
def test_work_grows_with_the_length_of_hostile_text(piece: str) -> None:
    text = '{"reason":"' + piece * 2000
    for start in ("", '{"reason":"'):
        reads = [_reads(start + piece * count) for count in (500, 1000)]
        assert reads[1] <= 2.5 * reads[0] + 50
    assert judge_reply(text).status == "invalid"


def _reads(text: str) -> int:
    """Characters that objects span, all together: each may be read a few times, not n times."""
    return sum(o.end - o.start for o in written_objects(text))
