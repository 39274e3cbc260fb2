"""Runs of one benchmark on the same samples: is one of them better, or is that luck?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from screenmark.engine.compare_scores import Read, Scores, read_scores
from screenmark.errors import UsageError
from screenmark.metrics import mcnemar_p_value
from screenmark.metrics.intervals import bootstrap_interval, ratio_of_sums
from screenmark.metrics.paired import sign_flip_p_value

_LEVEL: Final = 0.05


def compare_runs(paths: Sequence[str | Path]) -> dict[str, Any]:
    """Hold every run but the first against the first, sample by sample.

    A sample that a run failed on counts as in its totals: as wrong. Of repetitions the mean
    counts. Where outputs are judged, an output is one sample, and p is of a sign-flip test over
    what they are of, since outputs of one task belong together.

    Args:
        paths: run folders, at least two.

    Returns:
        ``benchmark, metric, out_of`` (what the metric and its differences can come to),
        ``unit`` (``samples`` or ``outputs``), ``num_samples, paired`` (in words; empty for
        samples), ``runs[{path, model, value}]``, ``comparisons[…]`` with for each
        ``model, path, difference, low, high`` (95 % paired bootstrap, what belongs
        together drawn together), ``gained, lost, p_value`` (exact McNemar; null where samples
        are not just right or wrong), ``worse`` (the interval lies below zero and p below 0.05),
        ``better``; and ``warnings``. Of outputs, runs have ``pass_rate`` and comparisons
        ``passes`` too, with the same figures of the share that passes.

    Raises:
        RunFolderError: a folder holds no run with results.
        UsageError: fewer than two runs, runs of different benchmarks, or with no sample in common.
    """
    if len(paths) < 2:
        raise UsageError("compare needs two runs or more: the first is what the others are held to")
    read = read_scores([Path(path) for path in paths])
    base, *others = read.runs
    common = [id for id in base.by_id if all(id in other.by_id for other in others)]
    unit = "samples" if read.info.outputs is None else "outputs"
    if not common:
        raise UsageError(f"the runs have no {unit.removesuffix('s')} in common{read.makers}")
    return {
        "benchmark": read.info.id,
        "metric": read.info.sample_metric,
        "out_of": 1.0 if read.info.outputs is None else read.info.outputs.most,
        "unit": unit,
        "num_samples": len(common),
        "paired": read.paired,
        "runs": [_totals(scores, common) for scores in read.runs],
        "comparisons": [_compared(base, other, common) for other in others],
        "warnings": _warnings(read, common, unit),
    }


def _totals(scores: Scores, common: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": str(scores.run.path),
        "model": scores.name,
        "value": _mean(scores.by_id, common),
    }
    if scores.passes:
        found["pass_rate"] = _mean(scores.passes, common)
    return found


def _mean(values: Mapping[str, float], ids: Sequence[str]) -> float:
    return sum(values[id] for id in ids) / len(ids)


def _compared(base: Scores, other: Scores, common: Sequence[str]) -> dict[str, Any]:
    clustered = bool(base.passes)
    found = {
        "model": other.name,
        "path": str(other.run.path),
        **_difference(base.by_id, other.by_id, base.cluster, common, clustered=clustered),
    }
    if clustered:
        found["passes"] = _difference(
            base.passes, other.passes, base.cluster, common, clustered=True
        )
    return found


def _difference(
    base: Mapping[str, float],
    other: Mapping[str, float],
    cluster: Mapping[str, str],
    common: Sequence[str],
    *,
    clustered: bool,
) -> dict[str, Any]:
    """Mean difference with its interval and test; ``clustered``: a test over clusters."""
    differences = {id: other[id] - base[id] for id in common}
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for id, difference in differences.items():
        total = sums[cluster[id]]
        total[0] += difference
        total[1] += 1
    low, high = bootstrap_interval(list(sums.values()), ratio_of_sums)
    gained = sum(d > 0 for d in differences.values())
    lost = sum(d < 0 for d in differences.values())
    p_value = None
    if clustered:
        p_value = sign_flip_p_value([total for total, _ in sums.values()])
    elif all(side[id] in {0.0, 1.0} for side in (base, other) for id in common):
        p_value = mcnemar_p_value(gained, lost)
    # Of few clusters a bootstrap is too sure of itself; so both tests have to agree.
    told = p_value is None or p_value < _LEVEL
    return {
        "difference": sum(differences.values()) / len(common),
        "low": low,
        "high": high,
        "gained": gained,
        "lost": lost,
        "p_value": p_value,
        "worse": told and high is not None and high < 0,
        "better": told and low is not None and low > 0,
    }


def _warnings(read: Read, common: Sequence[str], unit: str) -> list[str]:
    found = []
    for scores in read.runs:
        left = len(scores.by_id) - len(common)
        if left:
            found.append(f"{scores.run.path}: left out: {left} {unit} that not all runs have")
        if scores.left_out:
            found.append(f"{scores.run.path}: left out: {scores.left_out} {unit} without a score")
    hashes = {scores.run.manifest.data_hash for scores in read.runs}
    if len(hashes) > 1 and unit == "samples":
        found.append(
            "the runs read different versions of the data; samples are paired by their ids"
        )
    elif len(hashes) > 1 and len({scores.name for scores in read.runs}) == 1:
        found.append("the runs read other tasks or other outputs; those of one name are paired")
    sheets = list(dict.fromkeys(scores.run.manifest.data_source for scores in read.runs))
    if len(sheets) > 1 and unit == "outputs":
        names = ", ".join(sheets)
        found.append(f"the runs read different task sheets ({names}); a number must mean one task")
    for name in ("setting", "modalities", "variant", "scoring", "judges"):
        said = {str(scores.run.results.get(name)) for scores in read.runs}
        if len(said) > 1:
            found.append(f"the runs differ in {name}: {', '.join(sorted(said))}")
    return found
