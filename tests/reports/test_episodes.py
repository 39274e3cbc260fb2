"""An episode's turns in words that fit into a table."""

import pytest

from screenmark.answers.actions import actions_to_json
from screenmark.answers.actions.schema import Action, Click, Drag, Key, Scroll, Type, Wait, Zoom
from screenmark.reports.episodes import said


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        pytest.param([Click((1 / 3, 0.5))], "click (0.333, 0.500)", id="place"),
        pytest.param(
            [Zoom((1 / 3, 0.1, 2 / 3, 0.9))], "zoom (0.333, 0.100, 0.667, 0.900)", id="zoom"
        ),
        pytest.param([Scroll(dy=10 / 3)], "scroll dy=3.333", id="number"),
        pytest.param([Key(("ctrl", "a"))], "key ctrl+a", id="chord"),
        pytest.param([Key(("a",) * 5000)], "key a+a+a+a+a+… (5,000 keys)", id="keys"),
        pytest.param(
            [Wait(1.0)] * 9, "; ".join(["wait seconds=1"] * 5) + "; … (9 actions)", id="many"
        ),
        pytest.param([Type("x" * 5000)], f"type '{'x' * 160}…' (5,000 characters)", id="text"),
        pytest.param(
            [Drag(((0.0, 0.0),) * 9)],
            "drag (0.000, 0.000) → (0.000, 0.000) → (0.000, 0.000) → … (9 places)",
            id="path",
        ),
        pytest.param([], "(none)", id="none"),
    ],
)
def test_actions_in_words(actions: list[Action], words: str) -> None:
    assert said(actions_to_json(tuple(actions))) == words
