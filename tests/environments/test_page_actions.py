"""What the hand does on a page, by what it asks of the pointer."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from screenmark.answers.actions.schema import Drag
from screenmark.environments.page_actions import Hand
from screenmark.geometry import Size


class Mouse:
    """Counts the moves of the pointer."""

    def __init__(self) -> None:
        self.moves = 0
        self.at = (0.0, 0.0)

    async def move(self, x: float, y: float, steps: int = 1) -> None:
        self.moves += steps
        self.at = (x, y)

    async def down(self, button: str) -> None:
        pass

    async def up(self, button: str) -> None:
        pass


@pytest.mark.parametrize(("places", "moves"), [(1, 13), (2, 13), (11, 121), (200, 200)])
def test_a_long_drag_is_no_slower_than_its_places(places: int, moves: int) -> None:
    mouse = Mouse()
    page: Any = SimpleNamespace(mouse=mouse)
    path = tuple((n / 250, 0.5) for n in range(places))
    asyncio.run(Hand(Size(100, 100)).perform(page, Drag(path)))
    assert mouse.moves == moves
    assert mouse.at == (100 * path[-1][0], 50.0)
