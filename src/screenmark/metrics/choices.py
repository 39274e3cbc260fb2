"""Accuracy of multiple choice, plain and weighted by the number of options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from screenmark.metrics.pages import ratio


class OptionWeighted(NamedTuple):
    """Accuracy in which a question weighs what guessing would miss of it.

    With h hits and n options a question weighs (n - 1) / n: MMBench-GUI's second scorer.

    Attributes:
        score: ``weighted / base``, 1 if all are right; None without questions.
        weighted: mean of h (n - 1) / n.
        base: mean of (n - 1) / n, the most that ``weighted`` can be.
    """

    score: float | None
    weighted: float | None
    base: float | None


def option_weighted(hits: Sequence[float], options: Sequence[int]) -> OptionWeighted:
    """Weigh each question by its number of options.

    Args:
        hits: 1 for a right answer, 0 for a wrong one.
        options: number of options of each question.

    Raises:
        ValueError: the two differ in length, or a question has fewer than two options.
    """
    if len(hits) != len(options):
        raise ValueError(f"{len(hits)} hits for {len(options)} questions")
    if any(count < 2 for count in options):
        raise ValueError("a question has at least two options")
    weights = [(count - 1) / count for count in options]
    weighted = sum(hit * weight for hit, weight in zip(hits, weights, strict=True))
    base = sum(weights)
    return OptionWeighted(ratio(weighted, base), ratio(weighted, len(hits)), ratio(base, len(hits)))
