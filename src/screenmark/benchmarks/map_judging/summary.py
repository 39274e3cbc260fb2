"""Records of judged outputs to results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from screenmark.answers.rubric import CRITERIA
from screenmark.benchmarks.map_judging.runs import Run, row_of
from screenmark.benchmarks.map_judging.samples import MapSample
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.intervals import bootstrap_interval, ratio_of_sums
from screenmark.types import Json, Outcome, Record

Row = dict[str, Json]


def summarise_runs(records: Iterable[Record]) -> dict[str, Any]:
    """The benchmark's part of the results: one row for each output, groups, and the headline."""
    samples: dict[tuple[str, int], MapSample] = {}
    runs: dict[tuple[str, int], list[Run]] = {}
    judges: dict[str, None] = {}
    earlier = 0
    for record in records:
        sample = msgspec.convert(record.sample, MapSample)
        key = (sample.output.model, sample.task.number)
        # A record of a failure holds the sample as it was before it was looked at.
        if key not in samples or (sample.checks and not samples[key].checks):
            samples[key] = sample
        run = Run(sample.judge, record.repeat, record.score, _problem(record))
        runs.setdefault(key, []).append(run)
        judges.setdefault(sample.judge)
        earlier += len(record.reply.earlier) if record.reply is not None else 0
    rows = [row_of(samples[key], runs[key]) for key in samples]
    decided = _decided(rows)
    low, high = clustered_interval(
        [int(row["pass"]) for row in decided], [row["task_no"] for row in decided]
    )
    return {
        "headline": {
            "metric": "pass_rate",
            "value": _rate(decided),
            "low": low,
            "high": high,
        },
        "blind_baselines": {},
        "pass_rate": _rate(decided),
        "score": group_scores(rows)["score"],
        "judges": list(judges),
        "models": list(dict.fromkeys(row["model"] for row in rows)),
        "num_outputs": len(rows),
        "num_asked_again": earlier,
        "by_model": _groups(rows, lambda row: row["model"]),
        "by_level": _groups(rows, lambda row: row["level"]),
        "by_model_and_level": {
            model: _groups([r for r in rows if r["model"] == model], lambda row: row["level"])
            for model in dict.fromkeys(row["model"] for row in rows)
        },
        "per_sample": rows,
    }


def _problem(record: Record) -> str:
    """A failure before anybody was asked; what endpoints say differs from request to request."""
    before = record.outcome in {Outcome.IMAGE_ERROR, Outcome.ENVIRONMENT_ERROR}
    return record.failure.message if before and record.failure is not None else ""


def _groups(rows: Sequence[Row], key: Callable[[Row], str]) -> dict[str, Any]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return {name: group_scores(members) for name, members in sorted(found.items())}


def group_scores(rows: Sequence[Row]) -> dict[str, Any]:
    """Mean score with its interval over tasks, pass rate, and what is not among them."""
    scores: dict[int, list[float]] = {}
    bounds_alone = any(row["status"] == "checks" for row in rows)
    for row in rows:
        if row["score"] is not None and not bounds_alone:
            total = scores.setdefault(row["task_no"], [0.0, 0.0])
            total[0] += row["score"]
            total[1] += 1
    mean = (
        sum(t[0] for t in scores.values()) / sum(t[1] for t in scores.values()) if scores else None
    )
    low, high = bootstrap_interval(list(scores.values()), ratio_of_sums)
    decided = _decided(rows)
    pass_low, pass_high = clustered_interval(
        [int(row["pass"]) for row in decided], [row["task_no"] for row in decided]
    )
    statuses = Counter(row["status"] for row in rows)
    checks = Counter(check["status"] for row in rows for check in row["checks"])
    return {
        "num_outputs": len(rows),
        "score": mean,
        "low": low,
        "high": high,
        "num_decided": len(decided),
        "pass_rate": _rate(decided),
        "pass_low": pass_low,
        "pass_high": pass_high,
        "undecided": sum(bool(row["undecided"]) for row in rows),
        "faults": statuses["fault"],
        "unscored": statuses["unscored"],
        "criteria": {name: _mean_mark(rows, name) for name in CRITERIA},
        "checks": dict(sorted(checks.items())),
        "disagreements": sum(len(row["disagreements"]) for row in rows),
    }


def _decided(rows: Sequence[Row]) -> list[Row]:
    """Rows that passed or failed; none where the embedded judge left one open.

    It finds what is broken and leaves open what may be right, so that a rate over what it
    decided would be one over faults.
    """
    if any(row["status"] == "checks" and row["pass"] is None for row in rows):
        return []
    return [row for row in rows if row["pass"] is not None]


def _rate(decided: Sequence[Row]) -> float | None:
    return sum(bool(row["pass"]) for row in decided) / len(decided) if decided else None


def _mean_mark(rows: Sequence[Row], name: str) -> float | None:
    """Mean of a criterion's marks; None where the embedded judge left one open, as above."""
    if any(row["status"] == "checks" and row[name] is None for row in rows):
        return None
    return _mean([row[name] for row in rows])


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
