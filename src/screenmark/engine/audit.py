"""What a benchmark's scores are worth: its blind baselines, without a model or a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from screenmark.benchmarks import Benchmark, Sample
from screenmark.engine.plan import Plan
from screenmark.errors import DataError
from screenmark.types import Outcome, Record

_REACH: Final = 0.05
"""A baseline that is so little below a model, or above it, is within its reach."""


def audit_benchmark(benchmark_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The blind baselines of a benchmark's data.

    Args:
        benchmark_id: which benchmark.
        options: of the benchmark, such as ``split`` or ``annotation``; bundled data otherwise.

    Returns:
        ``benchmark, source, num_samples, metric, data_note, blind_baselines{name: {what, …}},
        published[…], warnings[…]``; ``data_note`` says what kind of data it is, if that is not
        what the benchmark's name says.

    Raises:
        UsageError: an unknown benchmark or option, or there is no data.
        DataError: the data cannot be used.
    """
    plan = Plan(benchmark_id, options)
    benchmark = plan.benchmark
    benchmark.settle_profile(None)
    dataset = benchmark.load()
    samples = plan.choose(dataset)
    if not samples:
        raise DataError("no sample can be used", file=dataset.source)
    results = benchmark.summarise(_unasked(benchmark, samples))
    blind, published = results["blind_baselines"], results.get("published", [])
    metric = benchmark.info.primary_metric
    return {
        "benchmark": benchmark_id,
        "source": dataset.source,
        "num_samples": len(samples),
        "metric": metric,
        "data_note": results.get("data_note"),
        "blind_baselines": blind,
        "published": published,
        "warnings": list(_in_reach(blind, published, metric)),
        "left_out": [str(problem) for problem in dataset.problems],
    }


def _unasked(benchmark: Benchmark[Any, Any], samples: Sequence[Sample]) -> Iterator[Record]:
    """Records of a model that never replied: the baselines need only the samples."""
    for position, sample in enumerate(samples):
        yield Record(
            sample_id=sample.id,
            position=position,
            outcome=Outcome.API_ERROR,
            sample=msgspec.to_builtins(sample),
            score=benchmark.score(sample, None),
        )


def _in_reach(
    blind: Mapping[str, Mapping[str, Any]], published: Sequence[Mapping[str, Any]], metric: str
) -> Iterator[str]:
    for name, part in blind.items():
        value = part.get(metric)
        if value is None:
            continue
        reached = [f for f in published if value >= f["value"] - _REACH]
        if reached:
            models = ", ".join(f"{f['model']} ({f['value']:.1%})" for f in reached)
            yield (
                f"{name} gets {value:.1%} without knowing what is asked: no less, or less than "
                f"{100 * _REACH:g} points less, than {models}"
            )
