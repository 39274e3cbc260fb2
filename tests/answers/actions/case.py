"""One reply and what it means, and shorthands for replies."""

from __future__ import annotations

import json
from typing import NamedTuple

from screenmark.answers.actions.schema import Action

MID = (0.5, 0.5)
AT = (0.1, 0.4)  # (100, 200) of 1000x500, (0.1, 0.4), (100, 400) of a thousand


class Case(NamedTuple):
    """A reply, the dialect it is in, and its actions."""

    name: str
    dialect: str
    text: str
    actions: tuple[Action, ...]
    profile: str = "pixel"


def one(name: str, dialect: str, text: str, *actions: Action, profile: str = "pixel") -> Case:
    return Case(name, dialect, text, actions, profile)


def tool(**arguments: object) -> str:
    return (
        f"<tool_call>\n{json.dumps({'name': 'computer_use', 'arguments': arguments})}\n</tool_call>"
    )


def function(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "args": arguments})


def phone(**arguments: object) -> str:
    return tool(**arguments).replace("computer_use", "mobile_use")
