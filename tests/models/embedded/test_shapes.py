"""Names of drawings: the sketches themselves, at other sizes and with a little dirt."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from screenmark.models.embedded.shapes import is_drawing, name_shapes, shape_of
from screenmark.models.embedded.sketches import SKETCHES
from screenmark.models.embedded.wishes import DRAWINGS, WISHES


def drawn_large(rows: list[str]) -> NDArray[np.float64]:
    drawn = np.array([[char == "#" for char in row] for row in rows], dtype=np.float64)
    return np.asarray(np.kron(np.pad(drawn, 3), np.ones((2, 2))), dtype=np.float64)


@pytest.mark.parametrize(("name", "rows"), SKETCHES)
def test_a_sketch_is_recognised_at_twice_its_size(name: str, rows: list[str]) -> None:
    assert shape_of(drawn_large(rows)) == name


def test_sketches_are_twelve_wide_and_have_names_that_instructions_use() -> None:
    assert {len(row) for _, rows in SKETCHES for row in rows} == {12}
    assert {name for name, _ in SKETCHES} | set(WISHES) <= set(DRAWINGS)


def test_bars_lines_and_nothing() -> None:
    ink = np.zeros((20, 20))
    assert shape_of(ink) == ""
    ink[9:11, 3:17] = 1
    assert shape_of(ink) == "minus"
    ink[4:6, 3:17] = ink[14:16, 3:17] = 1
    assert shape_of(ink) == "bars"
    assert shape_of(np.ones((20, 20))) == ""


def test_only_blank_controls_are_named_and_a_badge_hides_the_drawing() -> None:
    pixels = np.full((60, 120, 3), 255, dtype=np.uint8)
    for left in (10, 50, 90):
        pixels[19:21, left : left + 18] = 0
        pixels[14:16, left : left + 18] = pixels[24:26, left : left + 18] = 0
    pixels[12:18, 60:70] = (220, 20, 20)
    page = [
        {"type": kind, "description": text, "coordinates": [x, 10, x + 22, 30]}
        for kind, text, x in [("icon", "", 8), ("button", "3x", 48), ("text", "menu", 88)]
    ]
    assert [element.get("shape") for element in name_shapes(pixels, page)] == ["bars", None, None]


@pytest.mark.parametrize(
    ("text", "answer"), [("", True), ("QF", True), ("Menu", False), ("全部", False), ("12", False)]
)
def test_two_letters_may_be_a_drawing(text: str, answer: bool) -> None:
    assert is_drawing(text) is answer
