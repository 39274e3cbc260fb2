"""Intervals of the macro-F1."""

from __future__ import annotations

import numpy as np
import pytest

from screenmark.metrics import macro_f1
from screenmark.metrics.classification_intervals import macro_f1_interval


def data(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    gold = [f"c{n}" for n in rng.integers(4, size=count)]
    said = [g if rng.random() < 0.7 else "c0" for g in gold]
    return said, gold


def test_holds_the_value_and_narrows() -> None:
    widths = []
    for count in (100, 1600):
        said, gold = data(count)
        low, high = macro_f1_interval(said, gold, range(count))
        assert low is not None
        assert high is not None
        assert low < macro_f1(said, gold) < high
        widths.append(high - low)
    assert 3 < widths[0] / widths[1] < 5, "four times as narrow for sixteen times as many"


def test_what_belongs_together_is_drawn_together() -> None:
    said, gold = data(200)
    alone = macro_f1_interval(said, gold, range(200))
    twice = macro_f1_interval(said * 2, gold * 2, [*range(200), *range(200)])
    assert twice == pytest.approx(alone)


def test_no_prediction_is_a_miss() -> None:
    said, gold = data(200)
    missing = [None if n % 2 else label for n, label in enumerate(said)]
    _, high = macro_f1_interval(missing, gold, range(200))
    low, _ = macro_f1_interval(said, gold, range(200))
    assert high is not None
    assert low is not None
    assert high < low


def test_a_bootstrap_knows_no_spread_where_all_is_right() -> None:
    assert macro_f1_interval(["a", "a", "a"], ["a", "a", "a"], range(3)) == (None, None)


def test_one_cluster_tells_nothing() -> None:
    assert macro_f1_interval(["a", "b"], ["a", "a"], [0, 0]) == (None, None)


def test_lengths_have_to_agree() -> None:
    with pytest.raises(ValueError, match="values"):
        macro_f1_interval(["a"], ["a", "b"], [0, 1])
