"""Paired tests: McNemar's against the binomial distribution, sign flips against McNemar's."""

from __future__ import annotations

import math

import pytest

from screenmark.metrics import mcnemar_p_value
from screenmark.metrics.paired import sign_flip_p_value


@pytest.mark.parametrize(
    ("gained", "lost", "expected"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 5, 1.0), (10, 0, 2 / 1024), (8, 2, 112 / 1024)],
)
def test_exact_values(gained: int, lost: int, expected: float) -> None:
    assert mcnemar_p_value(gained, lost) == pytest.approx(expected)
    assert mcnemar_p_value(lost, gained) == mcnemar_p_value(gained, lost)


@pytest.mark.parametrize(("gained", "lost"), [(3, 9), (200, 250), (480, 520), (900, 99)])
def test_against_scipy(gained: int, lost: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(gained, gained + lost).pvalue
    assert mcnemar_p_value(gained, lost) == pytest.approx(expected, rel=1e-6)


def test_beyond_a_thousand_it_goes_on_smoothly() -> None:
    exact, approximate = mcnemar_p_value(450, 550), mcnemar_p_value(450, 551)
    assert approximate == pytest.approx(exact, rel=0.15)
    assert mcnemar_p_value(5000, 5000) == 1
    assert 0 <= mcnemar_p_value(100_000, 0) < 1e-300


def test_counts_are_not_negative() -> None:
    with pytest.raises(ValueError, match="expected counts, got -1 and 2"):
        mcnemar_p_value(-1, 2)
    assert not math.isnan(mcnemar_p_value(1, 2))


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([2.0], 1.0),
        ([1.0, 2.0, 3.0], 2 / 8),
        ([1.0, 2.0, -3.0], 1.0),
        ([0.1, 0.2, 0.4, 0.3, -0.1], 6 / 32),
    ],
)
def test_signs_that_could_as_well_be_others(differences: list[float], expected: float) -> None:
    assert sign_flip_p_value(differences) == pytest.approx(expected)
    assert sign_flip_p_value([-d for d in differences]) == pytest.approx(expected)


@pytest.mark.parametrize(("gained", "lost"), [(7, 2), (12, 0), (5, 5), (25, 10), (14, 12)])
def test_of_wins_and_losses_the_sign_flip_test_is_mcnemars(gained: int, lost: int) -> None:
    found = sign_flip_p_value([1.0] * gained + [-1.0] * lost + [0.0] * 9)
    assert found == pytest.approx(mcnemar_p_value(gained, lost), abs=0.005)


def test_differences_that_are_no_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        sign_flip_p_value([1.0, math.nan])
