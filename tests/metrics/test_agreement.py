"""Agreement of raters, against figures that papers print and other implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import spearmanr

from screenmark.metrics.agreement import (
    Icc,
    bootstrap_over,
    icc,
    krippendorff_alpha,
    mean_absolute_error,
    spearman,
    weighted_kappa,
)

_ = math.nan
KRIPPENDORFF_2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
SHROUT_FLEISS_1979 = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_example_of_krippendorffs_paper(level: str, alpha: float) -> None:
    found = krippendorff_alpha(KRIPPENDORFF_2011, level)  # type: ignore[arg-type]
    assert found == pytest.approx(alpha, abs=5e-4)


def test_the_example_of_shrout_and_fleiss() -> None:
    found = icc(SHROUT_FLEISS_1979)
    assert found.single == pytest.approx(0.29, abs=5e-3)
    assert found.mean == pytest.approx(0.62, abs=5e-3)


def test_the_textbook_example_of_kappa() -> None:
    """50 applications for a grant, read twice: 20 and 15 times alike."""
    one = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert weighted_kappa(one, other) == pytest.approx(0.4)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_agreement_and_of_nothing_to_agree_about(level: str) -> None:
    def alpha(table: list[list[float]]) -> float | None:
        return krippendorff_alpha(table, level)  # type: ignore[arg-type]

    assert alpha([[1, 2, 3], [1, 2, 3]]) == 1.0
    assert alpha([[1, 1, 1], [1, 1, 1]]) is None
    assert alpha([[1, _, 2], [_, 1, 2]]) is None
    assert alpha([[1, 2], [2, 1]]) < 0  # type: ignore[operator]


def test_icc_where_it_is_undefined() -> None:
    assert icc([[1, 1], [1, 1]]) == Icc(None, None)
    assert icc([[1, 2]]) == Icc(None, None)
    assert icc([[1], [2]]) == Icc(None, None)
    assert icc([[1.0, 1.0], [2.0, 2.0], [_, 3.0]]) == Icc(1.0, 1.0)


def test_icc_is_undefined_where_its_variance_is_estimated_as_nothing() -> None:
    # Both units have the same mean, and both raters: 0 for one rater, -0.5 for their mean.
    assert icc([[0, 1], [1, 0]]) == Icc(None, None)
    found = icc([[0, 2], [2, 0], [1, 1]])
    assert found.single == pytest.approx(-3)
    assert found.mean is None


@given(
    st.integers(2, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=2, max_size=8
        )
    )
)
def test_intraclass_correlations_are_at_most_one(ratings: list[list[int]]) -> None:
    for value in icc(ratings):
        assert value is None or value <= 1 + 1e-9


@pytest.mark.parametrize("weights", ["none", "quadratic"])
def test_kappa_where_it_is_undefined(weights: str) -> None:
    assert weighted_kappa([1, 1], [1, 1], weights=weights) is None  # type: ignore[arg-type]
    assert weighted_kappa([], [], weights=weights) is None  # type: ignore[arg-type]
    assert weighted_kappa([1, _], [_, 1], weights=weights) is None  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="of one length, got the shapes"):
        weighted_kappa([1], [1, 2])


_marks = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30)


@settings(max_examples=40)
@given(_marks)
def test_weighted_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    one, other = map(list, zip(*pairs, strict=True))
    for weights in ("none", "quadratic"):
        ours = weighted_kappa(one, other, weights=weights)
        if ours is not None:
            named = None if weights == "none" else weights
            theirs = metrics.cohen_kappa_score(one, other, weights=named, labels=range(6))
            assert ours == pytest.approx(theirs, abs=1e-9)


@given(_marks)
def test_spearman_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    one, other = map(list, zip(*pairs, strict=True))
    ours = spearman(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(spearmanr(one, other).statistic, abs=1e-9)


@given(_marks, st.integers(2, 4))
def test_alpha_does_not_depend_on_the_order(pairs: list[tuple[int, int]], factor: int) -> None:
    table = np.array(pairs, dtype=float).T
    for level in ("nominal", "ordinal", "interval"):
        alpha = krippendorff_alpha(table, level)
        for same in (table[::-1], table[:, ::-1], table * factor + 1):
            other = krippendorff_alpha(same, level)
            assert other == pytest.approx(alpha)


def test_ordinal_alpha_looks_at_ranks_only() -> None:
    near, far = [[0, 8, 15, 8], [8, 8, 15, 8]], [[0, 8, 99, 8], [8, 8, 99, 8]]
    assert krippendorff_alpha(near, "ordinal") == krippendorff_alpha(far, "ordinal")
    assert krippendorff_alpha(near, "interval") != krippendorff_alpha(far, "interval")


def test_mean_absolute_error() -> None:
    assert mean_absolute_error([1, 2, _], [3, 2, 1]) == 1.0
    assert mean_absolute_error([], []) is None


def test_tables_only() -> None:
    for function in (krippendorff_alpha, icc):
        with pytest.raises(ValueError, match="table of finite numbers"):
            function([1, 2, 3])
        with pytest.raises(ValueError, match="table of finite numbers"):
            function([[1, math.inf]])


def test_bootstrap_draws_whole_clusters() -> None:
    seen: set[tuple[int, ...]] = set()

    def size(positions: NDArray[np.intp]) -> float:
        seen.add(tuple(positions))
        return float(len(positions))

    low, high = bootstrap_over(["a", "a", "b"], size, resamples=200)
    assert (low, high) == (2.0, 4.0)
    assert seen == {(0, 1, 0, 1), (0, 1, 2), (2, 0, 1), (2, 2)}


def test_bootstrap_where_there_is_no_interval() -> None:
    assert bootstrap_over(["a", "a"], lambda p: 1.0) == (None, None)
    assert bootstrap_over(["a", "b"], lambda p: None) == (None, None)
