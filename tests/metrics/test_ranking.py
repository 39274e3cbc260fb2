"""Ranks with ties, against all orders of the tied candidates."""

from __future__ import annotations

import itertools
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import mean_reciprocal_rank, top_k_accuracy
from screenmark.metrics.ranking import place_of, reciprocal_rank, top_k_share

QUERY = st.lists(st.integers(0, 3), min_size=1, max_size=5).flatmap(
    lambda scores: st.tuples(st.just(scores), st.integers(0, len(scores) - 1))
)


def ranks(scores: list[int], label: int) -> list[int]:
    """The rank of the label under every order that sorts by score."""
    found = []
    for order in itertools.permutations(range(len(scores))):
        said = [scores[n] for n in order]
        if said == sorted(said, reverse=True):
            found.append(order.index(label) + 1)
    return found


@given(QUERY, st.integers(1, 5))
def test_expectation_over_all_orders(query: tuple[list[int], int], k: int) -> None:
    scores, label = query
    every = ranks(scores, label)
    place = place_of(scores, label)
    assert top_k_share(place, k) == pytest.approx(statistics.mean(r <= k for r in every))
    assert reciprocal_rank(place) == pytest.approx(statistics.mean(1 / r for r in every))


@given(st.lists(QUERY, min_size=1, max_size=4), st.integers(1, 5))
def test_many_at_once_equal_one_by_one(queries: list[tuple[list[int], int]], k: int) -> None:
    scores, labels = [q[0] for q in queries], [q[1] for q in queries]
    places = [place_of(*query) for query in queries]
    assert top_k_accuracy(scores, labels, k) == pytest.approx(
        statistics.mean(top_k_share(place, k) for place in places)
    )
    assert mean_reciprocal_rank(scores, labels) == pytest.approx(
        statistics.mean(map(reciprocal_rank, places))
    )


def test_a_tie_at_the_top_counts_its_share() -> None:
    assert top_k_accuracy([[2.0, 2.0, 1.0], [0.5, 0.1]], [1, 1]) == 0.25


@pytest.mark.parametrize(
    ("scores", "labels", "said"),
    [
        pytest.param([], [], "no queries", id="nothing"),
        pytest.param([[1.0]], [0, 0], "1 rows", id="lengths"),
        pytest.param([[1.0]], [1], "beyond", id="label"),
        pytest.param([[]], [0], "beyond", id="no candidates"),
        pytest.param([[float("nan")]], [0], "number", id="nan"),
    ],
)
def test_refuses(scores: list[list[float]], labels: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        mean_reciprocal_rank(scores, labels)


def test_refuses_k_below_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        top_k_accuracy([[1.0]], [0], 0)
