"""Records of episodes to results: success, efficiency, and what the agents claimed."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from screenmark.benchmarks.task_automation.dataset import TaskSample, cannot_be_answered
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.pages import mean, ratio
from screenmark.metrics.success import (
    efficiency_quality_area,
    order_averaged_eqa,
    success_rate,
    within_budget,
)
from screenmark.types import Record

DERIVED_BUDGET: Final = 15
_MOST_REASONS: Final = 4
_CLAIMED: Final = frozenset({"done", "answer"})


class _Run(msgspec.Struct, frozen=True):
    """Played episodes of one repetition, in data order."""

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

    Episodes whose world or model broke down are in no score: they say nothing of the agent. How
    many those are stands beside every score, as ``left_out``.
    """
    rows = [_row(record) for record in records]
    played = _played(rows)
    overall = platform_average(played, budget)
    low, high = clustered_interval(
        [row["success"] for row in played], [row["task"] for row in played]
    )
    kinds = sorted({row["agent_kind"] for row in played})
    return {
        "headline": {
            "metric": "success_rate",
            "value": overall["success_rate"],
            "low": low,
            "high": high,
        },
        "blind_baselines": {},
        "agent_kind": kinds[0] if len(kinds) == 1 else None,
        "budget": budget,
        "observation": observation,
        **overall,
        "average": "over platforms, weighted by their numbers of tasks",
        "num_episodes": len(played),
        "left_out": len(rows) - len(played),
        "by_platform": _grouped(rows, "platform", budget),
        "by_world": _grouped(rows, "world", budget),
        "derived": _derived(played, budget),
        "by_repeat": _by_repeat(rows, budget),
        "steps": _steps(played),
        "claims": _claims(played),
        "per_task": _per_task(played),
        "audit": {"warnings": _warnings(rows, played)},
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
    kept = ("steps", "ended", "claim", "invalid", "impossible", "repeated", "reason", "folder")
    return {
        "id": sample.id,
        "task": sample.task,
        "world": sample.world,
        "platform": sample.platform,
        "seed": sample.seed,
        "answerable": sample.answerable,
        "repeat": record.repeat,
        "success": record.score["success"] if record.score else None,
        **{name: played.get(name) for name in kept},
        "input_tokens": played.get("input_tokens", 0),
        "output_tokens": played.get("output_tokens", 0),
        "seconds": played.get("seconds"),
        "agent_kind": played.get("agent_kind", ""),
        "outcome": record.outcome.value,
        "failure": record.failure.message if record.failure is not None else None,
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
    played = _played(rows)
    return {
        "num_tasks": len({row["task"] for row in rows}),
        "num_episodes": len(played),
        "left_out": len(rows) - len(played),
        **_scores(played, budget),
        "steps": mean([float(row["steps"]) for row in played]),
    }


def _played(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["success"] is not None]


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
    runs = _runs(_played(rows))
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
    names = ("input_tokens", "output_tokens", "seconds")
    return {name: mean([float(row[name] or 0) for row in rows]) for name in names}


def _warnings(rows: Sequence[dict[str, Any]], played: Sequence[dict[str, Any]]) -> list[str]:
    mute = [row["task"] for row in rows if not row["answerable"]]
    said = [cannot_be_answered(mute)] if mute else []
    broken = [row["failure"] or row["outcome"] for row in rows if row["success"] is None]
    if broken:
        said.append(
            f"{len(broken)} of {len(rows)} episodes broke down and are in no score; give the same "
            "command with --resume to play them"
        )
    for reason, count in Counter(broken).most_common(_MOST_REASONS):
        said.append(f"{count} broke down: {reason}")
    steps, invalid = (sum(row[name] for row in played) for name in ("steps", "invalid"))
    if steps and invalid >= steps / 2:
        said.append(
            f"{invalid} of {steps} turns hold no valid action; do --profile and --dialect fit "
            "the model?"
        )
    return said
