"""Intervals of items that come in clusters."""

from __future__ import annotations

import pytest

from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.intervals import bootstrap_interval, ratio_of_sums, wilson_interval


def test_it_is_the_bootstrap_over_whole_clusters() -> None:
    hits, clusters = [1, 0, 1, 1, 0, 0], ["a", "a", "b", "b", "c", "c"]
    expected = bootstrap_interval([[1, 2], [2, 2], [0, 2]], ratio_of_sums)
    assert clustered_interval(hits, clusters) == expected


@pytest.mark.parametrize("hit", [0, 1])
def test_all_or_none_right_is_no_certainty(hit: int) -> None:
    low, high = clustered_interval([hit] * 12, [n // 3 for n in range(12)])
    assert (low, high) == wilson_interval(4 * hit, 4)
    assert low is not None
    assert high is not None
    assert high - low > 0.3


def test_one_cluster_counts_as_one_trial() -> None:
    assert clustered_interval([1, 0], ["a", "a"]) == wilson_interval(0.5, 1)


def test_without_items_nothing_is_known() -> None:
    assert clustered_interval([], []) == (None, None)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        clustered_interval([1, 0], ["a"])
