import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers.fields import (
    BOX_KEYS,
    DESCRIPTION_KEYS,
    TYPE_KEYS,
    FieldError,
    read_box,
    read_index,
    read_number,
    read_word,
    shorten,
)
from screenmark.types import Json

GOOD_BOXES: dict[str, Json] = {
    "flat": [1, 2, 3, 4],
    "two-corners": [[1, 2], [3, 4]],
    "nested-once": [[1, 2, 3, 4]],
    "strings": ["1", "2", "3", "4"],
    "strings-with-unit": ["1px", " 2 px", "3px", "4px"],
    "named": {"x1": 1, "y1": 2, "x2": 3, "y2": 4},
    "named-any-case": {"X1": 1, "Y1": 2, "X2": "3", "Y2": 4},
    "sides": {"left": 1, "top": 2, "right": 3, "bottom": 4},
    "min-max": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4},
    "text-list": "[1, 2, 3, 4]",
    "text-two-corners": "(1,2),(3,4)",
    "text-two-corners-in-list": "[[1, 2], [3, 4]]",
    "text-android": "[1,2][3,4]",
    "text-spaces": "1 2 3 4",
    "text-unit": "1px, 2px, 3px, 4px",
}


@pytest.mark.parametrize("box", GOOD_BOXES.values(), ids=GOOD_BOXES.keys())
def test_box(box: Json) -> None:
    corners = read_box({"coordinates": box})
    assert corners == (1, 2, 3, 4)
    assert all(type(value) is int for value in corners)


def test_box_on_the_element_itself() -> None:
    assert read_box({"x1": 1, "y1": 2.5, "x2": "3", "y2": 4}) == (1, 2.5, 3, 4)


@pytest.mark.parametrize("key", BOX_KEYS)
def test_box_keys(key: str) -> None:
    assert read_box({key: [1, 2, 3, 4], "description": "x"}) == (1, 2, 3, 4)


def test_first_box_key_counts_and_null_is_no_box() -> None:
    assert read_box({"position": "top", "bbox": [1, 2, 3, 4]}) == (1, 2, 3, 4)
    assert read_box({"coordinates": None, "bbox": [1, 2, 3, 4]}) == (1, 2, 3, 4)


BAD_BOXES: dict[str, tuple[Json, str]] = {
    "three": ([1, 2, 3], "bbox has 3 values, not 4"),
    "five": ([1, 2, 3, 4, 5], "bbox has 5 values, not 4"),
    "none-at-all": ([], "bbox has 0 values, not 4"),
    "two-points-of-three": ([[1, 2, 3], [4, 5, 6]], "bbox has 2 values, not 4"),
    "word": ([1, 2, "abc", 4], "bbox[2] is not a number: 'abc'"),
    "null-inside": ([1, None, 3, 4], "bbox[1] is not a number: None"),
    "truth-value": ([True, 2, 3, 4], "bbox[0] is not a number: True"),
    "list-inside": ([1, 2, 3, [4]], "bbox[3] is not a number: a list of 1"),
    "object-inside": ([1, 2, 3, {}], "bbox[3] is not a number: an object"),
    "not-a-number": ([1, 2, math.nan, 4], "bbox[2] is not finite"),
    "infinite": ([1, 2, math.inf, 4], "bbox[2] is not finite"),
    "infinite-text": ([1, 2, "1e999", 4], "bbox[2] is not finite"),
    "runaway": ([1, 2, 99999999, 4], "bbox[2] is beyond any screen: 99999999"),
    "runaway-text": ([1, 2, "9" * 500, 4], f"bbox[2] is not a number: '{'9' * 37}…'"),
    "thousands": ([1, 2, "1,200", 4], "bbox[2] is not a number: '1,200'"),
    "percent-sign": (["1%", 2, 3, 4], "bbox[0] is not a number: '1%'"),
    "full-width-digit": (["１", 2, 3, 4], "bbox[0] is not a number: '１'"),
    "hexadecimal": (["0x10", 2, 3, 4], "bbox[0] is not a number: '0x10'"),
    "swapped-x": ([3, 2, 1, 4], "x2 < x1 in [3, 2, 1, 4]"),
    "swapped-y": ([1, 4, 3, 2], "y2 < y1 in [1, 4, 3, 2]"),
    "no-width": ([1, 2, 1, 4], "x2 = x1 in [1, 2, 1, 4]"),
    "no-height": ([1, 2, 3, 2], "y2 = y1 in [1, 2, 3, 2]"),
    "width-and-height": (
        {"x": 1, "y": 2, "width": 3, "height": 4},
        "bbox has the keys 'x, y, width, height', not x1, y1, x2, y2",
    ),
    "place-word": ("top left", "bbox is not a box: 'top left'"),
    "text-of-three": ("1, 2, 3", "bbox is not a box: '1, 2, 3'"),
    "text-glued": ("1-2-3-4", "bbox is not a box: '1-2-3-4'"),
    "one-number": (7, "bbox is not a box: 7"),
    "truth-value-alone": (False, "bbox is not a box: False"),
}


@pytest.mark.parametrize(("box", "reason"), BAD_BOXES.values(), ids=BAD_BOXES.keys())
def test_bad_box(box: Json, reason: str) -> None:
    with pytest.raises(FieldError, match=f"^{re.escape(reason)}$"):
        read_box({"bbox": box})


def test_no_box() -> None:
    with pytest.raises(FieldError, match="no box under coordinates, bbox, bbox_2d"):
        read_box({"type": "text", "x": 1, "y": 2, "width": 3, "height": 4})


def test_box_2d_is_not_read_because_its_axes_are_not_known() -> None:
    with pytest.raises(FieldError, match="y first"):
        read_box({"box_2d": [1, 2, 3, 4]})


@given(st.integers(-(10**7), 10**7) | st.floats(-1e7, 1e7))
def test_numbers_as_text(number: float) -> None:
    assert read_number(repr(number), "x") == number
    assert read_number(f" {number!r}px ", "x") == number
    assert type(read_number(repr(number), "x")) is type(number)


@pytest.mark.parametrize("key", DESCRIPTION_KEYS)
def test_description_keys(key: str) -> None:
    assert read_word({key: "Save"}, DESCRIPTION_KEYS, "") == "Save"


@pytest.mark.parametrize("key", TYPE_KEYS)
def test_type_keys(key: str) -> None:
    assert read_word({key: "icon"}, TYPE_KEYS, "unknown") == "icon"


def test_words() -> None:
    assert read_word({}, DESCRIPTION_KEYS, "") == ""
    assert read_word({"text": None}, DESCRIPTION_KEYS, "") == ""
    assert read_word({"description": 12}, DESCRIPTION_KEYS, "") == "12"
    assert read_word({"description": "a", "text": "b", "label": "c"}, DESCRIPTION_KEYS, "") == "a"


@pytest.mark.parametrize("value", [[], {}, True, ["a"]], ids=repr)
def test_no_words(value: Json) -> None:
    with pytest.raises(FieldError, match="description is not text"):
        read_word({"description": value}, DESCRIPTION_KEYS, "")


@pytest.mark.parametrize(
    ("value", "index"),
    [(3, 3), ("3", 3), (3.0, 3), (0, 0), (None, 7), (3.5, 7), ("e3", 7), (True, 7), (10**30, 7)],
)
def test_index(value: Json, index: int) -> None:
    assert read_index({"index": value}, 7) == index


def test_messages_stay_short() -> None:
    assert len(shorten("x" * 1000)) <= 42
    assert len(shorten(10**200)) <= 42
