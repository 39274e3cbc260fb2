"""Several models in one run."""

from __future__ import annotations

import asyncio

import pytest

from screenmark.errors import RejectedError
from screenmark.models.base import AsyncAdapter
from screenmark.models.panel import Panel
from screenmark.types import ImageLimits, Message, Reply, Request, Text


class Echo(AsyncAdapter):
    def __init__(self, name: str, limits: ImageLimits | None) -> None:
        self.name, self.image_limits = name, limits
        self.state = "made"

    async def start(self) -> None:
        self.state = "started"

    async def close(self) -> None:
        self.state = "closed"

    async def generate(self, request: Request) -> Reply:
        return Reply(text=f"{self.name}: {request.text}")


def ask(panel: Panel, model: str) -> str:
    request = Request((Message("user", (Text("hi"),)),), model=model)
    return asyncio.run(panel.generate(request)).text


def test_each_request_goes_to_the_model_that_it_names() -> None:
    members = {name: Echo(name, ImageLimits()) for name in ("a", "b")}
    panel = Panel(members, "a+b")
    assert (ask(panel, "a"), ask(panel, "b")) == ("a: hi", "b: hi")
    with pytest.raises(RejectedError, match="there is no 'c' among them"):
        ask(panel, "c")


def test_all_are_started_and_closed() -> None:
    members = {name: Echo(name, None) for name in ("a", "b")}
    panel = Panel(members, "p")
    asyncio.run(panel.start())
    assert {member.state for member in members.values()} == {"started"}
    asyncio.run(panel.close())
    assert {member.state for member in members.values()} == {"closed"}


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ([ImageLimits(9, 5), ImageLimits(7, None, 3)], ImageLimits(7, 5, 3)),
        ([ImageLimits(9), None], None),
        ([], None),
    ],
)
def test_the_strictest_limits_hold_for_all(
    limits: list[ImageLimits | None], found: ImageLimits | None
) -> None:
    members = {str(n): Echo(str(n), limit) for n, limit in enumerate(limits)}
    panel = Panel(members, "p")
    assert panel.image_limits == found
    assert panel.concurrency > 0
