"""Retrieval: where the right candidate stands among those that a model scored.

Equal scores are in no order, so what is counted is the expectation over all orders of them: of
k candidates that share the best score, the right one counts 1/k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Place(NamedTuple):
    """Where the right candidate stands.

    Attributes:
        better: how many candidates have a higher score.
        ties: how many have the same, itself included.
    """

    better: int
    ties: int


def place_of(scores: ArrayLike, label: int) -> Place:
    """The place of one query's right candidate.

    Args:
        scores: shape (n,), one for each candidate, the highest the best.
        label: position of the right candidate.

    Raises:
        ValueError: no scores, one that is NaN, or a label beyond them.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or np.isnan(values).any():
        raise ValueError("expected one number a candidate")
    if not 0 <= label < len(values):
        raise ValueError(f"label {label} of {len(values)} candidates")
    right = values[label]
    return Place(int((values > right).sum()), int((values == right).sum()))


def top_k_share(place: Place, k: int) -> float:
    """Probability that the right candidate is among the first ``k``, ties in any order."""
    return min(1.0, max(0.0, (k - place.better) / place.ties))


def reciprocal_rank(place: Place) -> float:
    """Expected reciprocal rank, ties in any order."""
    first = place.better + 1
    return float(np.mean(1.0 / np.arange(first, first + place.ties)))


def top_k_accuracy(scores: Sequence[ArrayLike], labels: Sequence[int], k: int = 1) -> float:
    """Share of the queries whose right candidate is among the ``k`` best.

    Args:
        scores: for each query the scores of its candidates; their number may differ.
        labels: position of each query's right candidate.

    Raises:
        ValueError: no queries, ``k`` below 1, the two differ in length, or see `place_of`.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    better, ties = _places(scores, labels)
    return float(np.clip((k - better) / ties, 0.0, 1.0).mean())


def mean_reciprocal_rank(scores: Sequence[ArrayLike], labels: Sequence[int]) -> float:
    """Mean of one over the rank of the right candidate; arguments as in `top_k_accuracy`."""
    better, ties = _places(scores, labels)
    harmonic = np.concatenate(
        ([0.0], np.cumsum(1.0 / np.arange(1, int((better + ties).max()) + 1)))
    )
    return float(((harmonic[better + ties] - harmonic[better]) / ties).mean())


def _places(
    scores: Sequence[ArrayLike], labels: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`Place` of every query, all at once."""
    if len(scores) != len(labels):
        raise ValueError(f"{len(scores)} rows of scores for {len(labels)} queries")
    if not len(labels):
        raise ValueError("no queries")
    rows: list[NDArray[Any]] = [np.asarray(row, dtype=np.float64).ravel() for row in scores]
    sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    right = np.asarray(labels, dtype=np.int64)
    if (right < 0).any() or (right >= sizes).any():
        raise ValueError("a label is beyond the candidates of its query")
    flat = np.concatenate(rows)
    if np.isnan(flat).any():
        raise ValueError("expected one number a candidate")
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    best = np.repeat(flat[starts + right], sizes)
    return np.add.reduceat(flat > best, starts, dtype=np.int64), np.add.reduceat(
        flat == best, starts, dtype=np.int64
    )
