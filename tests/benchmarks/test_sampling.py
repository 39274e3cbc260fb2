"""Drawing some of the samples."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from screenmark.benchmarks.sampling import choose

GROUPED = [(n, "abc"[n % 3] if n < 60 else "d") for n in range(80)]


def group(item: tuple[int, str]) -> str:
    return item[1]


def test_without_a_seed_the_first_ones() -> None:
    assert choose(GROUPED, 5, None, group) == GROUPED[:5]
    assert choose(GROUPED, None, 3, group) == GROUPED
    assert choose(GROUPED, 500, 3, group) == GROUPED


@given(count=st.integers(1, 79), seed=st.integers(0, 1000))
def test_with_a_seed_each_group_has_its_share_in_data_order(count: int, seed: int) -> None:
    chosen = choose(GROUPED, count, seed, group)
    assert chosen == sorted(chosen)
    assert len(chosen) == len(set(chosen)) == count
    assert chosen == choose(GROUPED, count, seed, group)
    for name, number in Counter(map(group, chosen)).items():
        exact = count * sum(group(item) == name for item in GROUPED) / len(GROUPED)
        assert abs(number - exact) < 1


def test_seeds_differ() -> None:
    assert choose(GROUPED, 20, 1, group) != choose(GROUPED, 20, 2, group)
