"""Which option the words on a page speak for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.models.embedded.choices import choose
from screenmark.models.embedded.counting import count_of, ordinal_of
from screenmark.models.embedded.screen import Screen, screen_of


def page(*items: tuple[str, str, list[int]]) -> Screen:
    elements: list[dict[str, Any]] = [
        {"type": kind, "description": text, "coordinates": box} for kind, text, box in items
    ]
    return screen_of(elements, (800, 600))


TABLE = page(
    ("text", "Name", [20, 20, 60, 38]),
    ("text", "Office", [200, 20, 250, 38]),
    ("text", "Ada Lovelace", [20, 60, 110, 78]),
    ("text", "London", [200, 60, 250, 78]),
    ("text", "Alan Turing", [20, 100, 110, 118]),
    ("text", "Wilmslow", [200, 100, 260, 118]),
    ("text", "Status", [400, 60, 450, 78]),
    ("input", "Success", [400, 84, 600, 120]),
    ("input", "Email", [400, 140, 600, 176]),
    ("input", "Password", [400, 190, 600, 226]),
    ("button", "Save changes", [400, 240, 520, 270]),
    ("button", "Discard", [540, 240, 620, 270]),
    ("text", "取件码3-7-0214", [20, 400, 160, 418]),
    ("text", "Copyright 2023", [20, 560, 140, 578]),
)


@pytest.mark.parametrize(
    ("question", "options", "answer"),
    [
        pytest.param("Which year is given?", ["2021", "2022", "2023"], "C", id="seen or not"),
        pytest.param("Where is Alan Turing?", ["London", "Wilmslow"], "B", id="on the same row"),
        pytest.param("Where is Ada Lovelace?", ["Wilmslow", "London"], "B", id="the other row"),
        pytest.param("What is chosen under Status?", ["Failed", "Success"], "B", id="below"),
        pytest.param("取件码是多少？", ["7-3-0214", "3-7-0214"], "B", id="right after ideographs"),
        pytest.param(
            "Which is not offered?", ["Save changes", "Print", "Discard"], "B", id="negated"
        ),
        pytest.param("How many input fields are there?", ["2", "4", "3"], "C", id="counted"),
        pytest.param(
            "What does the third input field ask for?", ["Email", "Password"], "B", id="the third"
        ),
        pytest.param(
            "In which row of the table is Alan Turing?",
            ["The first", "The third", "The second"], "C", id="row",
        ),
        pytest.param("Who knows?", ["Nobody", "Somebody"], "A", id="no evidence, the first"),
    ],
)  # fmt: skip
def test_questions(question: str, options: list[str], answer: str) -> None:
    assert choose(TABLE, question, dict(zip("ABCDEF", options, strict=False))) == answer


def test_letters_do_not_matter_but_for_ties() -> None:
    assert choose(TABLE, "Which year?", {"D": "2021", "B": "2023"}) == "B"
    assert choose(page(), "Which?", {"D": "x", "B": "y"}) == "D"


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("4 项", 4), ("Three", 3), ("The eighth", 8), ("两个", 2), ("None", 0),
     ("Blue", None)],
)  # fmt: skip
def test_numbers_in_words(text: str, number: int | None) -> None:
    assert ordinal_of(text) == number


def test_what_cannot_be_counted_is_not() -> None:
    assert count_of(TABLE, "Which button saves?") is None
    assert count_of(TABLE, "How many sliders are there?") is None
    assert count_of(TABLE, "How many buttons are there?") == 2


@given(st.text(max_size=40), st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_any_question_gets_one_of_its_letters(question: str, options: list[str]) -> None:
    lettered = dict(zip("ABCDEF", options, strict=False))
    assert choose(TABLE, question, lettered) in lettered
