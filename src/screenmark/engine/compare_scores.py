"""What runs got on each of their samples, ready to be held against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from screenmark.benchmarks import benchmark_class
from screenmark.benchmarks.base import BenchmarkInfo, JudgedOutputs
from screenmark.engine.run_folder import open_folder
from screenmark.engine.run_view import Run
from screenmark.errors import RunFolderError, UsageError

_CLUSTERS: Final = ("group", "image_path", "image_id")
"""Columns of ``per_sample`` that say which samples belong together; the first there is counts."""


class Scores(NamedTuple):
    """What a run got on each of its samples.

    Attributes:
        name: the model, or the one whose outputs were judged where that tells runs apart.
        by_id: the benchmark's metric; of repetitions the mean.
        passes: 1 or 0 for each output that was judged; empty where samples are no outputs.
        cluster: what each sample belongs to.
        left_out: samples without a score.
    """

    run: Run
    name: str
    by_id: dict[str, float]
    passes: dict[str, float]
    cluster: dict[str, str]
    left_out: int


class Read(NamedTuple):
    """All runs, how their benchmark is scored, and in words what was paired and whose it is."""

    runs: list[Scores]
    info: BenchmarkInfo
    paired: str = ""
    makers: str = ""


def read_scores(paths: Sequence[Path]) -> Read:
    """Read runs of one benchmark.

    Outputs that were judged are paired by whose they are and of what; runs over one maker's
    outputs each, and not all the same one's, by what they are of.

    Raises:
        RunFolderError: a folder holds no run with results.
        UsageError: runs of different benchmarks.
    """
    runs = [Run(*open_folder(path)) for path in paths]
    names = {run.manifest.benchmark for run in runs}
    if len(names) > 1:
        raise UsageError(f"runs of different benchmarks: {', '.join(sorted(names))}")
    info = benchmark_class(runs[0].manifest.benchmark).info
    rows = [run.results["per_sample"] for run in runs]
    if info.outputs is None:
        return Read([_samples(*each, info) for each in zip(runs, rows, strict=True)], info)
    makers = [sorted({str(row[info.outputs.maker]) for row in own}) for own in rows]
    alone = all(len(own) == 1 for own in makers) and len({own[0] for own in makers if own}) > 1
    read = [
        _outputs(run, own, info, info.outputs, made[0] if alone else None)
        for run, own, made in zip(runs, rows, makers, strict=True)
    ]
    paired = "outputs, each with the same one in the other run"
    if alone:
        said = (f"{made[0]} ({run.path})" for run, made in zip(runs, makers, strict=True))
        paired = "by task, outputs of " + " with those of ".join(said)
    whose = "; ".join(
        f"{run.path} has {', '.join(made)}" for run, made in zip(runs, makers, strict=True)
    )
    return Read(read, info, paired, f": {whose}")


def _samples(run: Run, rows: Sequence[Mapping[str, Any]], info: BenchmarkInfo) -> Scores:
    values: dict[str, list[float]] = defaultdict(list)
    clusters: dict[str, str] = {}
    for row in rows:
        id = str(row.get("id", row.get("image_path")))
        value = row.get(info.sample_metric)
        if value is not None:
            values[id].append(float(value))
            clusters[id] = _cluster(row, id)
    _check(run, values, info)
    by_id = {id: sum(v) / len(v) for id, v in values.items()}
    return Scores(run, run.manifest.model, by_id, {}, clusters, 0)


def _outputs(
    run: Run,
    rows: Sequence[Mapping[str, Any]],
    info: BenchmarkInfo,
    form: JudgedOutputs,
    only: str | None,
) -> Scores:
    """Rows of outputs; ``only`` is the maker of all of them if they are paired without it."""
    values: dict[str, float] = {}
    passes: dict[str, float] = {}
    clusters: dict[str, str] = {}
    for row in rows:
        item = str(row[form.item])
        id = item if only is not None else f"{row[form.maker]}/{item}"
        value, verdict = row.get(info.sample_metric), row.get(form.verdict)
        if value is not None and verdict is not None:
            values[id], passes[id], clusters[id] = float(value), float(verdict), item
    _check(run, values, info)
    name = run.manifest.model if only is None else only
    return Scores(run, name, values, passes, clusters, len(rows) - len(values))


def _check(run: Run, values: Mapping[str, object], info: BenchmarkInfo) -> None:
    if not values:
        raise RunFolderError(f"{run.path}: no sample has a score ({info.sample_metric})")


def _cluster(row: Mapping[str, Any], id: str) -> str:
    return next((str(row[name]) for name in _CLUSTERS if row.get(name) is not None), id)
