"""Records of component retrieval to results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from screenmark.benchmarks.base import Published
from screenmark.benchmarks.ui_components.rules import known_scorers
from screenmark.benchmarks.ui_components.samples import RetrievalSample, Variant
from screenmark.benchmarks.ui_components.scoring import TOP
from screenmark.benchmarks.unanswered import cause_of, nearly_all, share_of
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.pages import mean
from screenmark.metrics.ranking import place_of, top_k_share
from screenmark.types import Outcome, Record

_SHORTCUTS: Final = {
    "released": (
        "the released boxes tell which candidate was drawn from the view hierarchy; see --variant "
        "matched-distractors and no-vh-boxes"
    ),
    "matched-distractors": "it needs nothing but what this variant holds",
    "no-vh-boxes": "it needs nothing but what this variant holds",
}


def summarise_retrieval(
    records: Iterable[Record],
    variant: Variant,
    modalities: Sequence[str],
    setting: str,
    published: Sequence[Published],
) -> dict[str, Any]:
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
    blind = blind_scores(list(samples.values()), variant)
    return {
        "variant": variant,
        "modalities": list(modalities),
        "setting": setting,
        "headline": {"metric": "accuracy", "value": value, "low": low, "high": high},
        "blind_baselines": blind,
        "accuracy": value,
        "macro_f1": None,  # an index is no class
        "answered_only": {"num_samples": len(answered), "accuracy": mean(answered)},
        "ranking": _ranking(rows),
        "published": [msgspec.to_builtins(figure) for figure in published],
        "audit": {"warnings": [*_unread(unread, asked), *_shortcut(value, blind, variant)]},
        "per_sample": rows,
    }


def blind_scores(samples: Sequence[RetrievalSample], variant: Variant) -> dict[str, dict[str, Any]]:
    """Accuracy of each rule that never reads the expression; ties count 1/k."""
    found = {}
    for name, scorer in known_scorers(variant).items():
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


def _shortcut(
    accuracy: float | None, blind: dict[str, dict[str, Any]], variant: Variant
) -> list[str]:
    """Whether a rule that never reads the expression does as well as the model, or better."""
    scores = {name: part["accuracy"] for name, part in blind.items() if part["accuracy"]}
    if accuracy is None or not scores:
        return []
    best = max(scores, key=lambda name: scores[name])
    if scores[best] < accuracy:
        return []
    above = [name for name, score in scores.items() if score >= accuracy and name != best]
    others = f" (so do {', '.join(above)})" if above else ""
    return [
        f"{best}, a rule that never reads the expression, gets {scores[best]:.1%}, no less than "
        f"the {accuracy:.1%} here{others}: {_SHORTCUTS[variant]}"
    ]
