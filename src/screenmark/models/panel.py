"""Several models in one run: each request says which of them is meant."""

from __future__ import annotations

from collections.abc import Mapping

from screenmark.errors import RejectedError
from screenmark.models.base import AsyncAdapter, BaseLLMAdapter
from screenmark.types import ImageLimits, Reply, Request


class Panel(AsyncAdapter):
    """Hands each request to the model that its ``model`` names.

    All of them are sent images within the strictest of their limits, so that they see the same
    pixels.

    Args:
        members: the models by their names; none where no request will come.
        name: of all of them together.
    """

    def __init__(self, members: Mapping[str, BaseLLMAdapter], name: str) -> None:
        self.name = name
        self._members = dict(members)
        adapters = list(members.values())
        self.concurrency = sum(adapter.concurrency for adapter in adapters) or 4
        limits = [adapter.image_limits for adapter in adapters]
        known = [limit for limit in limits if limit is not None]
        self.image_limits = _strictest(known) if len(known) == len(limits) and known else None

    async def start(self) -> None:
        for adapter in self._members.values():
            await adapter.start()

    async def close(self) -> None:
        for adapter in self._members.values():
            await adapter.close()

    async def generate(self, request: Request) -> Reply:
        member = self._members.get(request.model)
        if member is None:
            raise RejectedError(f"{self.name}: there is no {request.model!r} among them")
        return await member.generate(request)


def _strictest(limits: list[ImageLimits]) -> ImageLimits:
    def least(name: str) -> int | None:
        values = (getattr(limit, name) for limit in limits)
        return min((value for value in values if value is not None), default=None)

    return ImageLimits(least("max_pixels"), least("max_bytes"), least("max_edge"))
