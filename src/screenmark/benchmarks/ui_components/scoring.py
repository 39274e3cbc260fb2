"""An answer against the right candidate."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.metrics.ranking import place_of, reciprocal_rank, top_k_share
from screenmark.types import Answer

TOP = (1, 3, 5)
"""The k of top-k that results report."""


def score_retrieval(
    sample: RetrievalSample, answer: Answer | None, *, compat: bool
) -> dict[str, Any]:
    """Whether the right candidate was chosen.

    ``correct`` is 1 or 0; where scores alone are given and k candidates share the highest, the
    right one among them counts 1/k, and in compat scoring only the first of them counts.
    ``top_k`` and ``reciprocal_rank`` are None without scores.
    """
    value = answer.value if answer is not None else None
    index, scores = (value["index"], value["scores"]) if value else (None, None)
    result: dict[str, Any] = {
        "correct": 0.0,
        "chosen": index,
        "label": sample.label,
        "num_candidates": len(sample.candidates),
        "top_k": None,
        "reciprocal_rank": None,
    }
    if scores is not None:
        place = place_of(scores, sample.place)
        result["top_k"] = {str(k): top_k_share(place, k) for k in TOP}
        result["reciprocal_rank"] = reciprocal_rank(place)
        result["correct"] = result["top_k"]["1"]
        best = [n for n, s in zip(sample.numbers, scores, strict=True) if s == max(scores)]
        if index is None and (compat or len(best) == 1):
            index = result["chosen"] = best[0]
    if index is not None:
        result["correct"] = float(index == sample.label)
    return result
