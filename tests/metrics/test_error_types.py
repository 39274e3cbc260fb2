"""Labels of predicted and true elements: one each, and they add up."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import compute_iou, evaluate_sample
from screenmark.metrics.error_types import PREDICTION_LABELS, TRUTH_LABELS

from .strategies import pages, thresholds

Element = dict[str, Any]


def element(box: list[float], description: str = "same") -> Element:
    return {"coordinates": box, "description": description}


CASES: dict[str, tuple[list[Element], list[Element], list[str], list[str]]] = {
    "matched": ([element([0, 0, 10, 10])], [element([0, 0, 10, 9])], ["matched"], ["matched"]),
    "misdescribed": (
        [element([0, 0, 10, 10], "xyz")],
        [element([0, 0, 10, 10], "abc")],
        ["misdescribed"],
        ["misdescribed"],
    ),
    "half_alike_is_alike": (
        [element([0, 0, 10, 10], "abxy")],
        [element([0, 0, 10, 10], "abcd")],
        ["matched"],
        ["matched"],
    ),
    "duplicate": (
        [element([0, 0, 10, 10]), element([0, 0, 10, 10])],
        [element([0, 0, 10, 10])],
        ["matched", "duplicate"],
        ["matched"],
    ),
    "mislocated": (
        [element([0, 0, 10, 10])],
        [element([0, 0, 10, 30])],
        ["mislocated"],
        ["mislocated"],
    ),
    "exactly_at_the_threshold_is_mislocated": (
        [element([0, 0, 10, 10])],
        [element([0, 0, 10, 20])],
        ["mislocated"],
        ["mislocated"],
    ),
    "exactly_a_tenth_is_mislocated": (
        [element([0, 0, 10, 10])],
        [element([0, 0, 10, 100])],
        ["mislocated"],
        ["mislocated"],
    ),
    "fabricated": (
        [element([0, 0, 10, 10])],
        [element([0, 0, 10, 101])],
        ["fabricated"],
        ["missed"],
    ),
    "mislocated_beside_a_taken_element_claims_nothing": (
        [element([0, 0, 10, 10]), element([0, 0, 10, 30])],
        [element([0, 0, 10, 10]), element([50, 0, 60, 10])],
        ["matched", "mislocated"],
        ["matched", "missed"],
    ),
    "one_loose_box_claims_one_element": (
        [element([0, 0, 10, 40])],
        [element([0, 0, 10, 12]), element([0, 12, 10, 28])],
        ["mislocated"],
        ["missed", "mislocated"],
    ),
    "two_loose_boxes_claim_two": (
        [element([0, 0, 10, 40]), element([0, 0, 10, 41])],
        [element([0, 0, 10, 12]), element([0, 12, 10, 28])],
        ["mislocated", "mislocated"],
        ["mislocated", "mislocated"],
    ),
    "nothing": ([], [], [], []),
}


@pytest.mark.parametrize(
    ("predicted", "true", "prediction_labels", "truth_labels"), CASES.values(), ids=list(CASES)
)
def test_labels(
    predicted: list[Element],
    true: list[Element],
    prediction_labels: list[str],
    truth_labels: list[str],
) -> None:
    result = evaluate_sample(predicted, true)
    assert result["prediction_labels"] == prediction_labels
    assert result["truth_labels"] == truth_labels


@given(pages, pages, thresholds, st.sampled_from(["greedy", "optimal"]))
def test_labels_follow_their_definition_and_add_up(
    predicted: list[Element],
    true: list[Element],
    threshold: float,
    matching: Literal["greedy", "optimal"],
) -> None:
    result = evaluate_sample(predicted, true, threshold, matching=matching)
    of_predictions, of_truths = result["prediction_errors"], result["truth_errors"]
    assert tuple(of_predictions) == PREDICTION_LABELS
    assert tuple(of_truths) == TRUTH_LABELS
    assert sum(of_predictions.values()) == len(predicted)
    assert sum(of_truths.values()) == len(true)
    for counts in (of_predictions, of_truths):
        assert counts["matched"] + counts["misdescribed"] == result["tp"]
    assert of_predictions["mislocated"] >= of_truths["mislocated"]
    for pair in result["matches"]:
        expected = "matched" if pair["description_similarity"] >= 0.5 else "misdescribed"
        assert result["prediction_labels"][pair["prediction"]] == expected
        assert result["truth_labels"][pair["truth"]] == expected
    _check_unmatched(result, predicted, true, threshold)


def _check_unmatched(
    result: dict[str, Any], predicted: list[Element], true: list[Element], threshold: float
) -> None:
    for element, label in zip(predicted, result["prediction_labels"], strict=True):
        if label not in {"matched", "misdescribed"}:
            best = max(
                (compute_iou(element["coordinates"], other["coordinates"]) for other in true),
                default=0.0,
            )
            expected = "duplicate" if best > threshold else "mislocated"
            assert label == (expected if best > threshold or best >= 0.1 else "fabricated")
