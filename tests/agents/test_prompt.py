"""What a model in a loop is told about its language of actions."""

from __future__ import annotations

import pytest

from screenmark.agents.prompt import system_prompt
from screenmark.answers import get_profile
from screenmark.answers.actions import read_turn
from screenmark.answers.actions.schema import Done, GiveAnswer, Scroll
from screenmark.geometry import Size

SIZE = Size(1000, 800)
PROFILE = get_profile("pixel")


def forms(dialect: str) -> dict[str, str]:
    """The examples of a prompt by what they do."""
    prompt = system_prompt(PROFILE, SIZE, PROFILE.coordinates, dialect)
    examples = ("\n" + prompt.partition("forms")[2]).split("\n- ")[1:]
    return {what: form for what, _, form in (example.partition(":\n") for example in examples)}


@pytest.mark.parametrize(
    "dialect",
    ["ui-tars", "qwen", "openai", "gemini", "browsergym", "aguvis", "showui", "computer_13"],
)
def test_it_shows_how_to_scroll(dialect: str) -> None:
    shown = forms(dialect)
    for what, sign in (("scroll down", 1), ("scroll up", -1)):
        (action,) = read_turn(shown[what], profile=PROFILE, size=SIZE, dialect=dialect).actions
        assert isinstance(action, Scroll)
        assert action.dy * sign > 0


@pytest.mark.parametrize("dialect", ["ui-tars", "claude", "openai", "gemini", "qwen", "browsergym"])
def test_it_shows_how_to_answer(dialect: str) -> None:
    shown = forms(dialect)["give the answer that the task asks for, and end"]
    (action,) = read_turn(shown, profile=PROFILE, size=SIZE, dialect=dialect).actions
    assert action in {GiveAnswer("42"), Done("42")}
