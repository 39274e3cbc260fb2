"""How alike two descriptions are: the ratio of Python's ``difflib``, to the bit."""

from __future__ import annotations

from collections.abc import Sequence

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


def description_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """:func:`description_similarity` of each pair of a prediction and a truth."""
    similarities = [1.0] * len(pairs)
    short = []
    for k, (predicted, truth) in enumerate(pairs):
        if predicted == truth:
            continue
        if len(predicted) <= MAX_LENGTH and len(truth) <= MAX_LENGTH:
            short.append(k)
        else:
            similarities[k] = description_similarity(predicted, truth)
    if len(short) < _MANY:
        for k in short:
            similarities[k] = description_similarity(*pairs[k])
        return similarities
    first, second = zip(*[pairs[k] for k in short], strict=True)
    for k, similarity in zip(short, similarity_ratios(first, second), strict=True):
        similarities[k] = similarity
    return similarities
