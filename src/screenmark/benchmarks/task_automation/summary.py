"""Records of episodes to results: success, efficiency, and what the agents claimed."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from screenmark.benchmarks.task_automation.dataset import TaskSample
from screenmark.benchmarks.task_automation.remarks import worth_a_look
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.pages import mean, ratio
from screenmark.metrics.success import (
    efficiency_quality_area,
    order_averaged_eqa,
    success_rate,
    within_budget,
)
from screenmark.types import Outcome, Record

DERIVED_BUDGET: Final = 15
_CLAIMED: Final = frozenset({"done", "answer"})


class _Run(msgspec.Struct, frozen=True):
    """Episodes of one repetition that count, in data order."""

    success: list[float]
    steps: list[int]

    def scores(self, budget: int) -> dict[str, float | None]:
        return {
            "success_rate": success_rate(self.success),
            "eqa": efficiency_quality_area(self.success, self.steps, budget),
            "eqa_order_averaged": order_averaged_eqa(self.success, self.steps, budget),
        }


def summarise_episodes(
    records: Iterable[Record], budget: int, observation: str = "screenshot"
) -> dict[str, Any]:
    """The benchmark's part of ``results.json``; ``records`` are in data order.

    Episodes whose world broke down are in no score: they say nothing of the agent. How many those
    are stands beside every score, as ``left_out``. An episode that was broken off because its
    model gave no reply counts as not solved, with its whole budget used up; ``answered_only``
    leaves those out too.
    """
    rows = [_row(record) for record in records]
    counted = _counted(rows, budget)
    answered = _answered(rows)
    overall = platform_average(counted, budget)
    low, high = clustered_interval(
        [row["success"] for row in counted], [row["task"] for row in counted]
    )
    kinds = sorted({row["agent_kind"] for row in answered})
    kind = kinds[0] if len(kinds) == 1 else None
    return {
        "headline": {
            "metric": "success_rate",
            "value": overall["success_rate"],
            "low": low,
            "high": high,
        },
        "blind_baselines": {},
        "agent_kind": kind,
        "budget": budget,
        "observation": observation,
        **overall,
        "average": "over platforms, weighted by their numbers of tasks",
        "num_episodes": len(counted),
        "left_out": len(rows) - len(counted),
        "answered_only": {"num_episodes": len(answered), **platform_average(answered, budget)},
        "by_platform": _grouped(rows, "platform", budget),
        "by_world": _grouped(rows, "world", budget),
        "derived": _derived(counted, budget),
        "by_repeat": _by_repeat(rows, budget),
        "steps": _steps(answered),
        "claims": _claims(answered),
        "per_task": _per_task(answered),
        "audit": {"warnings": worth_a_look(rows, kind)},
        "per_sample": rows,
    }


def platform_average(rows: Sequence[dict[str, Any]], budget: int) -> dict[str, float | None]:
    """Scores of each platform, averaged with the numbers of their episodes as weights."""
    parts = [part for part in _grouped(rows, "platform", budget).values() if part["num_episodes"]]
    names = ("success_rate", "eqa", "eqa_order_averaged")
    total = sum(part["num_episodes"] for part in parts)
    return {n: ratio(sum(p[n] * p["num_episodes"] for p in parts), total) for n in names}


def _row(record: Record) -> dict[str, Any]:
    sample = msgspec.convert(record.sample, TaskSample)
    value = record.answer.value if record.answer is not None else None
    played = value if isinstance(value, dict) else {}
    lost = record.outcome is Outcome.ENVIRONMENT_ERROR
    kept = ("steps", "ended", "claim", "invalid", "impossible", "repeated", "reason", "folder")
    return {
        "id": sample.id,
        "task": sample.task,
        "world": sample.world,
        "platform": sample.platform,
        "seed": sample.seed,
        "answerable": sample.answerable,
        "repeat": record.repeat,
        "success": played.get("success", None if lost else 0.0),
        **{name: played.get(name) for name in kept},
        "input_tokens": played.get("input_tokens", 0),
        "output_tokens": played.get("output_tokens", 0),
        "episode_seconds": played.get("seconds"),
        "agent_kind": played.get("agent_kind", ""),
        "outcome": record.outcome.value,
        "failure": record.failure.message if record.failure is not None else None,
        "failure_kind": record.failure.kind if record.failure is not None else None,
    }


def _runs(rows: Sequence[dict[str, Any]]) -> dict[int, _Run]:
    """Success and steps by repetition: the area is of tasks worked on one after the other."""
    found: dict[int, _Run] = {}
    for row in rows:
        run = found.setdefault(row["repeat"], _Run([], []))
        run.success.append(row["success"])
        run.steps.append(row["steps"])
    return dict(sorted(found.items()))


def _scores(rows: Sequence[dict[str, Any]], budget: int) -> dict[str, Any]:
    """Mean scores over the repetitions; None each without episodes."""
    each = [run.scores(budget) for run in _runs(rows).values()] or [_Run([], []).scores(budget)]
    return {name: mean([scores[name] for scores in each]) for name in each[0]}


def _grouped(rows: Sequence[dict[str, Any]], key: str, budget: int) -> dict[str, Any]:
    names = dict.fromkeys(row[key] for row in rows)
    return {name: _group([row for row in rows if row[key] == name], budget) for name in names}


def _group(rows: Sequence[dict[str, Any]], budget: int) -> dict[str, Any]:
    counted = _counted(rows, budget)
    return {
        "num_tasks": len({row["task"] for row in rows}),
        "num_episodes": len(counted),
        "left_out": len(rows) - len(counted),
        **_scores(counted, budget),
        "steps": mean([float(row["steps"]) for row in _answered(rows)]),
    }


def _counted(rows: Sequence[dict[str, Any]], budget: int) -> list[dict[str, Any]]:
    """All but those whose world broke down; one that was broken off has used up its budget."""
    return [
        row if row["steps"] is not None else {**row, "steps": budget}
        for row in rows
        if row["success"] is not None
    ]


def _answered(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that were played to their end."""
    return [row for row in rows if row["steps"] is not None]


