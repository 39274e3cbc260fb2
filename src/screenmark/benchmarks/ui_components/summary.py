"""Records of component retrieval to results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks.base import Published
from screenmark.benchmarks.ui_components.rules import Scorer
from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.benchmarks.ui_components.scoring import TOP
from screenmark.benchmarks.unanswered import cause_of, nearly_all, share_of
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.pages import mean
from screenmark.metrics.ranking import place_of, top_k_share
from screenmark.types import Outcome, Record


class Setup(NamedTuple):
    """What a run was, as far as its results say it.

    Attributes:
        said: keys that go into the results as they are.
        scorers: the rules that the data hold enough for.
        published: what papers report for this very data.
        shortcut: why a rule that is blind may do well here.
        warnings: worth a look whatever was answered.
    """

    said: dict[str, Any]
    scorers: Mapping[str, Scorer]
    published: Sequence[Published]
    shortcut: str
    warnings: Sequence[str] = ()


def summarise_retrieval(records: Iterable[Record], setup: Setup) -> dict[str, Any]:
    """The benchmark's part of ``results.json``; ``records`` are in data order."""
    rows: list[dict[str, Any]] = []
    samples: dict[str, RetrievalSample] = {}
    images: list[str] = []
    unread: list[Outcome] = []
    asked = 0
    for record in records:
        sample = msgspec.convert(record.sample, RetrievalSample)
        samples[sample.id] = sample
        images.append(sample.image_id)
        rows.append(_row(sample, record))
        asked += not record.outcome.is_failure
        if record.answer is not None and record.answer.value is None:
            unread.append(record.outcome)
    hits = [row["correct"] for row in rows]
    low, high = clustered_interval(hits, images)
    value = mean(hits)
    answered = [row["correct"] for row in rows if row["answered"]]
    blind = blind_scores(list(samples.values()), setup.scorers)
    shortcut = _shortcut(value, blind, setup.shortcut)
    return {
        **setup.said,
        "headline": {"metric": "accuracy", "value": value, "low": low, "high": high},
        "blind_baselines": blind,
        "accuracy": value,
        "macro_f1": None,  # an index is no class
        "answered_only": {"num_samples": len(answered), "accuracy": mean(answered)},
        "ranking": _ranking(rows),
        "published": [msgspec.to_builtins(figure) for figure in setup.published],
        "audit": {"warnings": [*_unread(unread, asked), *shortcut, *setup.warnings]},
        "per_sample": rows,
    }


def blind_scores(
    samples: Sequence[RetrievalSample], scorers: Mapping[str, Scorer]
) -> dict[str, dict[str, Any]]:
    """Accuracy of each rule that never reads what is looked for; ties count 1/k."""
    found = {}
    for name, scorer in scorers.items():
        if not scorer.blind:
            continue
        hits = [
            top_k_share(place_of(scores, sample.place), 1)
            for scores, sample in zip(scorer.scores(samples), samples, strict=True)
        ]
        low, high = clustered_interval(hits, [sample.image_id for sample in samples])
        found[name.replace("-", "_")] = {
            "what": scorer.what,
            "accuracy": mean(hits),
            "low": low,
            "high": high,
        }
    return found


def _row(sample: RetrievalSample, record: Record) -> dict[str, Any]:
    return {
        "id": sample.id,
        "image_id": sample.image_id,
        **record.score,
        "answered": record.answer is not None and record.answer.value is not None,
        "outcome": record.outcome.value,
    }


def _ranking(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Top-k and MRR over the samples with scores, None without any."""
    ranked = [row for row in rows if row["reciprocal_rank"] is not None]
    if not ranked:
        return None
    return {
        "num_samples": len(ranked),
        "top_k": {str(k): mean([row["top_k"][str(k)] for row in ranked]) for k in TOP},
        "mrr": mean([row["reciprocal_rank"] for row in ranked]),
    }


def _unread(outcomes: Sequence[Outcome], asked: int) -> list[str]:
    if not nearly_all(len(outcomes), asked):
        return []
    cause = cause_of(outcomes) or "most declare no number of a candidate"
    return [f"{share_of(len(outcomes), asked)}: {cause}"]


def _shortcut(accuracy: float | None, blind: dict[str, dict[str, Any]], why: str) -> list[str]:
    """Whether a rule that never reads what is looked for does as well as the model, or better."""
    scores = {name: part["accuracy"] for name, part in blind.items() if part["accuracy"]}
    if accuracy is None or not scores:
        return []
    best = max(scores, key=lambda name: scores[name])
    if scores[best] < accuracy:
        return []
    above = [name for name, score in scores.items() if score >= accuracy and name != best]
    others = f" (so do {', '.join(above)})" if above else ""
    return [
        f"{best}, a rule that never reads what is looked for, gets {scores[best]:.1%}, no less "
        f"than the {accuracy:.1%} here{others}: {why}"
    ]
