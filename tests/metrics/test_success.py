"""Success rate and efficiency-quality area: worked examples, and properties."""

import itertools
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenmark.metrics import efficiency_quality_area, order_averaged_eqa, success_rate
from screenmark.metrics.success import within_budget

EXAMPLE = [(1.0, 5), (0.0, 15), (1.0, 10), (1.0, 6)]
RUNS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 8)), max_size=6)


def split(run: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    return [success for success, _ in run], [steps for _, steps in run]


@pytest.mark.parametrize(
    ("run", "budget", "area"),
    [
        (EXAMPLE, 15, 0.496683),
        (EXAMPLE, 50, 0.671287),
        ([(1, 5), (1, 10), (1, 6), (0, 15)], 15, 0.620446),
        ([(0, 15), (1, 5), (1, 10), (1, 6)], 15, 0.434802),
        ([(0.5, 4), (1, 8)], 15, 0.597772),
        ([(1, 20), (1, 20)], 15, 0.4175),
        ([(1, 15)] * 7, 15, 0.5),
        ([(0, 3), (0, 15)], 15, 0.0),
    ],
    ids=[
        "example",
        "larger-budget",
        "failure-last",
        "failure-first",
        "partial",
        "over-budget",
        "all-of-the-budget",
        "nothing",
    ],
)
def test_public_area(run: list[tuple[float, int]], budget: int, area: float) -> None:
    assert efficiency_quality_area(*split(run), budget) == pytest.approx(area, abs=5e-7)


def test_average_over_all_orders_of_the_example() -> None:
    found = order_averaged_eqa(*split(EXAMPLE), 15)
    assert found == pytest.approx(0.523515, abs=5e-7)


@given(RUNS.filter(bool), st.integers(8, 12))
@settings(max_examples=30, deadline=None)
def test_the_average_is_that_of_every_order(run: list[tuple[float, int]], budget: int) -> None:
    areas = [
        efficiency_quality_area(*split(list(order)), budget) or 0.0
        for order in itertools.permutations(run)
    ]
    assert order_averaged_eqa(*split(run), budget) == pytest.approx(
        statistics.fmean(areas), abs=1e-9
    )


@given(RUNS.filter(bool), st.integers(1, 12))
@settings(deadline=None)
def test_the_area_is_at_most_the_success_rate(run: list[tuple[float, int]], budget: int) -> None:
    area, rate = efficiency_quality_area(*split(run), budget), success_rate(split(run)[0])
    assert area is not None
    assert rate is not None
    assert 0 <= area <= rate + 1e-12


def test_many_tasks_of_equal_length_have_one_order() -> None:
    run = [(1.0, 7)] * 300
    one, average = (f(*split(run), 50) for f in (efficiency_quality_area, order_averaged_eqa))
    assert average == pytest.approx(one, abs=1e-9)


def test_no_tasks_have_no_rate() -> None:
    assert success_rate([]) is None
    assert efficiency_quality_area([], [], 15) is None
    assert order_averaged_eqa([], [], 15) is None


@pytest.mark.parametrize(
    ("success", "steps", "budget", "words"),
    [
        ([1.0], [], 15, "1 successes for 0"),
        ([1.0], [0], 15, "at least one step"),
        ([1.0], [1], 0, "budget of 0"),
        ([2.0], [1], 15, "not between 0 and 1"),
        ([float("nan")], [1], 15, "not between 0 and 1"),
    ],
)
def test_what_is_no_run(success: list[float], steps: list[int], budget: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        efficiency_quality_area(success, steps, budget)


def test_a_smaller_budget_derived() -> None:
    assert within_budget([1, 1, 0], [15, 16, 50], 15) == ([1, 0.0, 0], [15, 15, 15])
