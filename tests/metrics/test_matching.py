"""One-to-one matching, greedy and optimal."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import compute_iou, match_boxes
from screenmark.metrics.matching import IOU_STEPS, count_matches, match_pairs

from .strategies import boxes, thresholds

Boxes = list[list[float]]

GREEDY = {
    "closest_first": (
        [[0, 0, 10, 10], [0, 0, 10, 9]],
        [[0, 0, 10, 9]],
        [(1, 0)],
    ),
    "tie_goes_to_the_first_prediction": (
        [[0, 0, 10, 10], [0, 0, 10, 10]],
        [[0, 0, 10, 10]],
        [(0, 0)],
    ),
    "tie_goes_to_the_first_truth": (
        [[0, 0, 10, 10]],
        [[0, 0, 10, 10], [0, 0, 10, 10]],
        [(0, 0)],
    ),
    "twins_pair_up_in_order": (
        [[0, 0, 10, 10], [0, 0, 10, 10]],
        [[0, 0, 10, 10], [0, 0, 10, 10]],
        [(0, 0), (1, 1)],
    ),
    "half_is_not_more_than_half": ([[0, 0, 10, 10]], [[0, 0, 10, 20]], []),
    "nothing": ([], [], []),
}


@pytest.mark.parametrize(("predicted", "true", "expected"), GREEDY.values(), ids=list(GREEDY))
def test_greedy(predicted: Boxes, true: Boxes, expected: list[tuple[int, int]]) -> None:
    assert [pair[:2] for pair in match_boxes(predicted, true)] == expected


def test_optimal_finds_the_pair_that_greedy_gives_away() -> None:
    predicted = [[0, 0, 10, 10], [0, 0, 10, 16]]
    true = [[0, 0, 10, 12], [0, 0, 10, 7]]
    assert [pair[:2] for pair in match_boxes(predicted, true)] == [(0, 0)]
    assert [pair[:2] for pair in match_boxes(predicted, true, matching="optimal")] == [
        (1, 0),
        (0, 1),
    ]


BAD_OPTIONS = {
    "negative": (-0.1, "greedy", "iou_threshold"),
    "above_one": (1.1, "greedy", "iou_threshold"),
    "nan": (math.nan, "greedy", "iou_threshold"),
    "unknown_matching": (0.5, "hungarian", "matching"),
}


@pytest.mark.parametrize(
    ("threshold", "matching", "named"), BAD_OPTIONS.values(), ids=list(BAD_OPTIONS)
)
def test_bad_options_are_named(threshold: float, matching: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        match_boxes([], [], threshold, matching=matching)  # type: ignore[arg-type]


lists = st.lists(boxes(), max_size=5)


@given(lists, lists, thresholds)
def test_optimal_is_the_best_of_all_assignments(
    predicted: Boxes, true: Boxes, threshold: float
) -> None:
    found = match_boxes(predicted, true, threshold, matching="optimal")
    assert all(iou > threshold for _, _, iou in found)
    assert len({i for i, _, _ in found}) == len({j for _, j, _ in found}) == len(found)
    count, total = _best(predicted, true, threshold)
    assert len(found) == count
    assert sum(iou for _, _, iou in found) == pytest.approx(total, abs=1e-9)
    assert found == match_boxes(predicted, true, threshold, matching="optimal")


def _best(predicted: Boxes, true: Boxes, threshold: float) -> tuple[int, float]:
    """Pairs and sum of IoU of the best assignment, by trying all."""
    if len(predicted) > len(true):
        predicted, true = true, predicted
    iou = [[compute_iou(a, b) for b in true] for a in predicted]
    sums = []
    for columns in itertools.permutations(range(len(true)), len(predicted)):
        chosen = [iou[i][j] for i, j in enumerate(columns) if iou[i][j] > threshold]
        sums.append((len(chosen), sum(chosen)))
    return max(sums)


@given(lists, lists, thresholds)
def test_optimal_never_finds_fewer_pairs_than_greedy(
    predicted: Boxes, true: Boxes, threshold: float
) -> None:
    greedy = match_boxes(predicted, true, threshold)
    optimal = match_boxes(predicted, true, threshold, matching="optimal")
    assert len(greedy) <= len(optimal) <= 2 * len(greedy)


@pytest.mark.parametrize("matching", ["greedy", "optimal"])
@given(predicted=lists, true=lists, threshold=thresholds)
def test_counts_at_every_step_are_those_of_matching_anew(
    matching: str, predicted: Boxes, true: Boxes, threshold: float
) -> None:
    pairs = sorted(
        (
            (i, j, compute_iou(a, b))
            for i, a in enumerate(predicted)
            for j, b in enumerate(true)
            if compute_iou(a, b) > 0
        ),
        key=lambda pair: (-pair[2], pair[0], pair[1]),
    )
    matches = match_pairs(pairs, threshold, matching)  # type: ignore[arg-type]
    counts = count_matches(pairs, matches, threshold, matching)  # type: ignore[arg-type]
    assert counts == [
        len(match_boxes(predicted, true, step, matching=matching))  # type: ignore[arg-type]
        for step in IOU_STEPS
    ]


def test_steps_are_the_decimal_numbers() -> None:
    assert IOU_STEPS == (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
