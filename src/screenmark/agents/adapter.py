"""Episodes behind the interface of a model: a request names one, the reply says how it ended.

So the engine needs to know nothing of environments: order, records, resume, repeats and budgets
are those of every other benchmark.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from screenmark.agents.asking import Asker
from screenmark.agents.base import AgentMaker
from screenmark.agents.episode import Episode
from screenmark.agents.loop import run_episode
from screenmark.agents.memory import most_episodes
from screenmark.agents.trajectory import Recorder, episode_name
from screenmark.environments import Environment, World, world_class
from screenmark.errors import EnvironmentFailure, RejectedError
from screenmark.models.base import AsyncAdapter
from screenmark.types import ImageLimits, Reply, Request, Usage

_TRIES: Final = 2
"""Of an episode whose world breaks down: one more, in a fresh environment."""

_NAMED: Final = 3
_REASON: Final = 60


class Ask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The request for an episode, as the JSON text of its only message."""

    task: str
    world: str
    seed: int
    budget: int


class _Playing(NamedTuple):
    """An episode that goes on, and its record where it has begun."""

    ask: Ask
    recorder: Recorder | None = None

    def __str__(self) -> str:
        name = f"{self.ask.task}#{self.ask.seed}"
        if self.recorder is None:
            return f"{name} (starting)"
        return f"{name} (turn {self.recorder.turns + 1} of {self.ask.budget})"


class EpisodeAdapter(AsyncAdapter):
    """Plays episodes.

    Args:
        maker: of the agents.
        wanted: most episodes at a time.
        askers: the models that the agents ask; screenshots go to them within the run's limits.
        observe: what observations hold besides the picture: ``tree``, ``text``.
        worlds: by name, in place of those that come with the package.
    """

    queues = True

    def __init__(
        self,
        maker: AgentMaker,
        wanted: int,
        askers: tuple[Asker, ...] = (),
        *,
        observe: Collection[str] = (),
        worlds: Mapping[str, type[World]] | None = None,
    ) -> None:
        self.name = maker.name
        self.adapter_id = None if maker.kind in {"model", "pair"} else "agent"
        self.image_limits = askers[0].limits if askers else ImageLimits()
        self.concurrency = most_episodes(wanted, World.memory, waits=bool(askers))
        self._maker = maker
        self._askers = askers
        self._classes = worlds
        self._observe = frozenset(observe)
        self._worlds: dict[str, World] = {}
        self._starting = asyncio.Lock()
        self._playing: dict[str, _Playing] = {}
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._folder: Path | None = None

    def use_folder(self, folder: Path) -> None:
        """Where trajectories go."""
        self._folder = folder

    async def start(self) -> None:
        await self._maker.start()

    async def close(self) -> None:
        worlds, self._worlds = list(self._worlds.values()), {}
        for world in worlds:
            await world.close()
        await self._maker.close()
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def take_retries(self, retries: int) -> bool:
        """An episode is not played anew for a request that failed in it."""
        for asker in self._askers:
            asker.retries = retries
        return True

    def stop_waiting(self) -> None:
        for asker in self._askers:
            asker.stop_waiting()

    def doing(self) -> str:
        playing = [str(one) for one in self._playing.values()]
        more = f" and {len(playing) - _NAMED} more" if len(playing) > _NAMED else ""
        words = f"playing {', '.join(playing[:_NAMED])}{more}" if playing else ""
        reasons = [why for asker in self._askers for why in asker.waiting.values()]
        if reasons:
            words += f"; {len(reasons)} waiting to ask again: {reasons[0][:_REASON]}"
        return words

    async def generate(self, request: Request) -> Reply:
        """Play the episode that the request's text names.

        Raises:
            EnvironmentFailure: its world broke down, in a fresh environment too.
            ModelError, ImageError: the agent's model gives no reply.
        """
        try:
            ask = msgspec.json.decode(request.text, type=Ask)
        except msgspec.DecodeError as error:
            raise RejectedError(f"this names no episode: {error}") from None
        for asker in self._askers:
            asker.limits = request.image_limits
        name = self._name(ask)
        try:
            episode = await self._play(ask, self._root / "episodes" / name)
        finally:
            del self._playing[name]
        tokens = Usage(episode.input_tokens, episode.output_tokens)
        plain: dict[str, Any] = msgspec.to_builtins(episode)
        return Reply(
            text=msgspec.json.encode(plain).decode("utf-8"),
            finish_reason="stop",
            model=self.name,
            usage=tokens if tokens != Usage() else None,
        )

    @property
    def _root(self) -> Path:
        if self._folder is not None:
            return self._folder
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="screenmark-")
        return Path(self._temporary.name)

    def _name(self, ask: Ask) -> str:
        """A folder for the episode that holds no finished one and is not being written."""
        number = 0
        while True:
            name = episode_name(ask.task, ask.seed, number)
            finished = (self._root / "episodes" / name / "episode.json").exists()
            if name not in self._playing and not finished:
                self._playing[name] = _Playing(ask)
                return name
            number += 1

    async def _play(self, ask: Ask, folder: Path) -> Episode:
        world = await self._world(ask.world)
        task = world.tasks().get(ask.task)
        if task is None:
            raise RejectedError(f"the world {ask.world!r} has no task {ask.task!r}")
        for left in reversed(range(_TRIES)):
            environment: Environment = world.environment(ask.budget)
            environment.with_text = "text" in self._observe
            environment.with_tree = "tree" in self._observe
            recorder = Recorder(folder)
            self._playing[folder.name] = _Playing(ask, recorder)
            try:
                agent = self._maker.make(environment, recorder.save_screen)
                return await run_episode(
                    environment, task, ask.seed, agent, recorder, kind=self._maker.kind
                )
            except EnvironmentFailure:
                if not left:
                    raise
            finally:
                recorder.abandon()
                await environment.close()
        raise AssertionError("the last try returns or raises")

    async def _world(self, name: str) -> World:
        async with self._starting:
            if name not in self._worlds:
                kind = self._classes[name] if self._classes else world_class(name)
                world = kind()
                try:
                    await world.start()
                except BaseException:
                    await world.close()
                    raise
                self._worlds[name] = world
            return self._worlds[name]
