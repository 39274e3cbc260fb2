"""How many tasks an agent gets done, and how many steps that takes.

The efficiency-quality area is MMBench-GUI's (arXiv 2507.19478): the area under recall over
the share of the whole step budget that is used up, tasks being worked on one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_GRID: Final = 100
_MOST_NODES: Final = 128


def success_rate(success: Sequence[float]) -> float | None:
    """Mean success over tasks; None without tasks.

    Args:
        success: 0 to 1 for each task.

    Raises:
        ValueError: a success is not between 0 and 1.
    """
    _check_success(success)
    return math.fsum(success) / len(success) if success else None


def efficiency_quality_area(
    success: Sequence[float], steps: Sequence[int], budget: int
) -> float | None:
    """The public EQA: the mean of recall at 0, 1, …, 100 % of the whole budget.

    With N tasks of T steps each, recall after k tasks stands at (steps of these k, at most
    N T) / (N T), is linear in between, and keeps its last value to the right. It depends on
    the order of the tasks, see `order_averaged_eqa`; it is at most the success rate.

    Args:
        success: 0 to 1 for each task, in the data's order.
        steps: that each task took, those of failures included; at least 1 each.
        budget: most steps of one task.

    Returns:
        0 to 1; None without tasks.

    Raises:
        ValueError: the lengths differ, or a number is out of its range.
    """
    _check(success, steps, budget)
    if not success:
        return None
    whole = len(success) * budget
    used = np.minimum(np.cumsum([0, *steps]), whole) / whole
    recall = np.cumsum([0.0, *success]) / len(success)
    grid = np.arange(_GRID + 1) / _GRID
    return float(np.mean(np.interp(grid, used, recall)))


def order_averaged_eqa(success: Sequence[float], steps: Sequence[int], budget: int) -> float | None:
    """The EQA's expectation over all orders of the tasks, which are equally likely.

    Not drawn but computed. In a random order a task begins after each other task with the
    same probability q, independently, where q is uniform; so the distribution of the steps
    before it is an integral over q of a polynomial, which Gauss-Legendre quadrature gives
    exactly, and the sum of independent steps is a product of generating functions.

    A task's steps beyond its own budget are left out.

    Raises:
        ValueError: as `efficiency_quality_area`.
    """
    _check(success, steps, budget)
    if not success:
        return None
    count, clipped = len(success), np.minimum(steps, budget)
    total = int(clipped.sum())
    recall = _expected_recall(np.asarray(success, dtype=float), clipped, total)
    at = np.minimum(np.arange(_GRID + 1) / _GRID * count * budget, total)
    return float(np.mean(np.interp(at, np.arange(total + 1), recall)))


def within_budget(
    success: Sequence[float], steps: Sequence[int], budget: int
) -> tuple[list[float], list[int]]:
    """A run seen as if its budget had been smaller: later successes are none, steps are cut.

    A real run with the smaller budget may differ: an agent that knows its budget acts on it.
    """
    kept = [s if t <= budget else 0.0 for s, t in zip(success, steps, strict=True)]
    return kept, [min(t, budget) for t in steps]


def _expected_recall(
    success: NDArray[np.float64], steps: NDArray[np.int_], total: int
) -> NDArray[np.float64]:
    """Expected recall after 0, 1, …, ``total`` steps."""
    lengths, group = np.unique(steps, return_inverse=True)
    copies = np.bincount(group)
    gained = np.bincount(group, weights=success)
    size = 1 << int(total + lengths[-1]).bit_length()
    root = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    powers = [root**length for length in lengths]
    # A task that begins after s steps has run for 1, …, t of its t steps at s + 1, …, s + t.
    ramps = [_ramp(root, int(t)) * g / t for t, g in zip(lengths, gained, strict=True)]
    nodes, weights = np.polynomial.legendre.leggauss(min(len(steps) // 2 + 1, _MOST_NODES))
    spectrum = np.zeros(len(root), dtype=complex)
    for node, weight in zip(nodes, weights, strict=True):
        q = (node + 1) / 2
        factors = [1 - q + q * power for power in powers]
        wholes = [f**n for f, n in zip(factors, copies, strict=True)]
        for kind, others in enumerate(_products_without_each(wholes)):
            own = factors[kind] ** (copies[kind] - 1)
            spectrum += weight / 2 * others * own * ramps[kind]
    gains = np.fft.irfft(spectrum, size)[: total + 1]
    recall: NDArray[np.float64] = np.cumsum(gains) / len(success)
    return recall


def _ramp(root: NDArray[np.complex128], length: int) -> NDArray[np.complex128]:
    """The sum of the first ``length`` powers of each root."""
    total = np.zeros_like(root)
    for _ in range(length):
        total = (total + 1) * root
    return total


def _products_without_each(
    factors: list[NDArray[np.complex128]],
) -> list[NDArray[np.complex128]]:
    """For each factor the product of all others; without division, for a factor may be 0."""
    before = [np.ones_like(factors[0])]
    for factor in factors[:-1]:
        before.append(before[-1] * factor)
    after = np.ones_like(factors[0])
    products = []
    for left, factor in zip(reversed(before), reversed(factors), strict=True):
        products.append(left * after)
        after = after * factor
    return products[::-1]


def _check(success: Sequence[float], steps: Sequence[int], budget: int) -> None:
    _check_success(success)
    if len(success) != len(steps):
        raise ValueError(f"{len(success)} successes for {len(steps)} numbers of steps")
    if any(number < 1 for number in steps):
        raise ValueError("a task takes at least one step")
    if budget < 1:
        raise ValueError(f"a budget of {budget} steps: expected at least 1")


def _check_success(success: Sequence[float]) -> None:
    for value in success:
        if not 0 <= value <= 1:
            raise ValueError(f"success {value} is not between 0 and 1")
