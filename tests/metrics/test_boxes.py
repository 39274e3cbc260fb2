"""Intersection over union, one pair and all pairs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import compute_iou
from screenmark.metrics.boxes import box_array, find_overlaps

from .strategies import boxes

IOU = {
    "the_same": ([0, 0, 10, 10], [0, 0, 10, 10], 1.0),
    "quarter_overlap": ([0, 0, 10, 10], [5, 5, 15, 15], 25 / 175),
    "half": ([0, 0, 10, 10], [0, 0, 10, 20], 0.5),
    "inside": ([0, 0, 10, 10], [2, 2, 4, 4], 0.04),
    "apart": ([0, 0, 1, 1], [5, 5, 6, 6], 0.0),
    "touching": ([0, 0, 5, 5], [5, 0, 10, 5], 0.0),
    "both_without_area": ([1, 1, 1, 1], [1, 1, 1, 1], 0.0),
    "one_without_area": ([0, 0, 10, 10], [5, 0, 5, 10], 0.0),
    "negative": ([-10, -10, 0, 0], [-5, -10, 0, 0], 0.5),
    "floats": ([0.0, 0.0, 1.0, 0.5], (0, 0, 1, 1), 0.5),
    "numpy": (np.array([0, 0, 2, 2]), np.array([0, 0, 2, 1.0]), 0.5),
    "huge": ([0, 0, 1e308, 1e308], [0, 0, 1e308, 1e308], 1.0),
    "beyond_double": ([0, 0, 10**400, 1], [-(10**400), 0, 0, 1], 0.0),
    "tiny": ([0, 0, 1e-300, 1e-300], [0, 0, 1e-300, 1e-300], 0.0),
}


@pytest.mark.parametrize(("a", "b", "expected"), IOU.values(), ids=list(IOU))
def test_iou(a: Any, b: Any, expected: float) -> None:
    assert compute_iou(a, b) == expected
    assert compute_iou(b, a) == expected


BAD_BOXES = {
    "three_numbers": ([0, 0, 1], "got 3 values"),
    "five_numbers": ([0, 0, 1, 1, 1], "got 5 values"),
    "text": ("0011", "expected four numbers"),
    "none": (None, "expected four numbers"),
    "mapping": ({"x1": 0}, "expected four numbers"),
    "text_inside": ([0, "1", 2, 2], "y1 must be a number, got '1'"),
    "true": ([0, 0, True, 2], "x2 must be a number, got True"),
    "nan": ([0, 0, 1, float("nan")], "y2 must be finite"),
    "infinity": ([float("-inf"), 0, 1, 1], "x1 must be finite"),
    "right_before_left": ([5, 0, 4, 1], "x2 must not be less than x1"),
    "bottom_above_top": ([0, 5, 1, 4], "y2 must not be less than y1"),
    "nested": ([[0, 0], [1, 1], 2, 3], "x1 must be a number"),
}


@pytest.mark.parametrize(("box", "message"), BAD_BOXES.values(), ids=list(BAD_BOXES))
def test_what_is_no_box_is_named(box: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compute_iou(box, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=message):
        compute_iou([0, 0, 1, 1], box)
    with pytest.raises(ValueError, match=message):
        box_array([[0, 0, 1, 1], box])


def test_a_long_value_is_cut_in_the_message() -> None:
    box: Any = "x" * 10_000
    with pytest.raises(ValueError, match=r"\.\.\.") as caught:
        compute_iou(box, [0, 0, 1, 1])
    assert len(str(caught.value)) < 200


box_lists = st.lists(boxes(), max_size=6)


@given(st.lists(st.tuples(box_lists, box_lists), min_size=1, max_size=3))
def test_all_pairs_have_the_bits_of_one_pair(
    pages: list[tuple[list[list[float]], list[list[float]]]],
) -> None:
    everything = [box for page in pages for side in page for box in side]
    counts = [(len(predicted), len(true)) for predicted, true in pages]
    overlaps = find_overlaps(box_array(everything), counts)
    *keys, iou = (column.tolist() for column in overlaps)
    order = list(zip(*keys, strict=True))
    assert order == sorted(set(order))
    found = dict(zip(order, iou, strict=True))
    for page, (predicted, true) in enumerate(pages):
        for i, a in enumerate(predicted):
            for j, b in enumerate(true):
                assert found.pop((page, i, j), 0.0) == compute_iou(a, b)
    assert not found


_numbers = st.floats(-3000, 3000) | st.integers(-3000, 3000)


@given(st.lists(_numbers, min_size=8, max_size=8))
def test_iou_of_any_floats_is_that_of_the_plain_formula(
    oracle: ModuleType, numbers: list[float]
) -> None:
    a, b = (
        [*map(min, pair[:2], pair[2:]), *map(max, pair[:2], pair[2:])]
        for pair in (numbers[:4], numbers[4:])
    )
    iou = compute_iou(a, b)
    assert iou == oracle.compute_iou(a, b)
    assert 0 <= iou <= 1
    overlaps = find_overlaps(box_array([a, b]), [(1, 1)])
    assert (overlaps.iou.tolist() or [0.0]) == [iou]


def test_ints_and_floats_are_the_same_boxes() -> None:
    as_ints, as_floats = [[1, 2, 30, 40], [5, 6, 70, 80]], [[1.0, 2, 30.0, 40], (5, 6.0, 70, 80)]
    assert (box_array(as_ints) == box_array(as_floats)).all()
    assert box_array(as_ints).shape == (4, 2)
    assert box_array([]).shape == (4, 0)
