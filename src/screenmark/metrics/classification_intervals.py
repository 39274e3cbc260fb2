"""How sure a macro-F1 is: a bootstrap over samples, or over what samples belong to."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from screenmark.metrics.intervals import UNKNOWN, Interval

_RESAMPLES: Final = 2000
_FEWEST: Final = 500
_WORK: Final = 2_000_000_000
_BLOCK: Final = 4_000_000


def macro_f1_interval(
    predictions: Sequence[Hashable],
    gold: Sequence[Hashable],
    clusters: Sequence[Hashable],
    *,
    seed: int = 0,
) -> Interval:
    """95 % interval of the macro-F1, drawing whole clusters with replacement.

    In each draw the mean is over the classes that occur in it, as a macro-F1 of it would be.
    Where there are very many clusters the number of draws falls from 2000 down to 500.

    Args:
        predictions: a label for each sample; None where there is no prediction.
        gold: the true labels.
        clusters: what each sample belongs to.

    Returns:
        ``(None, None)`` for fewer than two clusters, and where every draw has one value, as if
        all is right: a bootstrap knows no spread then.

    Raises:
        ValueError: the three differ in length.
    """
    if not len(predictions) == len(gold) == len(clusters):
        raise ValueError(f"{len(predictions)}, {len(gold)} and {len(clusters)} values")
    names = {name: code for code, name in enumerate(dict.fromkeys([*gold, *predictions]))}
    names.pop(None, None)
    names = {name: code for code, name in enumerate(names)}
    places = {cluster: row for row, cluster in enumerate(dict.fromkeys(clusters))}
    if len(places) < 2:
        return UNKNOWN
    # Of each cluster, for each class: right, predicted, true.
    table = np.zeros((len(places), 3 * len(names)))
    for said, true, cluster in zip(predictions, gold, clusters, strict=True):
        row = table[places[cluster]]
        row[3 * names[true] + 2] += 1
        if said is not None:
            row[3 * names[said] + 1] += 1
            row[3 * names[said]] += said == true
    resamples = max(_FEWEST, min(_RESAMPLES, _WORK // table.size))
    values = _macro_f1(_resampled_totals(table, resamples, seed))
    if values.min() == values.max():
        return UNKNOWN
    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


def _resampled_totals(table: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """Sums over rows drawn with replacement, shape (resamples, columns).

    With as many columns as three times the classes, a product of how often each row was drawn
    takes far less time than fetching the rows.
    """
    rng = np.random.default_rng(seed)
    rows = len(table)
    totals = np.empty((resamples, table.shape[1]))
    step = max(1, _BLOCK // rows)
    for start in range(0, resamples, step):
        block = totals[start : start + step]
        times = [np.bincount(rng.integers(rows, size=rows), minlength=rows) for _ in block]
        np.matmul(np.stack(times).astype(np.float64), table, out=block)
    return totals


def _macro_f1(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Totals of shape (resamples, 3 classes) to the macro-F1 of each."""
    by_class = totals.reshape(len(totals), -1, 3)
    occurs = by_class[:, :, 1] + by_class[:, :, 2]
    f1 = np.divide(2 * by_class[:, :, 0], occurs, out=np.zeros_like(occurs), where=occurs > 0)
    present = (occurs > 0).sum(axis=1)
    found: NDArray[np.float64] = np.divide(
        f1.sum(axis=1), present, out=np.full(len(totals), np.nan), where=present > 0
    )
    return found
