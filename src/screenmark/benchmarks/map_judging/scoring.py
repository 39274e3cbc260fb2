"""One run of one judge over one output, as its record keeps it."""

from __future__ import annotations

from typing import Any

from screenmark.answers.rubric import CRITERIA, judge_reply
from screenmark.benchmarks.map_judging import checks_judge
from screenmark.benchmarks.map_judging.samples import MapSample
from screenmark.types import Answer, Outcome, Reply

ZERO: dict[str, int] = dict.fromkeys(CRITERIA, 0)


def verdict_on(reply: Reply) -> Any:
    """The verdict on a reply, and the same on every machine."""
    return judge_reply(reply.text, reply.finish_reason)


def settled_answer(sample: MapSample, *, skip_blank: bool) -> Answer | None:
    """The answer about an output that no model has to look at; None if one has to.

    What is the candidate's own fault scores 0; the embedded judge answers from the checks.
    """
    fault = sample.output.fault
    if fault is None and skip_blank and _is_blank(sample):
        fault = "the picture is blank"
    if fault is not None:
        value = {"status": "fault", "scores": ZERO, "total_raw": 0, "total_normalized": 0}
        return Answer(Outcome.OK, {**value, "pass": False, "flags": [], "reason": fault})
    if sample.judge == checks_judge.NAME:
        value = checks_judge.value_of(sample.checks, sample.output.picture)
        return Answer(Outcome.OK, {**value, "flags": []})
    return None


def _is_blank(sample: MapSample) -> bool:
    return any(c.check == "not_blank" and c.status == "failed" for c in sample.checks)


def score_answer(answer: Answer | None) -> dict[str, Any]:
    """What a record's answer comes to.

    ``status`` is ``ok``, ``fault``, ``checks``, ``invalid``, ``refusal``, or ``failed`` where the
    judge could not be asked; marks and totals are None where there are none.
    """
    if answer is None or not isinstance(answer.value, dict):
        return {"status": "failed", **dict.fromkeys(_KEPT)}
    found = {name: answer.value.get(name) for name in _KEPT}
    if answer.value["status"] == "checks":
        found["bounds"] = answer.value["bounds"]
    return {"status": answer.value["status"], **found}


_KEPT = (*("scores", "total_raw", "total_normalized", "pass", "flags", "error", "field", "reason"),)
