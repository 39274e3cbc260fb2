"""How alike two descriptions are: the ratio of Python's ``difflib``, to the bit."""

from __future__ import annotations

from collections.abc import Sequence

from cydifflib import SequenceMatcher

from screenmark.metrics.matching_blocks import MAX_LENGTH, count_matching_characters

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
    short = [
        k
        for k, (predicted, truth) in enumerate(pairs)
        if predicted != truth and len(predicted) <= MAX_LENGTH and len(truth) <= MAX_LENGTH
    ]
    if len(short) < _MANY:
        return [description_similarity(predicted, truth) for predicted, truth in pairs]
    matching = count_matching_characters([pairs[k][0] for k in short], [pairs[k][1] for k in short])
    similarities = [-1.0] * len(pairs)
    for k, count in zip(short, matching.tolist(), strict=True):
        predicted, truth = pairs[k]
        similarities[k] = 2.0 * count / (len(predicted) + len(truth))
    return [
        description_similarity(*pair) if similarity < 0 else similarity
        for pair, similarity in zip(pairs, similarities, strict=True)
    ]
