"""Numbers that are none, and turns that ask for too much, in every dialect."""

from __future__ import annotations

import json
import re

import pytest

from screenmark.answers import get_profile
from screenmark.answers.actions import DIALECTS, CannotWrite, read_turn, write_actions
from screenmark.answers.actions.bounds import excess
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Done,
    Drag,
    HoldKey,
    Key,
    LongPress,
    Scroll,
    Swipe,
    Type,
    Wait,
    Zoom,
)
from screenmark.geometry import Size

SIZE = Size(1000, 800)
PIXEL = get_profile("pixel")
EXAMPLES: tuple[Action, ...] = (
    Click((0.25, 0.4)),
    Drag(((0.25, 0.4), (0.7, 0.6))),
    Scroll(dy=0.5, unit="screen", point=(0.5, 0.5)),
    Scroll(dy=5.0, point=(0.5, 0.5)),
    Wait(5.0),
    HoldKey(("a",), 3.0),
    LongPress((0.5, 0.5), 2.0),
    Swipe((0.5, 0.5), (0.5, 0.2)),
    Zoom((0.1, 0.1, 0.5, 0.5)),
)
NUMBERS = ("NaN", "-Infinity", "1e999", "9" * 400, "-5", "float('nan')", "1e308", "null", "1j")


def written(dialect: str, action: Action) -> str | None:
    try:
        return write_actions((action,), profile=PIXEL, size=SIZE, dialect=dialect)
    except CannotWrite:
        return None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_number_but_a_sound_one_gets_through(dialect: str) -> None:
    for action in EXAMPLES:
        text = written(dialect, action) or ""
        for digits in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?", text):
            for number in NUMBERS:
                reply = text[: digits.start()] + number + text[digits.end() :]
                turn = read_turn(reply, profile=PIXEL, size=SIZE, dialect=dialect)
                json.dumps(turn.answer.value, allow_nan=False)
                assert not any(isinstance(found, Done) for found in turn.actions), reply
                places = [p for a in turn.actions for p in getattr(a, "path", ())]
                places += [a.point for a in turn.actions if getattr(a, "point", None)]  # type: ignore[union-attr]
                assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places), reply


@pytest.mark.parametrize(
    ("dialect", "between"),
    [("qwen", '", "'), ("claude", "+"), ("gemini", "+"), ("computer_13", '", "')],
)
def test_a_chord_of_thousands_of_keys_is_none(dialect: str, between: str) -> None:
    text = written(dialect, Key(("ctrl", "a"))) or ""
    many = text.replace("ctrl", between.join(["ctrl"] * 5000))
    turn = read_turn(many, profile=PIXEL, size=SIZE, dialect=dialect)
    assert turn.actions == ()
    assert turn.answer.reason == "5001 keys at once, at most 10 are pressed together"


PLACE = (0.5, 0.5)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        pytest.param((Key(("a",) * 10),), None, id="ten fingers"),
        pytest.param((Click(PLACE, modifiers=("ctrl",) * 11),), "11 keys", id="modifiers"),
        pytest.param((HoldKey(("a",) * 11, 1.0),), "11 keys", id="held"),
        pytest.param((Drag((PLACE,) * 200),), None, id="long drag"),
        pytest.param((Drag((PLACE,) * 201),), "201 places", id="too long a drag"),
        pytest.param((Scroll(dy=10_000.0),), None, id="long scroll"),
        pytest.param((Wait(1.0), Scroll(dx=-10_001.0)), "10000 notches", id="too long a scroll"),
        pytest.param((Scroll(dy=101.0, unit="screen"),), "100 screens", id="screens"),
        pytest.param((Click(PLACE, count=4),), "1 to 3 times, not 4", id="clicks"),
        pytest.param((Click((float("nan"), 0.5)),), "not finite", id="nan"),
        pytest.param((Drag((PLACE, (0.5, float("inf")))),), "not finite", id="far away"),
        pytest.param((Click((1.0, 0.0)), Zoom((0.0, 0.0, 1.0, 1.0))), None, id="edges"),
        pytest.param((Click((5.0, 5.0)),), "(5, 5) lies outside the screen", id="outside"),
        pytest.param((Type("a", point=(0.5, -0.01)),), "(0.5, -0.01) lies", id="above"),
        pytest.param((Drag((PLACE, (1.001, 0.5))),), "(1.001, 0.5) lies", id="drag outside"),
        pytest.param((Swipe(PLACE, (0.5, 1.2)),), "(0.5, 1.2) lies", id="swipe outside"),
        pytest.param((Zoom((0.5, 0.5, 1.5, 1.0)),), "(1.5, 1) lies", id="zoom outside"),
        pytest.param((Wait(1.0),) * 201, "201 actions", id="actions"),
        pytest.param((), "0 actions", id="none"),
    ],
)
def test_what_is_too_much(actions: tuple[Action, ...], words: str | None) -> None:
    why = excess(actions)
    assert why is None if words is None else words in str(why)
