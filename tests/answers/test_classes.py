"""Replies that name a class out of a closed list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers.classes import parse_class
from screenmark.types import Outcome

CLASSES = ("add", "arrow_left", "arrow_right", "eye", "eye_off", "credit_card")


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        pytest.param("arrow_left", "arrow_left", id="alone"),
        pytest.param("**Arrow left.**", "arrow_left", id="marked up"),
        pytest.param("`credit-card`", "credit_card", id="hyphen"),
        pytest.param("The answer is eye_off.", "eye_off", id="announced, the longer name"),
        pytest.param("Class: add", "add", id="colon"),
        pytest.param('The class is "arrow right"', "arrow_right", id="quoted"),
        pytest.param('{"label": "eye"}', "eye", id="JSON"),
        pytest.param('```json\n{"icon": "eye off"}\n```', "eye_off", id="fenced JSON"),
        pytest.param("It shows a plus.\n\nadd", "add", id="last line"),
        pytest.param("eye\nIt is drawn as an ellipse.", "eye", id="first line"),
        pytest.param("Answer: add. No: the answer is eye", "eye", id="the last one counts"),
        pytest.param("<think>answer: eye</think>add", "add", id="after thinking"),
        pytest.param("\\boxed{arrow_left}", "arrow_left", id="boxed"),
    ],
)
def test_declared(reply: str, wanted: str) -> None:
    answer = parse_class(reply, CLASSES)
    assert (answer.outcome, answer.value) == (Outcome.OK, wanted)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("This could be an eye or something else.", id="in a sentence"),
        pytest.param("The answer is arrow_left or arrow_right", id="two at once"),
        pytest.param("The answer is arrow_left, arrow_right", id="two with a comma"),
        pytest.param('{"label": ["eye", "add"]}', id="two in JSON"),
        pytest.param("The answer is not eye", id="denied"),
        pytest.param("The answer is eyelash", id="a longer word"),
        pytest.param("The answer is eye of a needle", id="more words"),
        pytest.param("magnifier", id="none of the list"),
        pytest.param("7", id="a number"),
    ],
)
def test_not_declared(reply: str) -> None:
    answer = parse_class(reply, CLASSES)
    assert (answer.outcome, answer.value) == (Outcome.UNPARSEABLE, None)
    assert answer.reason


@pytest.mark.parametrize(
    ("reply", "reason", "outcome"),
    [
        ("", "stop", Outcome.EMPTY),
        ("Let me look at", "length", Outcome.TRUNCATED),
        ("I'm sorry, but I can't help with that.", "stop", Outcome.REFUSED),
    ],
    ids=["empty", "cut off", "refused"],
)
def test_ends(reply: str, reason: str, outcome: Outcome) -> None:
    assert parse_class(reply, CLASSES, finish_reason=reason).outcome == outcome


def test_alike_classes_are_an_error() -> None:
    with pytest.raises(ValueError, match="differ only"):
        parse_class("a", ("eye off", "eye_off"))


@given(st.text(max_size=200))
def test_never_raises_and_never_invents(reply: str) -> None:
    answer = parse_class(reply, CLASSES)
    assert answer.value is None or answer.value in CLASSES


@given(st.sampled_from(CLASSES), st.sampled_from(["{}", "Answer: {}", '{{"class": "{}"}}']))
def test_every_class_can_be_declared(name: str, form: str) -> None:
    assert parse_class(form.format(name), CLASSES).value == name
