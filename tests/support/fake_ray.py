"""As much of Ray as the executor uses, in this process and event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

Dies = Callable[[int, str, tuple[Any, ...]], bool]
"""Whether an actor (by its number, from 0) dies at the end of a call of a method."""


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class FakeRay:
    """A cluster of ``nodes`` nodes; ``actors`` holds all that were ever started."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(
            NodeAffinitySchedulingStrategy=lambda node, soft: (node, soft)
        )
    )

    def __init__(self, nodes: int = 2, dies: Dies = lambda number, method, arguments: False):
        self._nodes = nodes
        self.dies = dies
        self.actors: list[FakeActor] = []
        self.options: list[dict[str, Any]] = []

    @contextmanager
    def connected(self, address: str | None) -> Iterator[FakeRay]:
        yield self

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {"NodeID": f"node{n}", "Alive": True, "Resources": {"CPU": 4.0}}
            for n in range(self._nodes)
        ]

    def remote(self, kind: type) -> Any:
        def options(**given: Any) -> Any:
            def start() -> FakeActor:
                self.options.append(given)
                self.actors.append(FakeActor(kind(), len(self.actors), self))
                return self.actors[-1]

            return SimpleNamespace(remote=start)

        return SimpleNamespace(options=options)

    def kill(self, actor: FakeActor, no_restart: bool) -> None:
        actor.die()


class FakeActor:
    """Calls its object's methods as long as it lives."""

    def __init__(self, held: Any, number: int, ray: FakeRay) -> None:
        self._held = held
        self._number = number
        self._ray = ray
        self._dead = asyncio.Event()

    def die(self) -> None:
        self._dead.set()
        task = getattr(self._held, "_task", None)
        if task is not None:
            task.cancel()

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(remote=lambda *arguments: self._call(method, arguments))

    async def _call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        call: Coroutine[Any, Any, Any] = getattr(self._held, method)(*arguments)
        work = asyncio.create_task(call)
        death = asyncio.create_task(self._dead.wait())
        try:
            await asyncio.wait([work, death], return_when=asyncio.FIRST_COMPLETED)
        finally:
            death.cancel()
        if self._ray.dies(self._number, method, arguments):
            self.die()
        if self._dead.is_set():
            work.cancel()
            raise RayError("The actor died unexpectedly before finishing this task.\nmore")
        return work.result()
