"""How alike two descriptions are: the ratio of Python's ``difflib``, to the bit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import ne

from cydifflib import SequenceMatcher

from screenmark.metrics.matching_blocks import MAX_LENGTH, similarity_ratios

_MANY = 500
"""Pairs of short strings from which on comparing them together is worth its fixed cost."""


def description_similarity(predicted: str, truth: str) -> float:
    """``difflib.SequenceMatcher(None, predicted, truth).ratio()``, in [0, 1].

    The ratio is not symmetric: the prediction is the first sequence, the truth the
    second. Two empty descriptions are equal and give 1.0.
    """
    # Equal strings give exactly 1.0, popular characters included: the longest block that
    # starts earliest lies on the diagonal, and is extended along it to both ends.
    if predicted == truth:
        return 1.0
    return SequenceMatcher(None, predicted, truth).ratio()  # type: ignore[no-any-return]


def description_similarities(predicted: Sequence[str], truths: Sequence[str]) -> list[float]:
    """:func:`description_similarity` of each prediction and the truth at the same place."""
    similarities = [1.0] * len(predicted)
    rest = list(compress(range(len(predicted)), map(ne, predicted, truths)))
    short = [k for k in rest if len(predicted[k]) <= MAX_LENGTH and len(truths[k]) <= MAX_LENGTH]
    if len(short) >= _MANY:
        ratios = similarity_ratios([predicted[k] for k in short], [truths[k] for k in short])
        for k, ratio in zip(short, ratios, strict=True):
            similarities[k] = ratio
        rest = sorted(set(rest).difference(short)) if len(short) < len(rest) else []
    for k in rest:
        similarities[k] = description_similarity(predicted[k], truths[k])
    return similarities
