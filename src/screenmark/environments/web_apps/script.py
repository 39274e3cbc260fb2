"""Solutions as they are written down, turned into turns."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Final

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import (
    Click,
    Done,
    GiveAnswer,
    Key,
    Place,
    Scroll,
    SelectOption,
    Type,
)
from screenmark.environments.page_reader import PageReader
from screenmark.environments.web_apps.tasks import Move
from screenmark.errors import EnvironmentFailure

_APPEAR_SECONDS: Final = 8.0
_LOOK_AGAIN: Final = 0.1
_EDGE: Final = 0.01
_MOST_SCROLLS: Final = 12
_MIDDLE: Final = 0.5


async def play(moves: Sequence[Move], page: PageReader) -> AsyncIterator[Sequence[Action]]:
    """A turn for every move, more where something has to be scrolled to; `Done` at the end.

    Raises:
        EnvironmentFailure: what a move is done on is not on the page: it does not fit.
    """
    for move in moves:
        place: Place | None = None
        if move.on is not None:
            for _ in range(_MOST_SCROLLS):
                before, place = place, await _appeared(page, move, move.on)
                if _EDGE <= place[1] <= 1 - _EDGE or place == before:
                    break
                yield (Scroll(dy=place[1] - _MIDDLE, unit="screen", point=(0.6, 0.6)),)
        yield actions_of(move, place)
    if not moves or moves[-1].answer is None:
        yield (Done(),)


async def _appeared(page: PageReader, move: Move, selector: str) -> Place:
    end = time.monotonic() + _APPEAR_SECONDS
    while True:
        try:
            return await page.place(selector, move.text, nth=int(move.nth), at=move.at)
        except EnvironmentFailure:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(_LOOK_AGAIN)


def actions_of(move: Move, place: Place | None) -> tuple[Action, ...]:
    """The actions of a turn; ``place`` is where ``on`` is."""
    if move.answer is not None:
        return (GiveAnswer(move.answer),)
    if move.choose is not None and place is not None:
        return (SelectOption(place, move.choose),)
    if move.type is not None:
        return (Type(move.type, point=place, clear=move.clear),)
    clicks = () if place is None else (Click(place, count=move.count),)
    keys = () if move.key is None else (Key(tuple(move.key.split("+"))),)
    return (*clicks, *keys)
