"""Page parsing metrics: the definition's own cases, the oracle, bad input."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.errors import DataError
from screenmark.metrics import evaluate_dataset, evaluate_sample, summarise_samples

from .strategies import pages, thresholds

Element = dict[str, Any]
Item = dict[str, Any]


def element(box: Any, description: Any = "") -> Element:
    return {"type": "button", "index": 0, "description": description, "coordinates": box}


def item(path: str, *elements: Element) -> Item:
    return {"image_path": path, "elements": list(elements)}


BOX = [0, 0, 10, 10]

SAMPLES: dict[str, tuple[list[Element], list[Element], dict[str, Any]]] = {
    "perfect": (
        [element(BOX, "ok")],
        [element(BOX, "ok")],
        {"precision": 1.0, "recall": 1.0, "f1": 1.0, "tp": 1, "fp": 0, "fn": 0},
    ),
    "nothing_to_nothing": (
        [],
        [],
        {"precision": None, "recall": None, "f1": None, "f1_50_95": None, "tp": 0},
    ),
    "nothing_predicted": (
        [],
        [element(BOX)],
        {"precision": None, "recall": 0.0, "f1": 0.0, "f1_50_95": 0.0, "fn": 1},
    ),
    "nothing_there": ([element(BOX)], [], {"precision": 0.0, "recall": None, "f1": 0.0, "fp": 1}),
    "no_pair_has_no_similarity": (
        [element(BOX, "x")],
        [element([20, 20, 30, 30], "x")],
        {"tp": 0, "avg_description_similarity": None, "matches": []},
    ),
    "iou_of_exactly_half_is_no_match": (
        [element(BOX)],
        [element([0, 0, 10, 20])],
        {"tp": 0, "fp": 1, "fn": 1},
    ),
    "described_otherwise": (
        [element(BOX, "abcd")],
        [element(BOX, "bcde")],
        {"tp": 1, "avg_description_similarity": 0.75},
    ),
    "prediction_is_the_first_sequence": (
        [element(BOX, "tide")],
        [element(BOX, "diet")],
        {"avg_description_similarity": 0.25},
    ),
    "no_description_is_an_empty_one": (
        [{"coordinates": BOX}],
        [element(BOX, None)],
        {"tp": 1, "avg_description_similarity": 1.0},
    ),
    "two_of_three": (
        [element(BOX), element([20, 0, 30, 10]), element([90, 90, 99, 99])],
        [element(BOX), element([20, 0, 30, 10])],
        {"precision": 2 / 3, "recall": 1.0, "f1": 0.8},
    ),
    "f1_over_thresholds": (
        [element([0, 0, 10, 10])],
        [element([0, 0, 10, 8])],
        {"tp_by_iou": [1, 1, 1, 1, 1, 1, 0, 0, 0, 0], "f1_50_95": 0.6},
    ),
    "matches": (
        [element([50, 50, 60, 60]), element([0, 0, 10, 9], "ab")],
        [element(BOX, "ab")],
        {"matches": [{"prediction": 1, "truth": 0, "iou": 0.9, "description_similarity": 1.0}]},
    ),
}


@pytest.mark.parametrize(("predicted", "true", "expected"), SAMPLES.values(), ids=list(SAMPLES))
def test_sample(predicted: list[Element], true: list[Element], expected: dict[str, Any]) -> None:
    result = evaluate_sample(predicted, true)
    assert {key: result[key] for key in expected} == expected


def test_x_y_width_height_read_as_corners_scores_worse() -> None:
    corners = [[10, 10, 60, 40], [100, 100, 180, 130], [5, 60, 45, 90]]
    as_sizes = [[x1, y1, x1 + x2, y1 + y2] for x1, y1, x2, y2 in corners]
    true = [element(box) for box in corners]
    assert evaluate_sample(true, true)["f1"] == 1.0
    assert evaluate_sample([element(box) for box in as_sizes], true)["f1"] < 0.5


def test_a_sample_is_strict_json() -> None:
    result = evaluate_sample([element(BOX, "中")], [element([0, 0, 10, 9.5], "中文"), element(BOX)])
    text = json.dumps(result, allow_nan=False)
    assert json.loads(text) == result


items = st.lists(st.tuples(pages, pages, st.booleans(), st.booleans()), max_size=5)


def both_sides(
    drawn: list[tuple[list[Element], list[Element], bool, bool]],
) -> tuple[list[Item], list[Item]]:
    predictions, truth = [], []
    for number, (predicted, true, has_prediction, has_truth) in enumerate(drawn):
        if has_prediction:
            predictions.append(item(f"{number}.png", *predicted))
        if has_truth:
            truth.append(item(f"{number}.png", *true))
    return predictions, truth


@given(pages, pages, thresholds)
def test_sample_is_the_oracles(
    oracle: ModuleType, predicted: list[Element], true: list[Element], threshold: float
) -> None:
    expected = oracle.evaluate_sample(predicted, true, threshold)
    result = evaluate_sample(predicted, true, threshold)
    assert {key: result[key] for key in expected} == expected


@given(items, thresholds, st.booleans())
def test_dataset_is_the_oracles(
    oracle: ModuleType,
    drawn: list[tuple[list[Element], list[Element], bool, bool]],
    threshold: float,
    reverse: bool,
) -> None:
    predictions, truth = both_sides(drawn)
    if reverse:
        predictions.reverse()
    expected = oracle.evaluate_dataset(predictions, truth, threshold)
    result = evaluate_dataset(predictions, truth, threshold)
    assert {key: result[key] for key in expected} == expected


@pytest.mark.parametrize("matching", ["greedy", "optimal"])
@given(drawn=items)
def test_dataset_is_the_sum_of_its_samples(
    matching: Literal["greedy", "optimal"],
    drawn: list[tuple[list[Element], list[Element], bool, bool]],
) -> None:
    predictions, truth = both_sides(drawn)
    by_path = {entry["image_path"]: entry["elements"] for entry in predictions}
    samples = [
        {
            "image_path": entry["image_path"],
            **evaluate_sample(
                by_path.get(entry["image_path"], []), entry["elements"], matching=matching
            ),
        }
        for entry in truth
    ]
    result = evaluate_dataset(predictions, truth, matching=matching)
    unknown = result.pop("unknown_predictions")
    assert result == summarise_samples(samples)
    assert unknown == [p for p in by_path if p not in {entry["image_path"] for entry in truth}]


def test_many_pages_are_the_oracles(oracle: ModuleType) -> None:
    words = [
        "search",
        "Search",
        "settings",
        "sign",
        "in",
        "out",
        "account",
        "order",
        "orders",
        "支付宝",
        "首页",
    ]
    predictions, truth = [], []
    for page in range(300):
        true = [
            element([40 * k, 0, 40 * k + 30, 20], " ".join(words[k % 7 : (k * page) % 11]))
            for k in range(6)
        ]
        predicted = [
            element([x1 + page % 5, y1, x2, y2 + k % 3], text[k % 2 :] + "s" * (page % 3))
            for k, (x1, y1, x2, y2, text) in enumerate(
                (*entry["coordinates"], entry["description"]) for entry in true
            )
        ]
        predictions.append(item(f"{page}", *predicted))
        truth.append(item(f"{page}", *true))
    expected = oracle.evaluate_dataset(predictions, truth)
    result = evaluate_dataset(predictions, truth)
    assert {key: result[key] for key in expected} == expected
    assert result["total_tp"] == 1800
    assert 0.5 < result["avg_description_similarity"] < 1


def test_dataset_is_aligned_by_path_and_a_missing_prediction_misses_everything() -> None:
    truth = [
        item("a.png", element(BOX, "x")),
        item("b.png", element(BOX), element([20, 0, 29, 9])),
    ]
    predictions = [item("z.png", element([0, 0, 1, 1])), item("a.png", element(BOX, "x"))]
    result = evaluate_dataset(predictions, truth)
    assert (result["total_tp"], result["total_fp"], result["total_fn"]) == (1, 0, 2)
    assert [row["image_path"] for row in result["per_sample"]] == ["a.png", "b.png"]
    assert result["per_sample"][1]["recall"] == 0.0
    assert result["truth_errors"]["missed"] == 2
    assert result["unknown_predictions"] == ["z.png"]


def test_both_means_of_similarity() -> None:
    truth = [
        item("a", element(BOX, "abcd"), element([20, 0, 30, 10], "abcd")),
        item("b", element(BOX, "abcd")),
        item("c", element(BOX, "abcd")),
    ]
    predictions = [
        item("a", element(BOX, "abcd"), element([20, 0, 30, 10], "abcd")),
        item("b", element(BOX, "abxy")),
    ]
    result = evaluate_dataset(predictions, truth)
    assert result["avg_description_similarity"] == 2.5 / 3
    assert result["mean_sample_description_similarity"] == 0.75


def test_f1_over_thresholds_is_that_of_the_totals() -> None:
    truth = [item("a", element(BOX)), item("b", element(BOX))]
    predictions = [item("a", element(BOX)), item("b", element([0, 0, 10, 7.2]))]
    result = evaluate_dataset(predictions, truth)
    assert [row["f1"] for row in result["f1_by_iou"]] == [1.0] * 5 + [0.5] * 5
    assert [row["iou_threshold"] for row in result["f1_by_iou"]][:2] == [0.5, 0.55]
    assert result["f1_50_95"] == 0.75


def test_dataset_of_nothing() -> None:
    result = evaluate_dataset([], [])
    assert result["num_samples"] == 0
    assert result["per_sample"] == []
    ratios = ["overall_precision", "overall_recall", "overall_f1", "f1_50_95"]
    similarities = ["avg_description_similarity", "mean_sample_description_similarity"]
    assert [result[key] for key in ratios + similarities] == [None] * 6


def test_generators_in_the_same_order_are_read_side_by_side() -> None:
    produced: list[str] = []

    def side(name: str) -> Iterator[Item]:
        for number in range(1000):
            produced.append(name)
            yield item(str(number), element(BOX))

    result = evaluate_dataset(side("p"), side("t"))
    assert result["total_tp"] == 1000
    assert produced == ["t", "p"] * 1000


@pytest.mark.parametrize("side", ["prediction", "ground truth"])
@pytest.mark.parametrize("gap", [0, 3])
def test_a_path_that_comes_twice_is_an_error(side: str, gap: int) -> None:
    between = [item(f"{k}.png") for k in range(gap)]
    twice = [item("a.png"), *between, item("a.png")]
    once = [item("a.png")]
    with pytest.raises(DataError, match=f"second {side}") as caught:
        evaluate_dataset(*((twice, once) if side == "prediction" else (once, twice)))
    assert caught.value.sample == "a.png"


BAD_ELEMENTS: dict[str, tuple[Any, str, str]] = {
    "nan": (element([0, 0, math.nan, 1]), ".coordinates[2]", "finite"),
    "infinity": (element([0, 0, 1, math.inf]), ".coordinates[3]", "finite"),
    "right_before_left": (element([5, 0, 4, 1]), ".coordinates[2]", "x2 must not be less"),
    "bottom_above_top": (element([0, 5, 1, 4]), ".coordinates[3]", "y2 must not be less"),
    "text": (element(["0", 0, 1, 1]), ".coordinates[0]", "x1 must be a number"),
    "three_numbers": (element([0, 0, 1]), ".coordinates", "four numbers"),
    "no_coordinates": ({"description": "x"}, ".coordinates", "missing"),
    "null_coordinates": (element(None), ".coordinates", "four numbers"),
    "number_as_description": (element(BOX, 7), ".description", "expected text, got int"),
    "not_an_object": ([0, 0, 1, 1], "", "expected an object, got list"),
    "null": (None, "", "expected an object, got NoneType"),
}


@pytest.mark.parametrize("side", ["prediction", "ground truth"])
@pytest.mark.parametrize(("bad", "field", "message"), BAD_ELEMENTS.values(), ids=list(BAD_ELEMENTS))
def test_a_bad_element_is_located(side: str, bad: Any, field: str, message: str) -> None:
    good = [item("a.png", element(BOX)), item("b 中*.png", element(BOX))]
    worse = [item("a.png", element(BOX)), item("b 中*.png", element(BOX), bad, bad)]
    with pytest.raises(DataError, match=message) as caught:
        evaluate_dataset(*((worse, good) if side == "prediction" else (good, worse)))
    assert caught.value.sample == "b 中*.png"
    assert caught.value.field == f"elements[1]{field}"
    assert side in str(caught.value)


BAD_ITEMS: dict[str, tuple[Any, str]] = {
    "not_an_object": ("a.png", "image_path"),
    "no_path": ({"elements": []}, "image_path"),
    "path_is_a_number": ({"image_path": 3, "elements": []}, "image_path"),
    "no_elements": ({"image_path": "a"}, "elements"),
    "elements_null": ({"image_path": "a", "elements": None}, "elements"),
    "elements_text": ({"image_path": "a", "elements": "[]"}, "elements"),
}


@pytest.mark.parametrize(("bad", "field"), BAD_ITEMS.values(), ids=list(BAD_ITEMS))
def test_a_bad_item_is_located(bad: Any, field: str) -> None:
    with pytest.raises(DataError) as caught:
        evaluate_dataset([], [bad])
    assert caught.value.field == field
    with pytest.raises(DataError) as caught:
        evaluate_dataset([bad], [item("a")])
    assert caught.value.field == field


def test_bad_options_are_named_before_any_data_is_read() -> None:
    def exploding() -> Iterator[Item]:
        raise AssertionError("data was read")
        yield

    with pytest.raises(ValueError, match="iou_threshold"):
        evaluate_dataset(exploding(), exploding(), 50)
    with pytest.raises(ValueError, match="matching"):
        evaluate_sample([], [], matching="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("box", [[0, 0, 10, 10], (0.0, 0.0, 10.0, 10.0), [0, 0.0, 10, 10.0]])
def test_numbers_of_any_kind_give_the_same_result(box: Any) -> None:
    true = [element([0, 0, 10, 9]), element([1.5, 0, 10, 10])]
    assert evaluate_sample([element(box)], true) == evaluate_sample([element(BOX)], true)


def test_absurdly_large_boxes_from_a_model_are_scored() -> None:
    result = evaluate_sample([element([0, 0, 10**400, 1e308])], [element(BOX)])
    assert (result["fp"], result["fn"]) == (1, 1)
