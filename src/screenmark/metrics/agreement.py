"""How far raters agree: Krippendorff's alpha, ICC, weighted kappa, rank correlation.

A figure is None where it is undefined: ratings that are all the same leave nothing to agree or
disagree about, which is neither perfect agreement nor none.

Sources: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011; Shrout and Fleiss,
"Intraclass correlations", Psychological Bulletin 86 (1979); Cohen, "Weighted kappa", Psychological
Bulletin 70 (1968).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screenmark.metrics.intervals import UNKNOWN, Interval

Floats: TypeAlias = NDArray[np.float64]
Level: TypeAlias = Literal["nominal", "ordinal", "interval"]

_NOTHING = 1e-12


class Icc(NamedTuple):
    """Intraclass correlations of a two-way random model, absolute agreement.

    Attributes:
        single: ICC(2,1), of one rater.
        mean: ICC(2,k), of the mean over the raters.
    """

    single: float | None
    mean: float | None


def krippendorff_alpha(ratings: ArrayLike, level: Level = "interval") -> float | None:
    """Krippendorff's alpha.

    Args:
        ratings: shape (raters, units), NaN where a rater did not rate a unit.
        level: of measurement.

    Returns:
        1 for perfect agreement, 0 for what chance gives; None if fewer than two units were rated
        twice, or if all of those ratings are the same.

    Raises:
        ValueError: ``ratings`` is no table, or holds an infinity.
    """
    table = _table(ratings)
    counted = ~np.isnan(table)
    table = table[:, counted.sum(axis=0) >= 2]
    if table.shape[1] < 2:
        return None
    values, codes = np.unique(table[~np.isnan(table)], return_inverse=True)
    if len(values) < 2:
        return None
    counts = np.zeros((table.shape[1], len(values)))
    units = np.broadcast_to(np.arange(table.shape[1]), table.shape)[~np.isnan(table)]
    np.add.at(counts, (units, codes), 1)
    raters = counts.sum(axis=1)
    # Each unit's ordered pairs of values, over its raters less one.
    weighted = counts / (raters - 1)[:, None]
    observed = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    totals = counts.sum(axis=0)
    number = totals.sum()
    expected = (np.outer(totals, totals) - np.diag(totals)) / (number - 1)
    distance = _distances(values, totals, level)
    chance = float((expected * distance).sum())
    return None if chance < _NOTHING else 1 - float((observed * distance).sum()) / chance


def _distances(values: Floats, totals: Floats, level: Level) -> Floats:
    """Squared distances between values, shape (values, values)."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    # The number of ratings between two ranks, with half of those at either end.
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)


def icc(ratings: ArrayLike) -> Icc:
    """ICC(2,1) and ICC(2,k), after Shrout and Fleiss.

    Args:
        ratings: shape (units, raters); units with a NaN are left out.

    Returns:
        None for both with fewer than two units or raters, or if all ratings are the same; None
        where the estimate of the variance is not above 0, as with raters that differ less in
        their means than chance would make them: it would come out above 1.
    """
    table = _table(ratings)
    table = table[~np.isnan(table).any(axis=1)]
    n, k = table.shape
    if n < 2 or k < 2 or np.ptp(table) < _NOTHING:
        return Icc(None, None)
    grand = table.mean()
    rows = k * ((table.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    columns = n * ((table.mean(axis=0) - grand) ** 2).sum() / (k - 1)
    rest = ((table - grand) ** 2).sum() - rows * (n - 1) - columns * (k - 1)
    error = rest / ((n - 1) * (k - 1))
    totals = rows + (k - 1) * error + k * (columns - error) / n, rows + (columns - error) / n
    tiny = _NOTHING * (rows + columns + error)
    return Icc(*(float((rows - error) / total) if total > tiny else None for total in totals))


def weighted_kappa(
    one: ArrayLike, other: ArrayLike, *, weights: Literal["none", "quadratic"] = "none"
) -> float | None:
    """Cohen's kappa of two raters, with quadratic weights for how far apart marks are.

    Args:
        one, other: marks of the same items; pairs with a NaN are left out.
        weights: ``none`` for Cohen's kappa of equal or not.

    Returns:
        None if chance alone would make them agree: all marks of both are the same.

    Raises:
        ValueError: the two differ in length.
    """
    first, second = _pairs(one, other)
    if not len(first):
        return None
    differences = (first - second) ** 2
    chance = (first[:, None] - second[None, :]) ** 2
    if weights == "none":
        differences, chance = np.sign(differences), np.sign(chance)
    expected = float(chance.mean())
    return None if expected < _NOTHING else 1 - float(differences.mean()) / expected


def spearman(one: ArrayLike, other: ArrayLike) -> float | None:
    """Spearman's rank correlation, ties by mean rank; None if one of them is constant."""
    first, second = _pairs(one, other)
    if len(first) < 2:
        return None
    x, y = _ranks(first), _ranks(second)
    x, y = x - x.mean(), y - y.mean()
    return _ratio(float((x * y).sum()), float(np.sqrt((x * x).sum() * (y * y).sum())))


def mean_absolute_error(one: ArrayLike, other: ArrayLike) -> float | None:
    """Mean distance of paired marks; None without pairs."""
    first, second = _pairs(one, other)
    return float(np.abs(first - second).mean()) if len(first) else None


def bootstrap_over(
    clusters: Sequence[Hashable],
    statistic: Callable[[NDArray[np.intp]], float | None],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval:
    """Percentile interval, 95 %, of any statistic of items that come in clusters.

    Args:
        clusters: what each item belongs to, such as its task.
        statistic: of the items at these positions; clusters are drawn whole and with
            replacement, so that a position may come several times.

    Returns:
        ``(None, None)`` for fewer than two clusters, or if more than half of the resamples have
        no value: those that are left would be a choice.
    """
    members: dict[Hashable, list[int]] = {}
    for position, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(position)
    groups = [np.array(positions, np.intp) for positions in members.values()]
    if len(groups) < 2:
        return UNKNOWN
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(resamples):
        drawn = rng.integers(len(groups), size=len(groups))
        value = statistic(np.concatenate([groups[n] for n in drawn]))
        if value is not None:
            values.append(value)
    if 2 * len(values) < resamples:
        return UNKNOWN
    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


def _table(ratings: ArrayLike) -> Floats:
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError("ratings must be a table of finite numbers, NaN where there is none")
    return table


def _pairs(one: ArrayLike, other: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        shapes = f"{first.shape} and {second.shape}"
        raise ValueError(f"expected two lists of one length, got the shapes {shapes}")
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def _ratio(part: float, whole: float) -> float | None:
    return None if abs(whole) < _NOTHING else float(part / whole)
