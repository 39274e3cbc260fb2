"""All runs over one output to its row: the seed's fields, and how far they can be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from screenmark.answers.rubric import CRITERIA, PASS_FROM
from screenmark.benchmarks.map_judging.disagreement import disagreements
from screenmark.benchmarks.map_judging.samples import MapSample
from screenmark.types import Json

SEED_FIELDS: Final = (
    *("task_no", "level", "model", "file_type", "score", "score_raw", "spatial_location"),
    *("geometry_validity", "numeric_match", "pass", "reason", "scores_3x", "scores_3x_raw"),
)
"""The fields of GIS-Bench's own result files, in their order."""

_SCORED: Final = ("ok", "fault")
_LOOKED: Final = (*_SCORED, "checks")


class Run(NamedTuple):
    """One run: which judge, which repetition, and its score as `scoring.score_answer` gives it.

    Attributes:
        problem: why nobody could be asked, where that is about the output or the machine.
    """

    judge: str
    repeat: int
    score: Mapping[str, Any]
    problem: str = ""

    @property
    def is_scored(self) -> bool:
        return self.score["status"] in _SCORED


def row_of(sample: MapSample, runs: Sequence[Run]) -> dict[str, Json]:
    """The row of one output.

    The score is the mean of the runs' rounded scores; of several judges, the mean of their means.
    It passes at 60, unrounded.
    """
    scored = [run for run in runs if run.is_scored]
    by_judge = {judge: _judge_block(own) for judge, own in _by_judge(runs).items()}
    means = [block for block in by_judge.values() if block["score"] is not None]
    score = _mean([block["score"] for block in means])
    points = [run.score["total_normalized"] for run in scored]
    spread = _deviation(points)
    checks = [{"check": c.check, "status": c.status, "detail": c.detail} for c in sample.checks]
    marks = {name: _mean([b["criteria"][name] for b in means]) for name in CRITERIA}
    only_checks = next((run for run in runs if run.score["status"] == "checks"), None)
    row: dict[str, Any] = {
        "task_no": sample.task.number,
        "level": sample.task.level,
        "model": sample.output.model,
        "file_type": sample.output.file_type,
        "score": score,
        "score_raw": _mean([block["score_raw"] for block in means]),
        **{
            name: marks[name] for name in ("spatial_location", "geometry_validity", "numeric_match")
        },
        "pass": None if score is None else score >= PASS_FROM,
        "reason": _reason(runs, score),
        "scores_3x": ",".join(str(run.score["total_normalized"]) for run in scored),
        "scores_3x_raw": ",".join(str(run.score["total_raw"]) for run in scored),
        "status": _status(runs),
        **{name: marks[name] for name in CRITERIA if name not in SEED_FIELDS},
        "runs": len(runs),
        "scored": len(scored),
        "spread": spread,
        "majority": _majority([run.score["pass"] for run in scored]),
        "undecided": _undecided(score, spread, len(scored)),
        "fault": next((r.score["reason"] for r in runs if r.score["status"] == "fault"), None),
        "unscored": [_why_not(run) for run in runs if run.score["status"] not in _LOOKED],
        "flags": sorted({flag for run in scored for flag in run.score["flags"] or ()}),
        "judges": by_judge if len(by_judge) > 1 else {},
        "checks": checks,
        "disagreements": disagreements(marks, sample.checks),
        "warnings": [*sample.output.remarks, *(sample.output.page or {}).get("warnings", ())],
    }
    if only_checks is not None:
        row |= _from_checks(row, only_checks)
    return row


def _by_judge(runs: Sequence[Run]) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.judge, []).append(run)
    return found


def _judge_block(runs: Sequence[Run]) -> dict[str, Any]:
    """One judge's part of a row."""
    scored = [run for run in runs if run.is_scored]
    score = _mean([run.score["total_normalized"] for run in scored])
    return {
        "score": score,
        "score_raw": _mean([run.score["total_raw"] for run in scored]),
        "pass": None if score is None else score >= PASS_FROM,
        "criteria": {n: _mean([run.score["scores"][n] for run in scored]) for n in CRITERIA},
        "scores": [run.score["total_normalized"] for run in scored],
        "runs": len(runs),
    }


def _from_checks(row: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """What the embedded judge has to say, where it is the only one that judged."""
    bounds = {"bounds": run.score["bounds"], "judged": run.score["scores"]}
    if row["score"] is not None or row["unscored"]:
        return bounds
    marks = {name: mark for name, mark in run.score["scores"].items() if name in row}
    return {**bounds, **marks, "pass": run.score["pass"], "reason": run.score["reason"]}


def _status(runs: Sequence[Run]) -> str:
    """``scored``, ``fault`` (of the candidate), ``checks`` (the embedded judge) or ``unscored``."""
    statuses = {run.score["status"] for run in runs}
    if "fault" in statuses:
        return "fault"
    if "ok" in statuses:
        return "scored"
    return "checks" if statuses == {"checks"} else "unscored"


def _reason(runs: Sequence[Run], score: float | None) -> str:
    """The words of the run nearest the mean, the first of several."""
    scored = [run for run in runs if run.is_scored]
    if not scored or score is None:
        return "; ".join(dict.fromkeys(_why_not(run) for run in runs))
    nearest = min(scored, key=lambda run: abs(run.score["total_normalized"] - score))
    return nearest.score["reason"] or ""


def _why_not(run: Run) -> str:
    score = run.score
    if score["status"] == "refusal":
        return "the judge refused"
    if score["status"] == "failed":
        return run.problem or "the judge could not be asked"
    return ": ".join(filter(None, (score["error"], score["reason"])))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _deviation(values: Sequence[float]) -> float | None:
    """Sample standard deviation; None for fewer than two values."""
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _majority(passes: Sequence[bool]) -> bool | None:
    """Whether most runs passed; None where there are none, or as many as did not."""
    votes = sum(passes)
    return None if 2 * votes == len(passes) else 2 * votes > len(passes)


def _undecided(score: float | None, spread: float | None, count: int) -> bool | None:
    """Whether the line lies within two standard errors of the score; None if that is unknown."""
    if score is None or spread is None:
        return None
    return abs(score - PASS_FROM) < 2 * spread / math.sqrt(count)