def _derived(rows: Sequence[dict[str, Any]], budget: int) -> dict[str, Any] | None:
    """A smaller public budget's view of this run; None if it is not larger."""
    if budget <= DERIVED_BUDGET or not rows:
        return None
    cut = []
    for row in rows:
        (success,), (steps,) = within_budget([row["success"]], [row["steps"]], DERIVED_BUDGET)
        cut.append({**row, "success": success, "steps": steps})
    return {
        "budget": DERIVED_BUDGET,
        "from_budget": budget,
        "note": "derived: an agent that is told of the smaller budget may act otherwise",
        **platform_average(cut, DERIVED_BUDGET),
    }


def _by_repeat(rows: Sequence[dict[str, Any]], budget: int) -> dict[str, Any] | None:
    """Scores of each repetition, and how far they are apart; None of one repetition.

    Where repetitions lost different episodes, their scores are over different tasks, and
    ``same_tasks`` is false.
    """
    runs = _runs(_counted(rows, budget))
    if len(runs) < 2:
        return None
    each = [
        {
            "repeat": number,
            "num_episodes": len(run.success),
            "left_out": sum(r["success"] is None for r in rows if r["repeat"] == number),
            **run.scores(budget),
        }
        for number, run in runs.items()
    ]
    rates = [run["success_rate"] or 0.0 for run in each]
    areas = [run["eqa"] or 0.0 for run in each]
    return {
        "each": each,
        "same_tasks": not any(row["success"] is None for row in rows),
        "success_rate_stdev": statistics.stdev(rates),
        "eqa_stdev": statistics.stdev(areas),
    }


def _steps(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    steps = [row["steps"] for row in rows]
    solved = [row["steps"] for row in rows if row["success"] == 1]
    return {
        "mean": mean([float(step) for step in steps]),
        "mean_of_successes": mean([float(step) for step in solved]),
        "invalid": sum(row["invalid"] for row in rows),
        "impossible": sum(row["impossible"] for row in rows),
        "repeated": sum(row["repeated"] for row in rows),
        "invalid_share": ratio(sum(row["invalid"] for row in rows), sum(steps)),
    }


def _claims(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What agents said at the end against what the environments found."""
    claimed = [row for row in rows if row["claim"] in _CLAIMED]
    wrong = sum(row["success"] < 1 for row in claimed)
    gave_up = [row for row in rows if row["claim"] in {"fail", "call_user"}]
    return {
        "by_kind": dict(Counter(row["claim"] or "none" for row in rows)),
        "ended_by": dict(Counter(row["ended"] for row in rows)),
        "claimed_success": len(claimed),
        "false_success": wrong,
        "false_success_rate": ratio(wrong, len(claimed)),
        "gave_up": len(gave_up),
    }


def _per_task(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Means over episodes; the cost follows from the run's ``usage``."""
    names = {"input_tokens": "input_tokens", "output_tokens": "output_tokens"}
    names["seconds"] = "episode_seconds"
    return {name: mean([float(row[key] or 0) for row in rows]) for name, key in names.items()}
