"""A world of one number, for tests of agents."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import cache

from PIL import Image

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, Done, Type, Wait
from screenmark.environments import (
    DEFAULT_BUDGET,
    Environment,
    ImpossibleAction,
    Task,
    Turns,
    Verdict,
    View,
    World,
)
from screenmark.errors import EnvironmentFailure
from screenmark.geometry import Size

SIZE = Size(200, 100)


@cache
def picture(number: int) -> bytes:
    """A screen that is another one for each number."""
    out = io.BytesIO()
    Image.new("RGB", (SIZE.width, SIZE.height), (number * 40 % 256, 80, 120)).save(out, "PNG")
    return out.getvalue()


class Counter(Environment):
    """Wants as many clicks as its task says. ``broken`` resets break down."""

    broken = 0

    async def _begin(self, task: Task, seed: int) -> str:
        if Counter.broken:
            Counter.broken -= 1
            raise EnvironmentFailure("the browser broke down")
        self.wanted = int(task.id.rsplit("-", 1)[1])
        self.clicks = 0
        return f"Click {self.wanted} times."

    async def _perform(self, action: Action) -> None:
        if isinstance(action, Click):
            self.clicks += action.count
        elif not isinstance(action, Wait):
            raise ImpossibleAction("there is nothing to type into")

    async def _look(self) -> View:
        return View(
            screenshot=picture(self.clicks),
            size=SIZE,
            text="Click!" if self.with_text else None,
            tree=f"- clicks: {self.clicks}" if self.with_tree else None,
        )

    async def _verdict(self, *, final: bool) -> Verdict:
        return Verdict(success=float(self.clicks == self.wanted), reason=f"{self.clicks} clicks")

    async def close(self) -> None:
        pass

    def oracle(self) -> Turns:
        return self._solve()

    async def _solve(self) -> AsyncIterator[Sequence[Action]]:
        for _ in range(self.wanted):
            yield (Click((0.5, 0.5)),)
        yield (Done(),)

    def mistake(self) -> Turns:
        return _type()


async def _type() -> AsyncIterator[Sequence[Action]]:
    yield (Type("x"), Done())


class Toy(World):
    """Tasks for one to three clicks."""

    name = "toy"

    def tasks(self) -> Mapping[str, Task]:
        ids = [f"toy/click-{number}" for number in (1, 2, 3)]
        return {id: Task(id=id, world="toy", apps=("toy",)) for id in ids}

    def environment(self, budget: int = DEFAULT_BUDGET) -> Environment:
        return Counter(budget)
