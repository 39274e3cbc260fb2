"""Can the judge be trusted: how far its runs agree, how far judges do, and how far people do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screenmark.answers.rubric import CRITERIA, LEVELS, PASS_FROM, RANGES
from screenmark.benchmarks.map_judging.labels import Label
from screenmark.metrics.agreement import (
    Level,
    bootstrap_over,
    icc,
    krippendorff_alpha,
    mean_absolute_error,
    spearman,
    weighted_kappa,
)
from screenmark.metrics.intervals import UNKNOWN
from screenmark.types import Json, Record

TOTAL: Final = "total"
_NAN: Final = math.nan
_ROWS: Final = (*CRITERIA, TOTAL)

Unit = tuple[str, int]
"""An output: its model and its task's number."""

Table = NDArray[np.float64]


class Marks(NamedTuple):
    """The marks of every scored run.

    Attributes:
        units: outputs in order of appearance.
        judges: those that marked at least one of them.
        table: shape (judges, runs, units, criteria and total), NaN where there is no mark; the
            total is out of 100.
    """

    units: list[Unit]
    judges: list[str]
    table: Table

    @property
    def tasks(self) -> list[int]:
        """What outputs are drawn by: runs and models of a task are not independent."""
        return [number for _, number in self.units]


def marks_of(records: Iterable[Record]) -> Marks:
    """Collect the marks that models gave; outputs that nobody had to look at are left out."""
    found: dict[tuple[str, int, Unit], list[float]] = {}
    for record in records:
        score = record.score
        if not score or score["status"] != "ok":
            continue
        sample = record.sample
        unit = (sample["output"]["model"], sample["task"]["number"])
        marks = [float(score["scores"][name]) for name in CRITERIA]
        found[sample["judge"], record.repeat, unit] = [*marks, float(score["total_normalized"])]
    judges = list(dict.fromkeys(judge for judge, _, _ in found))
    units = list(dict.fromkeys(unit for _, _, unit in found))
    runs = max((repeat for _, repeat, _ in found), default=-1) + 1
    table = np.full((len(judges), runs, len(units), len(_ROWS)), _NAN)
    places = {unit: n for n, unit in enumerate(units)}
    for (judge, repeat, unit), marks in found.items():
        table[judges.index(judge), repeat, places[unit]] = marks
    return Marks(units, judges, table)


def reliability(marks: Marks, labels: Sequence[Label] = (), *, resamples: int = 1000) -> Json:
    """Everything that can be said about the marks, with 95 % intervals over tasks.

    Returns:
        ``{"num_outputs", "num_tasks", "num_runs", "num_labelled", "labels_of_others": ["model/3"],
        "judges": {name: {"runs", "human"}}, "between_judges", "people"}``; others are outputs
        that have labels and no marks in the run; every figure is ``{"value", "low", "high"}``,
        with None where it is undefined.
    """
    runs = {
        judge: _over_runs(marks, marks.table[n], resamples) for n, judge in enumerate(marks.judges)
    }
    human = _human_table(marks, labels)
    against = {
        judge: _against(marks, marks.table[n], human, resamples)
        for n, judge in enumerate(marks.judges)
    }
    return {
        "num_outputs": len(marks.units),
        "num_tasks": len(set(marks.tasks)),
        "num_runs": marks.table.shape[1],
        "num_labelled": int((~np.isnan(human).all(axis=(0, 2))).sum()) if len(human) else 0,
        "labels_of_others": _of_others(marks, labels),
        "judges": {
            judge: {"runs": runs[judge], "human": against[judge] if labels else None}
            for judge in marks.judges
        },
        "between_judges": _between(marks, _middles(marks.table), resamples)
        if len(marks.judges) > 1
        else None,
        "people": _between(marks, human, resamples) if len(human) > 1 else None,
    }


def _figure(
    tasks: Sequence[int], resamples: int, statistic: Callable[..., float | None], *columns: Table
) -> dict[str, float | None]:
    """A statistic of columns whose last axis is outputs, with its interval over tasks."""

    def of(at: NDArray[np.intp]) -> float | None:
        return statistic(*(column[..., at] for column in columns))

    value = of(np.arange(len(tasks)))
    low, high = UNKNOWN if value is None else bootstrap_over(tasks, of, resamples=resamples)
    return {"value": value, "low": low, "high": high}


def _over_runs(marks: Marks, table: Table, resamples: int) -> dict[str, Any]:
    """Consistency of one judge with itself; ``table`` has the shape (runs, units, criteria)."""
    return {
        name: {
            "sd": _figure(marks.tasks, resamples, _mean_sd, table[:, :, n]),
            "identical": _figure(marks.tasks, resamples, _identical, table[:, :, n]),
            **_agreement(marks, table[:, :, n], name, resamples),
        }
        for n, name in enumerate(_ROWS)
    }


def _between(marks: Marks, table: Table, resamples: int) -> dict[str, Any]:
    """Agreement of raters; ``table`` has the shape (raters, units, criteria)."""
    return {
        name: _agreement(marks, table[:, :, n], name, resamples) for n, name in enumerate(_ROWS)
    }


def _agreement(marks: Marks, part: Table, name: str, resamples: int) -> dict[str, Any]:
    """Alpha, ordinal for levels; of the total the intraclass correlations too."""
    level: Level = "ordinal" if name in LEVELS else "interval"
    alpha = partial(krippendorff_alpha, level=level)
    found: dict[str, Any] = {
        "alpha": _figure(marks.tasks, resamples, alpha, part),
        "level": level,
    }
    if name == TOTAL:
        found["icc_single"] = _figure(marks.tasks, resamples, lambda at: icc(at.T).single, part)
        found["icc_mean"] = _figure(marks.tasks, resamples, lambda at: icc(at.T).mean, part)
    return found


