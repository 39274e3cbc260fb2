"""From records to ``results.json``.

Everything in the results follows from the records, the benchmark and its options, so that
scoring a run again gives the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks import Benchmark, BenchmarkInfo
from screenmark.engine.manifest import Manifest
from screenmark.engine.prices import load_prices
from screenmark.errors import RunFolderError
from screenmark.metrics import Repetition, summarise_repeats
from screenmark.types import Outcome, Record, Usage


def summarise(
    benchmark: Benchmark[Any, Any], manifest: Manifest, records: Iterable[Record]
) -> dict[str, Any]:
    """The results of a run; ``records`` are in data order, then by repetition.

    ``num_samples`` counts a sample as often as it is asked.
    """
    outcomes: Counter[Outcome] = Counter()
    spent = _Spent()
    count = 0
    repeats = int(manifest.options.get("repeats", 1))
    asked: list[_Asked] = []

    def counted() -> Iterator[Record]:
        nonlocal count
        for record in records:
            outcomes[record.outcome] += 1
            count += 1
            spent.add(record)
            if repeats > 1:
                answered = not record.outcome.is_failure
                asked.append(_Asked(record.sample_id, record.repeat, answered))
            yield record

    part = benchmark.summarise(counted())
    head: dict[str, Any] = {
        "benchmark": manifest.benchmark,
        "model": manifest.model,
        "scoring": benchmark.options.scoring,
        "num_samples": count,
        "num_planned": manifest.num_samples,
        "outcomes": {outcome.value: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
        "complete": count == manifest.num_samples,
        "left_out": manifest.problems,
        "usage": spent.block(manifest),
    }
    if spent.structured:
        head["structured"] = {"held": spent.structured[True], "fell_back": spent.structured[False]}
    results = head | part
    if repeats > 1 and not benchmark.merges_repeats:
        results["repeats"] = _add_repeats(benchmark.info, results["per_sample"], asked, repeats)
    return results


class _Spent:
    """Tokens of the replies that were asked for; those from a cache cost nothing.

    Beside them, how many replies a provider held to a schema, and how many it did not.
    """

    def __init__(self) -> None:
        self.counted = False
        self.input = self.output = 0
        self.structured: Counter[bool] = Counter()

    def add(self, record: Record) -> None:
        if record.reply is not None and record.reply.structured is not None:
            self.structured[record.reply.structured] += 1
        usage = record.reply.usage if record.reply is not None else None
        if usage is not None and not record.cached:
            self.counted = True
            self.input += usage.input_tokens
            self.output += usage.output_tokens

    def block(self, manifest: Manifest) -> dict[str, Any] | None:
        """Tokens and dollars; None if no provider counted, no dollars if no price is known."""
        if not self.counted:
            return None
        override = manifest.options.get("prices")
        table = load_prices(Path(override) if override else None)
        price = table.price_of(manifest.model)
        cost = None if price is None else price.of(Usage(self.input, self.output))
        return {
            "input_tokens": self.input,
            "output_tokens": self.output,
            "cost_usd": None if cost is None else round(cost, 6),
            "prices_of": None if cost is None else table.date,
        }


class _Asked(NamedTuple):
    """Which repetition a row of ``per_sample`` is about."""

    sample_id: str
    repeat: int
    answered: bool


def _add_repeats(
    info: BenchmarkInfo, rows: list[dict[str, Any]], asked: list[_Asked], repeats: int
) -> dict[str, Any]:
    """The block ``repeats``; every row learns which repetition it is."""
    repetitions = []
    for row, (sample_id, repeat, answered) in zip(rows, asked, strict=True):
        row["repeat"] = repeat
        repetitions.append(Repetition(sample_id, row[info.sample_metric], answered))
    block = summarise_repeats(repetitions, repeats, pass_from=info.sample_pass)
    return {"metric": info.sample_metric, **block}


def rescored(benchmark: Benchmark[Any, Any], records: Iterable[Record]) -> Iterator[Record]:
    """Read and score every reply again with the benchmark's current rules and options."""
    for record in records:
        try:
            sample = msgspec.convert(record.sample, benchmark.sample_type)
        except msgspec.ValidationError as error:
            raise RunFolderError(
                f"record of {record.sample_id}: does not hold a sample of this benchmark ({error})"
            ) from None
        if record.reply is not None:
            record.answer = benchmark.parse(record.reply, sample)
            record.outcome = record.answer.outcome
        record.score = benchmark.score(sample, record.answer)
        yield record


def reread(benchmark: Benchmark[Any, Any], records: Iterable[Record]) -> Iterator[Record]:
    """Of `rescored` records those that come out differently than they stand in the file."""
    before: dict[str, bytes] = {}

    def noted() -> Iterator[Record]:
        for record in records:
            before["reading"] = _reading(record)
            yield record

    for record in rescored(benchmark, noted()):
        if _reading(record) != before["reading"]:
            yield record


def _reading(record: Record) -> bytes:
    parts = (record.outcome, record.answer, record.score)
    try:
        return msgspec.json.encode(parts, order="deterministic")
    except UnicodeEncodeError:  # half a character, which a function of the user's own may make
        return json.dumps(msgspec.to_builtins(parts), sort_keys=True).encode("ascii")


def error_rate(results: dict[str, Any]) -> float:
    """Share of the samples that ended in a failure."""
    failures = sum(n for name, n in results["outcomes"].items() if Outcome(name).is_failure)
    return failures / results["num_samples"] if results["num_samples"] else 0.0
