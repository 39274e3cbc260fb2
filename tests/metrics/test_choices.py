"""Accuracy weighted by the number of options."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import option_weighted


def test_the_public_test_vector() -> None:
    found = option_weighted([1, 0], [5, 4])
    assert found.score == pytest.approx(0.516129, abs=5e-7)
    assert found.weighted == pytest.approx(0.4)
    assert found.base == pytest.approx(0.775)


def test_no_questions_have_no_score() -> None:
    assert option_weighted([], []) == (None, None, None)


@pytest.mark.parametrize(
    ("hits", "options", "message"),
    [([1], [4, 4], "1 hits for 2 questions"), ([1], [1], "at least two options")],
)
def test_what_cannot_be_weighted(hits: list[int], options: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        option_weighted(hits, options)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(2, 6)), min_size=1))
def test_it_is_the_mean_where_all_questions_weigh_the_same_and_within_0_and_1(
    pairs: list[tuple[int, int]],
) -> None:
    hits = [hit for hit, _ in pairs]
    even = option_weighted(hits, [4] * len(hits))
    assert even.score == pytest.approx(sum(hits) / len(hits))
    found = option_weighted(hits, [count for _, count in pairs])
    assert found.score is not None
    assert 0 <= found.score <= 1 + 1e-12
    assert (found.score == pytest.approx(1)) == all(hits)
