"""How alike two descriptions are: the ratio of Python's ``difflib``, to the bit."""

from __future__ import annotations

from collections.abc import Iterable

from cydifflib import SequenceMatcher


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


def description_similarities(pairs: Iterable[tuple[str, str]]) -> list[float]:
    """:func:`description_similarity` of each pair of a prediction and a truth."""
    return [description_similarity(predicted, truth) for predicted, truth in pairs]
