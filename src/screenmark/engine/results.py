"""From records to ``results.json``.

Everything in the results follows from the records, the benchmark and its options, so that
scoring a run again gives the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from screenmark.benchmarks import Benchmark
from screenmark.engine.manifest import Manifest
from screenmark.types import Outcome, Record


def summarise(
    benchmark: Benchmark[Any, Any], manifest: Manifest, records: Iterable[Record]
) -> dict[str, Any]:
    """The results of a run; ``records`` are in data order."""
    outcomes: Counter[Outcome] = Counter()
    count = 0

    def counted() -> Iterator[Record]:
        nonlocal count
        for record in records:
            outcomes[record.outcome] += 1
            count += 1
            yield record

    part = benchmark.summarise(counted())
    head = {
        "benchmark": manifest.benchmark,
        "model": manifest.model,
        "scoring": manifest.scoring,
        "num_samples": count,
        "outcomes": {outcome.value: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
        "complete": count == manifest.num_samples,
        "left_out": manifest.problems,
    }
    return head | part


def rescored(benchmark: Benchmark[Any, Any], records: Iterable[Record]) -> Iterator[Record]:
    """Read and score every reply again with the benchmark's current rules and options."""
    for record in records:
        sample = msgspec.convert(record.sample, benchmark.sample_type)
        if record.reply is not None:
            record.answer = benchmark.parse(record.reply, sample)
            record.outcome = record.answer.outcome
        record.score = benchmark.score(sample, record.answer)
        yield record


def error_rate(results: dict[str, Any]) -> float:
    """Share of the samples that ended in a failure."""
    failures = sum(n for name, n in results["outcomes"].items() if Outcome(name).is_failure)
    return failures / results["num_samples"] if results["num_samples"] else 0.0
