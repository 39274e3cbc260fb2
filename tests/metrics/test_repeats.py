"""Repetitions: reducers against brute force over every choice of repetitions."""

from __future__ import annotations

import itertools
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import Repetition, flip_rate, majority, pass_at_k, summarise_repeats
from screenmark.metrics.repeats import standard_deviation

values = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])


def summary(*groups: list[float | None], n: int = 3, pass_from: float | None = 0.5) -> Any:
    repetitions = [Repetition(str(i), v) for i, group in enumerate(groups) for v in group]
    return summarise_repeats(repetitions, n, pass_from=pass_from)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_at_k_is_the_share_of_choices_with_a_pass(passes: list[bool], data: Any) -> None:
    k = data.draw(st.integers(1, len(passes)))
    choices = list(itertools.combinations(passes, k))
    expected = sum(any(choice) for choice in choices) / len(choices)
    assert pass_at_k(len(passes), sum(passes), k) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        pytest.param(1, 1, 1, 1.0, id="one of one"),
        pytest.param(5, 0, 5, 0.0, id="never"),
        pytest.param(5, 1, 5, 1.0, id="all are tried"),
        pytest.param(5, 3, 3, 1.0, id="too few fail"),
        pytest.param(10, 3, 1, 0.3, id="k of one is the share"),
        pytest.param(200, 1, 100, 0.5, id="large numbers"),
        pytest.param(5000, 1, 5, 0.001, id="nothing cancels"),
    ],
)
def test_pass_at_k(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == expected


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4), (0, 0, 1)])
def test_pass_at_k_refuses_what_cannot_be(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"pass@{k} of {c} passes in {n}"):
        pass_at_k(n, c, k)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
def test_majority_is_the_first_of_the_most_frequent(answers: list[str]) -> None:
    most = max(answers.count(answer) for answer in answers)
    assert majority(answers) == next(a for a in answers if answers.count(a) == most)


def test_there_is_no_majority_of_nothing() -> None:
    with pytest.raises(ValueError, match="no values"):
        majority([])


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        pytest.param([], None, id="nothing"),
        pytest.param([[1], []], None, id="too few to differ"),
        pytest.param([[1, 1], [0, 0]], 0.0, id="steady"),
        pytest.param([[1, 1], [1, 0], [3]], 0.5, id="one of two"),
        pytest.param([["a", "b", "a"]], 1.0, id="text"),
    ],
)
def test_flip_rate(groups: list[list[Any]], expected: float | None) -> None:
    assert flip_rate(groups) == expected


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_standard_deviation_is_that_of_the_standard_library(numbers: list[float]) -> None:
    assert standard_deviation(numbers) == pytest.approx(statistics.stdev(numbers), abs=1e-12)


def test_equal_values_do_not_deviate_at_all() -> None:
    assert standard_deviation([0.1] * 3) == 0.0
    assert standard_deviation([0.1]) is None


def test_a_summary_by_hand() -> None:
    found = summary([1.0, 0.0, 0.5], [0.2, 0.2, 0.2])
    assert found["reducers"] == {
        "mean": pytest.approx(0.35),
        "median": pytest.approx(0.35),
        "majority": 0.5,
        "pass_at_k": {"1": pytest.approx(1 / 3), "2": 0.5, "3": 0.5},
        "all": 0.0,
    }
    assert (found["n"], found["num_samples"], found["pass_from"]) == (3, 2, 0.5)
    assert found["flip_rate"] == 0.5
    assert found["value_flip_rate"] == 0.5
    assert found["mean_standard_deviation"] == pytest.approx(0.25)
    assert found["per_sample"][0] == {
        "sample_id": "0",
        "repetitions": 3,
        "mean": 0.5,
        "median": 0.5,
        "standard_deviation": 0.5,
        "distinct_values": 3,
        "passes": 2,
        "majority": True,
        "flips": True,
    }


@given(st.lists(st.lists(values, min_size=4, max_size=4), min_size=1, max_size=5))
def test_a_summary_against_brute_force(groups: list[list[float]]) -> None:
    found = summary(*(list[float | None](group) for group in groups), n=4)
    passes = [[value >= 0.5 for value in group] for group in groups]
    reducers = found["reducers"]
    assert reducers["mean"] == pytest.approx(statistics.mean(map(statistics.mean, groups)))
    assert reducers["median"] == pytest.approx(statistics.mean(map(statistics.median, groups)))
    assert reducers["all"] == pytest.approx(sum(map(all, passes)) / len(passes))
    assert list(reducers["pass_at_k"]) == ["1", "2", "4"]
    pairs = [any(pair) for group in passes for pair in itertools.combinations(group, 2)]
    assert reducers["pass_at_k"]["2"] == pytest.approx(sum(pairs) / len(pairs))
    firm = [p[0] if sum(p) == 2 else sum(p) > 2 for p in passes]
    assert reducers["majority"] == pytest.approx(sum(firm) / len(firm))
    assert found["flip_rate"] == sum(len(set(p)) > 1 for p in passes) / len(passes)
    assert found["value_flip_rate"] == sum(len(set(g)) > 1 for g in groups) / len(groups)


def test_without_a_verdict_only_the_values_count() -> None:
    found = summary([1.0, 0.0, 0.5], pass_from=None)
    assert found["reducers"]["mean"] == 0.5
    assert found["reducers"]["majority"] is None
    assert found["reducers"]["pass_at_k"] == {"1": None, "2": None, "3": None}
    assert found["reducers"]["all"] is None
    assert found["flip_rate"] is None
    assert found["value_flip_rate"] == 1.0
    assert "passes" not in found["per_sample"][0]


def test_undefined_values_are_left_out() -> None:
    found = summary([None, None, None], [1.0, None, 1.0])
    assert found["reducers"]["mean"] == 1.0
    assert found["reducers"]["majority"] is None, "no sample has all its values"
    assert found["per_sample"][0]["mean"] is None
    assert found["per_sample"][0]["majority"] is None
    assert found["value_flip_rate"] == 0.0


def test_what_could_not_be_asked_counts_as_in_the_headline_but_is_no_flip() -> None:
    repetitions = [Repetition("a", 1.0), Repetition("a", 0.0, answered=False), Repetition("a", 1.0)]
    found = summarise_repeats(repetitions, 3, pass_from=0.5)
    assert found["reducers"]["mean"] == pytest.approx(2 / 3)
    assert found["reducers"]["all"] == 0.0
    assert found["flip_rate"] == 0.0
    assert found["mean_standard_deviation"] == 0.0


def test_repetitions_of_samples_may_be_interleaved() -> None:
    repetitions = [Repetition(id, float(id == "a")) for _ in range(2) for id in "ab"]
    found = summarise_repeats(repetitions, 2, pass_from=0.5)
    assert [(row["sample_id"], row["mean"]) for row in found["per_sample"]] == [
        ("a", 1.0),
        ("b", 0.0),
    ]


def test_nothing_at_all() -> None:
    found = summarise_repeats([], 2, pass_from=0.5)
    assert found["reducers"]["mean"] is None
    assert found["flip_rate"] is None
