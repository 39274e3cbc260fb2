"""How sure a share is when its items come in clusters, as the questions of a screenshot do."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from screenmark.metrics.intervals import (
    UNKNOWN,
    Interval,
    bootstrap_interval,
    ratio_of_sums,
    wilson_interval,
)


def clustered_interval(hits: Sequence[float], clusters: Sequence[Hashable]) -> Interval:
    """95 % interval of a hit rate, by a bootstrap over whole clusters.

    Where all clusters have the same rate a bootstrap knows no spread: none or all of few items
    are right, say. Then each cluster counts as one trial of a Wilson interval, the most
    cautious reading of items that belong together.

    Args:
        hits: 1 for a hit, 0 for a miss, for each item.
        clusters: what each item belongs to.

    Returns:
        ``(None, None)`` without items.

    Raises:
        ValueError: the two differ in length.
    """
    if not hits and not clusters:
        return UNKNOWN
    sums: dict[Hashable, list[float]] = {}
    for hit, cluster in zip(hits, clusters, strict=True):
        total = sums.setdefault(cluster, [0.0, 0.0])
        total[0] += hit
        total[1] += 1
    if len({part / whole for part, whole in sums.values()}) == 1:
        rate = sum(hits) / len(hits)
        return wilson_interval(rate * len(sums), len(sums))
    return bootstrap_interval(list(sums.values()), ratio_of_sums)
