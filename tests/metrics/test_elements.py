"""Page parsing metrics: the definition's own cases."""

from __future__ import annotations

from typing import Any

import pytest

from screenmark.metrics import evaluate_dataset, evaluate_sample


def element(box: list[float], description: str = "") -> dict[str, Any]:
    return {"type": "button", "index": 0, "description": description, "coordinates": box}


SAMPLES = {
    "perfect": ([element([0, 0, 9, 9], "ok")], [element([0, 0, 9, 9], "ok")], (1, 0, 0, 1.0)),
    "nothing_to_nothing": ([], [], (0, 0, 0, None)),
    "nothing_predicted": ([], [element([0, 0, 9, 9])], (0, 0, 1, None)),
    "nothing_there": ([element([0, 0, 9, 9])], [], (0, 1, 0, None)),
    "iou_of_exactly_half_is_no_match": (
        [element([0, 0, 10, 10])],
        [element([0, 0, 10, 20])],
        (0, 1, 1, None),
    ),
    "described_otherwise": (
        [element([0, 0, 10, 10], "abcd")],
        [element([0, 0, 10, 11], "bcde")],
        (1, 0, 0, 0.75),
    ),
}


@pytest.mark.parametrize(("predicted", "true", "expected"), SAMPLES.values(), ids=list(SAMPLES))
def test_sample_counts(
    predicted: list[dict[str, Any]], true: list[dict[str, Any]], expected: tuple[Any, ...]
) -> None:
    result = evaluate_sample(predicted, true)
    keys = ("tp", "fp", "fn", "avg_description_similarity")
    assert tuple(result[key] for key in keys) == expected


def test_dataset_is_aligned_by_path_and_a_missing_prediction_misses_everything() -> None:
    truth = [
        {"image_path": "a.png", "elements": [element([0, 0, 9, 9], "x")]},
        {"image_path": "b.png", "elements": [element([0, 0, 9, 9]), element([20, 0, 29, 9])]},
    ]
    predictions = [
        {"image_path": "z.png", "elements": [element([0, 0, 1, 1])]},
        {"image_path": "a.png", "elements": [element([0, 0, 9, 9], "x")]},
    ]
    result = evaluate_dataset(predictions, truth)
    assert (result["total_tp"], result["total_fp"], result["total_fn"]) == (1, 0, 2)
    assert [row["image_path"] for row in result["per_sample"]] == ["a.png", "b.png"]
    assert result["unknown_predictions"] == ["z.png"]
