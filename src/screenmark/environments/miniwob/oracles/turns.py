"""What oracles are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from screenmark.answers.actions.schema import Click, Place, Type
from screenmark.environments.base import Turns
from screenmark.environments.page_reader import PageReader

Oracle: TypeAlias = Callable[[PageReader, str], Turns]
"""A page and the instruction to the turns that solve it."""

Clicks: TypeAlias = tuple[Click]
Types: TypeAlias = tuple[Type]


def click(place: Place) -> Clicks:
    """A turn of one click."""
    return (Click(place),)


def enter(text: str, place: Place, *, clear: bool = False) -> Types:
    """A turn that types into the field at a place."""
    return (Type(text, point=place, clear=clear),)


def quoted(instruction: str) -> list[str]:
    """What stands in double quotes."""
    return re.findall(r'"(.*?)"', instruction)


def number_in(text: str) -> int:
    """The first whole number of a text that has one."""
    found = re.search(r"-?\d+", text)
    return int(found[0]) if found else 0