def _against(marks: Marks, table: Table, human: Table, resamples: int) -> dict[str, Any] | None:
    """One judge against the mean of the people; None if they have no output in common."""
    if not len(human):
        return None
    judged, people = _mean(table), _mean(human)
    both = ~np.isnan(judged[:, -1]) & ~np.isnan(people).all(axis=1)
    if not both.any():
        return None
    tasks = [task for task, held in zip(marks.tasks, both, strict=True) if held]
    judged, people = judged[both], people[both]
    quadratic = partial(weighted_kappa, weights="quadratic")
    one, other = judged[:, -1], people[:, -1]
    ours, theirs = (np.where(np.isnan(other), _NAN, v >= PASS_FROM) for v in (one, other))
    return {
        "num_outputs": len(tasks),
        "criteria": {
            name: _figure(
                tasks,
                resamples,
                quadratic,
                _rounded(judged[:, n], name),
                _rounded(people[:, n], name),
            )
            for n, name in enumerate(CRITERIA)
        },
        "spearman": _figure(tasks, resamples, spearman, one, other),
        "mae": _figure(tasks, resamples, mean_absolute_error, one, other),
        "pass_kappa": _figure(tasks, resamples, weighted_kappa, ours, theirs),
        "bias": _figure(tasks, resamples, _nan_mean, one - other),
    }


def _human_table(marks: Marks, labels: Sequence[Label]) -> Table:
    """Shape (people, units, criteria and total), of the outputs that were judged."""
    people = list(dict.fromkeys(label.rater for label in labels))
    table = np.full((len(people), len(marks.units), len(_ROWS)), _NAN)
    places = {unit: n for n, unit in enumerate(marks.units)}
    for label in labels:
        place = places.get((label.model, label.task_no))
        if place is not None:
            row = table[people.index(label.rater), place]
            for n, name in enumerate(_ROWS):
                value = label.total if name == TOTAL else label.marks.get(name)
                row[n] = _NAN if value is None else value
    return table


def _of_others(marks: Marks, labels: Sequence[Label]) -> list[str]:
    """Outputs that people marked and no model did, in the order of the labels."""
    return _named(dict.fromkeys((label.model, label.task_no) for label in labels), marks.units)


def _named(units: Iterable[Unit], without: Sequence[Unit]) -> list[str]:
    known = set(without)
    return [f"{model}/{number}" for model, number in units if (model, number) not in known]


def _middles(table: Table) -> Table:
    """One mark of each judge: the middle one of its runs, which is a level where those are."""
    ordered = np.sort(table, axis=1)  # NaN last
    counts = (~np.isnan(table)).sum(axis=1, keepdims=True)
    middle = np.take_along_axis(ordered, np.maximum(counts - 1, 0) // 2, axis=1)
    return np.asarray(middle[:, 0])


def _rounded(values: Table, name: str) -> Table:
    """Means of marks as the nearest mark that there is."""
    allowed = np.array(RANGES[name], float)
    nearest = allowed[np.abs(values[:, None] - allowed[None, :]).argmin(axis=1)]
    return np.asarray(np.where(np.isnan(values), _NAN, nearest))


def _mean(table: Table) -> Table:
    """Mean over the first axis, of what is there."""
    counts = (~np.isnan(table)).sum(axis=0)
    sums = np.nansum(table, axis=0)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), _NAN))


def _mean_sd(part: Table) -> float | None:
    """Mean standard deviation over runs, of outputs with at least two."""
    several = part[:, (~np.isnan(part)).sum(axis=0) >= 2]
    return float(np.nanstd(several, axis=0, ddof=1).mean()) if several.size else None


def _identical(part: Table) -> float | None:
    """Share of outputs whose runs all gave the same mark, of those with at least two."""
    several = part[:, (~np.isnan(part)).sum(axis=0) >= 2]
    if not several.size:
        return None
    return float((np.nanmax(several, axis=0) == np.nanmin(several, axis=0)).mean())


def _nan_mean(values: Table) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def bias(base: Marks, other: Marks, *, resamples: int = 1000) -> Mapping[str, Any]:
    """What a change did to the marks: mean of ``other`` less ``base``, paired by output.

    Returns:
        ``{"num_outputs", "only_base", "only_other", "criteria": {name: figure}, "total": figure,
        "changed": figure, "flips": figure}``; ``only_…`` are outputs that the other run has no
        marks of, as ``model/3``; ``changed`` is the share of outputs with another mean total,
        ``flips`` of those that pass in one run only.
    """
    shared = [unit for unit in base.units if unit in set(other.units)]
    counts = {
        "num_outputs": len(shared),
        "only_base": _named(base.units, shared),
        "only_other": _named(other.units, shared),
    }
    tasks = [number for _, number in shared]

    def means(marks: Marks) -> Table:
        places = {unit: n for n, unit in enumerate(marks.units)}
        by_judge = np.stack([_mean(table) for table in marks.table])
        return _mean(by_judge)[[places[unit] for unit in shared]]

    if not shared:
        return {**counts, "criteria": {}, "total": None, "changed": None, "flips": None}
    before, after = means(base), means(other)
    difference = after - before
    crossed = (before[:, -1] >= PASS_FROM) != (after[:, -1] >= PASS_FROM)
    found = {
        name: _figure(tasks, resamples, _nan_mean, difference[:, n]) for n, name in enumerate(_ROWS)
    }
    total = found.pop(TOTAL)
    changed = (difference[:, -1] != 0).astype(float)
    return {
        **counts,
        "criteria": found,
        "total": total,
        "changed": _figure(tasks, resamples, _nan_mean, changed),
        "flips": _figure(tasks, resamples, _nan_mean, crossed.astype(float)),
    }
