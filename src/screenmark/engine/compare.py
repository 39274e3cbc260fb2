"""Runs of one benchmark on the same samples: is one of them better, or is that luck?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from screenmark.benchmarks import benchmark_class
from screenmark.engine.run_folder import open_folder
from screenmark.engine.run_view import Run
from screenmark.errors import RunFolderError, UsageError
from screenmark.metrics import mcnemar_p_value
from screenmark.metrics.intervals import bootstrap_interval, ratio_of_sums

_LEVEL: Final = 0.05
_CLUSTERS: Final = ("group", "image_path", "image_id")
"""Columns of ``per_sample`` that say which samples belong together; the first there is counts."""


class _Scores(NamedTuple):
    """What a run got on each of its samples."""

    run: Run
    by_id: dict[str, float]
    cluster: dict[str, str]


def compare_runs(paths: Sequence[str | Path]) -> dict[str, Any]:
    """Hold every run but the first against the first, sample by sample.

    A sample that a run failed on counts as in its totals: as wrong. Of repetitions the mean
    counts.

    Args:
        paths: run folders, at least two.

    Returns:
        ``benchmark, metric, num_samples, runs[{path, model, value}]``, ``comparisons[…]`` with
        for each ``model, path, difference, low, high`` (95 % paired bootstrap, what belongs
        together drawn together), ``gained, lost, p_value`` (exact McNemar; null where samples
        are not just right or wrong), ``worse`` (the interval lies below zero), ``better``; and
        ``warnings``.

    Raises:
        RunFolderError: a folder holds no run with results.
        UsageError: fewer than two runs, runs of different benchmarks, or with no sample in common.
    """
    if len(paths) < 2:
        raise UsageError("compare needs two runs or more: the first is what the others are held to")
    runs = [_open(Path(path)) for path in paths]
    names = {scores.run.manifest.benchmark for scores in runs}
    if len(names) > 1:
        raise UsageError(f"runs of different benchmarks: {', '.join(sorted(names))}")
    base, *others = runs
    common = [id for id in base.by_id if all(id in other.by_id for other in others)]
    if not common:
        raise UsageError("the runs have no sample in common")
    return {
        "benchmark": base.run.manifest.benchmark,
        "metric": _metric(base.run),
        "num_samples": len(common),
        "runs": [
            {
                "path": str(scores.run.path),
                "model": scores.run.manifest.model,
                "value": sum(scores.by_id[id] for id in common) / len(common),
            }
            for scores in runs
        ],
        "comparisons": [_compared(base, other, common) for other in others],
        "warnings": _warnings(runs, common),
    }


def _metric(run: Run) -> str:
    return benchmark_class(run.manifest.benchmark).info.sample_metric


def _open(path: Path) -> _Scores:
    run = Run(*open_folder(path))
    metric = _metric(run)
    values: dict[str, list[float]] = defaultdict(list)
    clusters: dict[str, str] = {}
    for row in run.results["per_sample"]:
        id = str(row.get("id", row.get("image_path")))
        value = row.get(metric)
        if value is not None:
            values[id].append(float(value))
            clusters[id] = _cluster(row, id)
    if not values:
        raise RunFolderError(f"{path}: no sample has a score ({metric})")
    return _Scores(run, {id: sum(v) / len(v) for id, v in values.items()}, clusters)


def _cluster(row: Mapping[str, Any], id: str) -> str:
    return next((str(row[name]) for name in _CLUSTERS if row.get(name) is not None), id)


def _compared(base: _Scores, other: _Scores, common: Sequence[str]) -> dict[str, Any]:
    differences = {id: other.by_id[id] - base.by_id[id] for id in common}
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for id, difference in differences.items():
        total = sums[base.cluster[id]]
        total[0] += difference
        total[1] += 1
    low, high = bootstrap_interval(list(sums.values()), ratio_of_sums)
    binary = all(s.by_id[id] in {0.0, 1.0} for s in (base, other) for id in common)
    gained = sum(d > 0 for d in differences.values())
    lost = sum(d < 0 for d in differences.values())
    p_value = mcnemar_p_value(gained, lost) if binary else None
    # Of few clusters a bootstrap is too sure of itself; so both tests have to agree.
    told = p_value is None or p_value < _LEVEL
    return {
        "model": other.run.manifest.model,
        "path": str(other.run.path),
        "difference": sum(differences.values()) / len(common),
        "low": low,
        "high": high,
        "gained": gained,
        "lost": lost,
        "p_value": p_value,
        "worse": told and high is not None and high < 0,
        "better": told and low is not None and low > 0,
    }


def _warnings(runs: Sequence[_Scores], common: Sequence[str]) -> list[str]:
    found = []
    for scores in runs:
        left = len(scores.by_id) - len(common)
        if left:
            found.append(f"{scores.run.path}: {left} samples that not all runs have are left out")
    if len({scores.run.manifest.data_hash for scores in runs}) > 1:
        found.append(
            "the runs read different versions of the data; samples are paired by their ids"
        )
    for name in ("setting", "modalities", "variant", "scoring"):
        said = {str(scores.run.results.get(name)) for scores in runs}
        if len(said) > 1:
            found.append(f"the runs differ in {name}: {', '.join(sorted(said))}")
    return found
