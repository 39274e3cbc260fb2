"""Classification metrics against a plain loop over classes, and against figures by hand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import accuracy, classification_report, confusion_matrix, macro_f1

PAIRS = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcdefg")), min_size=1)


def plain(predictions: Sequence[Any], gold: Sequence[Any]) -> tuple[float, float]:
    """Accuracy and macro-F1, class by class."""
    pairs = list(zip(predictions, gold, strict=True))
    values = []
    for name in sorted({*predictions, *gold}):
        tp = sum(p == name and g == name for p, g in pairs)
        fp = sum(p == name and g != name for p, g in pairs)
        fn = sum(p != name and g == name for p, g in pairs)
        precision = tp / (tp + fp) if tp + fp else 0
        recall = tp / (tp + fn) if tp + fn else 0
        both = precision + recall
        values.append(2 * precision * recall / both if both else 0)
    return sum(p == g for p, g in pairs) / len(pairs), sum(values) / len(values)


@given(PAIRS)
def test_equals_the_loop_to_the_bit(pairs: list[tuple[str, str]]) -> None:
    predictions, gold = [p for p, _ in pairs], [g for _, g in pairs]
    assert (accuracy(predictions, gold), macro_f1(predictions, gold)) == plain(predictions, gold)


def test_known_figures() -> None:
    # F1 by hand: class 0 is 2 * 2/3 * 1 / (2/3 + 1) = 0.8, classes 1 and 2 are never right.
    report = classification_report([0, 2, 1, 0, 0, 1], [0, 1, 2, 0, 1, 2])
    assert report.accuracy == pytest.approx(1 / 3, abs=1e-12)
    assert report.macro_f1 == pytest.approx(0.8 / 3, abs=1e-12)
    assert report.micro_f1 == pytest.approx(1 / 3, abs=1e-12)
    assert report.weighted_f1 == pytest.approx(0.8 / 3, abs=1e-12)
    assert [c.label for c in report.classes] == [0, 1, 2]
    assert report.classes[0][1:] == pytest.approx((2 / 3, 1.0, 0.8, 2, 3))


def test_averages_differ_where_classes_differ_in_size() -> None:
    report = classification_report(list("aaab") + ["a"] * 6, list("aabb") + ["a"] * 6)
    (a, b) = report.classes
    assert (a.f1, b.f1) == pytest.approx((16 / 17, 2 / 3))
    assert report.macro_f1 == pytest.approx((a.f1 + b.f1) / 2)
    assert report.weighted_f1 == pytest.approx((8 * a.f1 + 2 * b.f1) / 10)
    assert report.micro_f1 == pytest.approx(0.9)


def test_class_that_is_only_predicted_counts_in_the_macro_average() -> None:
    assert macro_f1(["a", "ghost"], ["a", "a"]) == pytest.approx((2 / 3) / 2)


def test_missing_prediction_misses_its_truth_and_is_no_class() -> None:
    report = classification_report(["a", None, "b"], ["a", "a", "b"])
    assert report.accuracy == pytest.approx(2 / 3)
    assert [(c.label, c.recall, c.precision) for c in report.classes] == [
        ("a", 0.5, 1.0),
        ("b", 1.0, 1.0),
    ]
    assert report.micro_f1 == pytest.approx(2 * 1 * (2 / 3) / (1 + 2 / 3))
    assert confusion_matrix(["a", None, "b"], ["a", "a", "b"])[1].tolist() == [[1, 0], [0, 1]]


@given(PAIRS)
def test_confusion_matrix_counts_every_pair(pairs: list[tuple[str, str]]) -> None:
    predictions, gold = [p for p, _ in pairs], [g for _, g in pairs]
    names, cells = confusion_matrix(predictions, gold)
    expected = [[pairs.count((str(p), str(g))) for p in names] for g in names]
    assert cells.tolist() == expected


@pytest.mark.parametrize(
    ("predictions", "gold", "said"),
    [
        pytest.param([], [], "no samples", id="nothing"),
        pytest.param(["a"], ["a", "b"], "1 predictions for 2 samples", id="lengths"),
        pytest.param(["a"], [None], "a true label is None", id="no truth"),
        pytest.param(np.zeros((2, 2)), np.zeros((2, 2)), "shape", id="two-dimensional"),
    ],
)
def test_refuses(predictions: Any, gold: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        classification_report(predictions, gold)


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(["b", 1, ("c",)], id="labels without an order"),
        pytest.param(np.array([3, 1, 2]), id="array"),
        pytest.param(np.array(["x", "y", "x"]), id="array of text"),
    ],
)
def test_any_labels(labels: Sequence[Hashable]) -> None:
    assert (accuracy(labels, labels), macro_f1(labels, labels)) == (1.0, 1.0)


def test_too_many_classes_for_a_matrix() -> None:
    many = range(10_001)
    with pytest.raises(ValueError, match="at most 10000"):
        confusion_matrix(many, many)
