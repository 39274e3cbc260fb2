"""What a model in a loop is told: its part, its language of actions by examples, the task."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from screenmark.answers import Profile
from screenmark.answers.actions import Action, CannotWrite, write_actions
from screenmark.answers.actions.schema import (
    Click,
    Done,
    Drag,
    Fail,
    GiveAnswer,
    Goto,
    Key,
    Move,
    NewTab,
    Scroll,
    SelectOption,
    SwitchTab,
    Type,
    Wait,
)
from screenmark.environments import Observation
from screenmark.geometry import Size, Space


def _scrolls(down: int) -> tuple[Action, ...]:
    """A scroll by notches or by shares of the screen, at a place or where the pointer is."""
    return (
        Scroll(dy=5.0 * down, point=(0.5, 0.5)),
        Scroll(dy=5.0 * down),
        Scroll(dy=0.5 * down, unit="screen", point=(0.5, 0.5)),
        Scroll(dy=0.5 * down, unit="screen"),
    )


_ANSWER: Final = (GiveAnswer("42"), Done("42"))

# What to do, and actions that do it: the first that the dialect has a form for is shown.
_EXAMPLES: Final[tuple[tuple[str, tuple[Action, ...]], ...]] = (
    ("click", (Click((0.25, 0.4)),)),
    ("double click", (Click((0.25, 0.4), count=2),)),
    ("click with the right button", (Click((0.25, 0.4), button="right"),)),
    ("move the pointer", (Move((0.25, 0.4)),)),
    ("drag", (Drag(((0.25, 0.4), (0.7, 0.6))),)),
    ("scroll down", _scrolls(1)),
    ("scroll up", _scrolls(-1)),
    ("type where the focus is", (Type("some text"),)),
    ("press a key", (Key(("enter",)),)),
    ("press keys together", (Key(("ctrl", "a")),)),
    ("choose from a drop-down list", (SelectOption((0.25, 0.4), "Blue"),)),
    ("go to another tab, the first being 0", (SwitchTab(1),)),
    ("open a new tab", (NewTab(),)),
    ("load an address", (Goto("http://127.0.0.1:8000/"),)),
    ("wait", (Wait(5.0),)),
    ("give the answer that the task asks for, and end", _ANSWER),
    ("say that the task is done, and end", (Done(),)),
    ("say that it cannot be done, and end", (Fail("why"),)),
)


def can_answer(profile: Profile, dialect: str | None) -> bool:
    """Whether the dialect has a form for an answer in words."""
    size = Size(1000, 1000)
    for action in _ANSWER:
        with suppress(CannotWrite):
            return bool(write_actions((action,), profile=profile, size=size, dialect=dialect))
    return False


LONGEST_PAGE: Final = 12_000
"""Characters of a page's text, and of its tree, that a model is sent."""

_LONGEST_ERROR: Final = 240

_PART: Final = (
    "You operate a computer. After each of your turns you are shown a screenshot{size}. Think "
    "briefly about what to do next, then write exactly one turn with an action. Nobody answers "
    "questions. End as soon as the task is done.\n\n"
    "Write actions in exactly these forms{space}:\n"
)
_SPACES: Final = {
    "pixel": ", coordinates in pixels of the screenshot",
    "unit": ", coordinates as fractions of its width and height, from 0 to 1",
    "percent": ", coordinates in percent of its width and height",
    "permille": ", coordinates normalised to the range from 0 to 1000 in both directions",
}


def system_prompt(profile: Profile, size: Size, space: Space, dialect: str | None) -> str:
    """The rules, with an example of each action that the dialect has a form for.

    Args:
        size: of the screenshot as it is sent.
        space: of the model's numbers for a screenshot that is sent like that.
    """
    width, height = space.extent(size)
    said = f", {round(width)} wide and {round(height)} high" if space.depends_on_size else ""
    text = _PART.replace("{size}", said).replace("{space}", _SPACES.get(space.kind, ""))
    lines = []
    for what, actions in _EXAMPLES:
        for action in actions:
            try:
                form = write_actions(
                    (action,), profile=profile, size=size, space=space, dialect=dialect
                )
            except CannotWrite:
                continue
            lines.append(f"- {what}:\n{form}")
            break
    return text + "\n".join(lines)


def task_text(observation: Observation) -> str:
    """The task, and how many turns there are."""
    return f"Task: {observation.instruction}\nYou have {observation.budget} turns in all."


def state_text(observation: Observation, *, unread: bool = False) -> str:
    """What a picture does not show: what went wrong, what happened, which tabs there are.

    Args:
        unread: whether the last reply held no valid turn; else what went wrong is the world's.
    """
    parts = [f"Turn {observation.step + 1} of {observation.budget}."]
    if observation.error is not None:
        what = (
            "Your last reply was no valid turn, so nothing was done"
            if unread
            else "Your last turn could not be carried out"
        )
        parts.append(f"{what}: {_one_line(observation.error)}.")
    parts += [f"Note: {note}." for note in observation.notes]
    if len(observation.tabs) > 1:
        names = ", ".join(
            f"{number} {title!r}{' (in front)' if number == observation.tab else ''}"
            for number, title in enumerate(observation.tabs)
        )
        parts.append(f"Tabs: {names}.")
    if observation.pointer is not None:
        x, y = observation.pointer
        parts.append(f"The pointer is at {x:.1%} of the width and {y:.1%} of the height.")
    return _sendable("\n".join(parts))


def page_text(observation: Observation) -> str:
    """Text and accessibility tree of the page, each cut to a bounded length; may be empty."""
    parts = []
    if observation.text is not None:
        parts.append(f"Text on the page:\n{_bounded(observation.text)}")
    if observation.tree is not None:
        parts.append(f"Accessibility tree:\n{_bounded(str(observation.tree))}")
    return _sendable("\n".join(parts))


def _sendable(text: str) -> str:
    """Without halves of characters, which a page may hold and no request can."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_PAGE:
        return text
    return f"{text[:LONGEST_PAGE]}\n… (the first {LONGEST_PAGE:,} of {len(text):,} characters)"


def _one_line(text: str) -> str:
    """A sentence on one line, of bounded length, without its full stop."""
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _LONGEST_ERROR else f"{line[: _LONGEST_ERROR - 1]}…"
