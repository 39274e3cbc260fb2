"""Intervals: against known values, against theory, and at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from screenmark.metrics import (
    bootstrap_interval,
    f1_of_counts,
    mean_f1_of_counts,
    ratio_of_sums,
    wilson_interval,
)
from screenmark.metrics.intervals import Statistic, bootstrap_intervals

SHARES = [(5, 10), (0, 10), (10, 10), (1, 1), (812, 1000), (3, 100_000)]


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("x", "n"), SHARES)
def test_wilson_is_scipys(x: int, n: int, confidence: float) -> None:
    expected = binomtest(x, n).proportion_ci(confidence, method="wilson")
    assert wilson_interval(x, n, confidence=confidence) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


def test_wilson_of_half_of_ten() -> None:
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=5e-5)


def test_wilson_of_nothing_is_unknown() -> None:
    assert wilson_interval(0, 0) == (None, None)


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilson_holds_the_share_and_stays_inside(x: int, n: int) -> None:
    x = min(x, n)
    low, high = wilson_interval(x, n)
    assert low is not None
    assert high is not None
    assert 0 <= low <= x / n <= high <= 1
    assert low < high


BAD_TRIALS = {"more_than_all": (3, 2), "negative": (-1, 2), "nan": (float("nan"), 2)}


@pytest.mark.parametrize(("x", "n"), BAD_TRIALS.values(), ids=list(BAD_TRIALS))
def test_wilson_refuses_what_is_no_proportion(x: float, n: float) -> None:
    with pytest.raises(ValueError, match="successes"):
        wilson_interval(x, n)


def pages(n: int, seed: int = 1) -> np.ndarray[Any, np.dtype[np.float64]]:
    """tp, fp, fn of n screenshots."""
    return np.random.default_rng(seed).poisson([30, 10, 20], (n, 3)).astype(np.float64)


def test_bootstrap_of_a_mean_is_the_normal_interval() -> None:
    values = np.random.default_rng(5).normal(10, 2, 400)
    interval = bootstrap_interval(np.stack([values, np.ones(400)], axis=1), ratio_of_sums)
    half = 1.96 * values.std() / 20
    assert interval == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 8)


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    truth = 60 / 90  # 2 x 30 / (2 x 30 + 10 + 20)
    hits = 0
    for seed in range(200):
        low, high = bootstrap_interval(pages(60, seed), f1_of_counts, resamples=400)
        assert low is not None
        assert high is not None
        hits += low <= truth <= high
    assert 0.88 <= hits / 200 <= 0.99


def test_pages_that_hang_together_widen_the_interval() -> None:
    table = pages(50)
    alone = bootstrap_interval(table, f1_of_counts)
    doubled = bootstrap_interval(np.repeat(table, 2, axis=0), f1_of_counts)
    assert None not in {*alone, *doubled}
    # Twice the same pages, taken for independent, would look surer by the root of two.
    width, narrow = (float(i.high or 0) - float(i.low or 0) for i in (alone, doubled))
    assert width == pytest.approx(narrow * 2**0.5, rel=0.1)


def test_bootstrap_is_repeatable_and_depends_on_the_seed() -> None:
    table = pages(30)
    first = bootstrap_interval(table, f1_of_counts)
    assert first == bootstrap_interval(table.tolist(), f1_of_counts)
    assert first != bootstrap_interval(table, f1_of_counts, seed=1)


def test_bootstrap_in_blocks_is_a_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_interval(pages(30), f1_of_counts, resamples=101)
    monkeypatch.setattr("screenmark.metrics.intervals._BLOCK", 300)
    assert bootstrap_interval(pages(30), f1_of_counts, resamples=101) == whole


def test_statistics_of_the_same_draws_are_what_they_would_be_alone() -> None:
    table = pages(40)
    statistics: dict[str, Statistic] = {
        "f1": f1_of_counts,
        "precision": lambda totals: ratio_of_sums(
            np.stack([totals[:, 0], totals[:, 0] + totals[:, 1]], axis=1)
        ),
    }
    tp, fp, _ = table.T
    assert bootstrap_intervals(table, statistics) == {
        "f1": bootstrap_interval(table, f1_of_counts),
        "precision": bootstrap_interval(np.stack([tp, tp + fp], axis=1), ratio_of_sums),
    }


def test_wider_confidence_is_a_wider_interval() -> None:
    narrow = bootstrap_interval(pages(30), f1_of_counts, confidence=0.5)
    wide = bootstrap_interval(pages(30), f1_of_counts, confidence=0.99)
    assert None not in {*narrow, *wide}
    assert float(wide.low or 0) < float(narrow.low or 0) < float(narrow.high or 0)
    assert float(narrow.high or 0) < float(wide.high or 0)


UNKNOWN = {
    "no_cluster": [],
    "one_cluster": [[1, 2, 3]],
    "nothing_in_any": [[0, 0, 0], [0, 0, 0]],
}


@pytest.mark.parametrize("table", UNKNOWN.values(), ids=list(UNKNOWN))
def test_bootstrap_that_cannot_tell_says_so(table: list[list[float]]) -> None:
    assert bootstrap_interval(table, f1_of_counts) == (None, None)


def test_resamples_without_a_value_are_left_out() -> None:
    interval = bootstrap_interval([[0, 0, 0], [1, 0, 0]], f1_of_counts)
    assert interval == (1.0, 1.0)


BAD_ARGUMENTS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "nan": ([[1, 2, float("nan")]] * 2, {}, "finite"),
    "one_dimension": ([1, 2, 3], {}, "table"),
    "no_resamples": ([[1, 2, 3]] * 2, {"resamples": 0}, "resamples"),
    "confidence": ([[1, 2, 3]] * 2, {"confidence": 95}, "confidence"),
}


@pytest.mark.parametrize(
    ("table", "options", "named"), BAD_ARGUMENTS.values(), ids=list(BAD_ARGUMENTS)
)
def test_bootstrap_names_a_bad_argument(table: Any, options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        bootstrap_interval(table, f1_of_counts, **options)


def test_statistics_of_totals() -> None:
    totals = np.array([[3.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    assert np.array_equal(f1_of_counts(totals), [0.75, np.nan], equal_nan=True)
    assert np.array_equal(ratio_of_sums(totals[:, :2]), [3.0, np.nan], equal_nan=True)
    both = np.array([[4.0, 2.0, 5.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
    assert np.array_equal(mean_f1_of_counts(both), [0.75, np.nan], equal_nan=True)
