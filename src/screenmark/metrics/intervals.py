"""How sure a number is: 95 % intervals.

Two methods. :func:`wilson_interval` is for a proportion of independent trials (Wilson 1927;
Brown, Cai, DasGupta, "Interval Estimation for a Binomial Proportion", 2001).
:func:`bootstrap_interval` is for ratios of sums over samples that come in clusters, as the
elements of one screenshot do: clusters are drawn with replacement, whole, and the ratio is
taken anew (percentile bootstrap; Efron and Tibshirani, 1993, chapter 13).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

_BLOCK = 1 << 15
"""Cluster draws held at a time: few enough to stay in a processor's cache."""

Statistic: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Totals of shape (resamples, columns) to one value a resample, NaN where undefined."""


class Interval(NamedTuple):
    """Both ends of an interval; None if it cannot be told."""

    low: float | None
    high: float | None


UNKNOWN = Interval(None, None)


def wilson_interval(successes: float, trials: float, *, confidence: float = 0.95) -> Interval:
    """Wilson score interval of a proportion, inside [0, 1].

    Returns:
        ``(None, None)`` without trials.

    Raises:
        ValueError: unless ``0 <= successes <= trials`` and ``0 < confidence < 1``.
    """
    _check_confidence(confidence)
    if not 0 <= successes <= trials or math.isinf(trials):
        raise ValueError(f"expected 0 <= successes <= trials, got {successes} and {trials}")
    if not trials:
        return UNKNOWN
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    scale = 1 + z * z / trials
    # The exact ends are 0 and 1 at the extremes; rounding must not move them.
    low = 0.0 if successes == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if successes == trials else min(1.0, (centre + spread) / scale)
    return Interval(low, high)


def bootstrap_interval(
    clusters: ArrayLike,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap of a statistic of sums, resampling whole clusters.

    The same arguments give the same interval. `bootstrap_intervals` takes several statistics
    of the same clusters.

    Args:
        clusters: shape (n, k): k sums for each of n clusters, such as tp, fp and fn of
            each screenshot.
        statistic: what to make of the totals of a resample, for many at once:
            :func:`f1_of_counts`, :func:`ratio_of_sums` or the like.
        confidence: share of the resamples that the interval spans.
        resamples: how often to draw n clusters.
        seed: of the random numbers.

    Returns:
        ``(None, None)`` for fewer than two clusters, or if no resample has a value.

    Raises:
        ValueError: if ``clusters`` is not a table of finite numbers, or another argument
            is out of range.
    """
    only = {"": statistic}
    found = bootstrap_intervals(
        clusters, only, confidence=confidence, resamples=resamples, seed=seed
    )
    return found[""]


def bootstrap_intervals(
    clusters: ArrayLike,
    statistics: Mapping[str, Statistic],
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Intervals of several statistics from one set of draws, see `bootstrap_interval`.

    Each is what it would be alone.
    """
    _check_confidence(confidence)
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    table = np.asarray(clusters, dtype=np.float64)
    if not table.size:
        return dict.fromkeys(statistics, UNKNOWN)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError("clusters must be a table of finite numbers, one row a cluster")
    if len(table) < 2:
        return dict.fromkeys(statistics, UNKNOWN)
    totals = _resampled_totals(table, resamples, np.random.default_rng(seed))
    return {name: _middle(of(totals), confidence) for name, of in statistics.items()}


def _middle(values: NDArray[np.float64], confidence: float) -> Interval:
    values = values[np.isfinite(values)]
    if not len(values):
        return UNKNOWN
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


def f1_of_counts(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """F1 from columns tp, fp, fn."""
    tp, fp, fn = totals.T
    return _divide(2 * tp, 2 * tp + fp + fn)


def ratio_of_sums(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """First column over second: precision from tp and tp + fp, a mean from sum and count."""
    part, whole = totals.T
    return _divide(part, whole)


def mean_f1_of_counts(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """F1 averaged over thresholds, from columns tp at each threshold, predicted, true.

    The last two columns are the numbers of predicted and of true elements.
    """
    f1 = _divide(2 * totals[:, :-2], totals[:, -2:].sum(axis=1, keepdims=True))
    return np.asarray(f1.mean(axis=1))


def _resampled_totals(
    table: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    n, columns = table.shape
    totals = np.empty((resamples, columns))
    rows = min(resamples, max(1, _BLOCK // n))
    by_column = np.ascontiguousarray(table.T)
    picked = np.empty((rows, n))
    for start in range(0, resamples, rows):
        block = totals[start : start + rows]
        held = picked[: len(block)]
        drawn = rng.integers(n, size=held.shape, dtype=np.int32).astype(np.intp)
        for column, values in enumerate(by_column):
            # Any mode but "raise" writes straight into the array that is given.
            np.take(values, drawn, out=held, mode="clip")
            np.sum(held, axis=1, out=block[:, column])
    return totals


def _divide(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    shape = np.broadcast_shapes(part.shape, whole.shape)
    result = np.full(shape, np.nan)
    np.divide(part, whole, out=result, where=whole != 0)
    return result


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
