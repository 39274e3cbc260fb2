"""One set of replies under both scorings, with the replies on which they differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from screenmark.engine import results as results_module
from screenmark.engine.api import old_plan
from screenmark.engine.records import RecordFile
from screenmark.types import Json, Record

SCORINGS: Final = ("strict", "compat")
_EXCERPT: Final = 300


def side_by_side(path: str | Path, **options: Any) -> dict[str, Any]:
    """Both scorings of an old run, without asking the model again.

    Args:
        path: the run folder.
        options: as for `rescore`; ``scoring`` is both.

    Returns:
        ``strict`` and ``compat`` with the headline and the outcomes of each, and what they make of
        absent targets where there are such; ``differences``,
        one for each reply that the two read or score differently, with its ``id``, ``repeat``,
        an excerpt of the ``reply``, and for each scoring ``outcome``, ``value``, ``reason`` and
        ``score``.

    Raises:
        RunFolderError, UsageError: as for `rescore`.
    """
    heads: dict[str, Any] = {}
    streams: list[Iterator[Record]] = []
    metric = ""
    for scoring in SCORINGS:
        folder, manifest, plan = old_plan(path, {**options, "scoring": scoring})
        metric = plan.benchmark.info.sample_metric
        records = results_module.rescored(plan.benchmark, RecordFile(folder.records))
        results = results_module.summarise(plan.benchmark, manifest, records)
        heads[scoring] = {
            key: results[key]
            for key in ("headline", "outcomes", "absent", "accuracy_all")
            if results.get(key) is not None
        }
        streams.append(results_module.rescored(plan.benchmark, RecordFile(folder.records)))
    count, differences = 0, []
    for strict, compat in zip(*streams, strict=True):
        count += 1
        ways = [_way(record, metric) for record in (strict, compat)]
        if ways[0] != ways[1]:
            reply = strict.reply.text[:_EXCERPT] if strict.reply is not None else None
            row = {"id": strict.sample_id, "repeat": strict.repeat, "reply": reply}
            differences.append(row | dict(zip(SCORINGS, ways, strict=True)))
    return {
        "benchmark": manifest.benchmark,
        "model": manifest.model,
        "metric": metric,
        "num_samples": count,
        **heads,
        "num_read_differently": len(differences),
        "num_scored_differently": sum(
            row["strict"]["score"] != row["compat"]["score"] for row in differences
        ),
        "differences": differences,
    }


def _way(record: Record, metric: str) -> dict[str, Json]:
    """What one scoring makes of a reply."""
    answer = record.answer
    return {
        "outcome": record.outcome.value,
        "value": answer.value if answer is not None else None,
        "reason": answer.reason if answer is not None else None,
        "score": record.score[metric],
    }
