"""What a world for agents is: reset, step, close, under one contract for every kind of world.

The names and the meaning are Gymnasium's, the methods are coroutines. An episode is one task
from one seed. A step is one turn of an agent: one action or several that are done in order
before the next look. What the agent is shown is an `Observation`; rewards and the verdict
travel beside it and never in it.

To build a world, subclass `Environment` and implement ``_begin``, ``_perform``, ``_look`` and
``_verdict``, and a `World` that lists the tasks and makes the environments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from screenmark.answers.actions import Action
from screenmark.answers.actions.bounds import excess_of
from screenmark.answers.actions.schema import ENDINGS, Done, Place
from screenmark.errors import EnvironmentFailure
from screenmark.geometry import Size
from screenmark.types import Json

DEFAULT_BUDGET = 15
"""Steps of an episode if nothing else is said."""

Suite: TypeAlias = Literal["lite", "full"]
"""How many of the tasks: for a first look, or all."""

_HANDFUL = 5

LONGEST_WAIT = 30.0
"""Seconds that one ``wait`` may last; what an agent asks beyond that is cut."""


class ImpossibleAction(Exception):
    """This environment cannot do the action; the message is fit to be told to the agent."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Something to be done in a world.

    Attributes:
        id: unique among all worlds, as ``miniwob/click-test``.
        world: name of the world that it belongs to.
        platform: as in tables: ``web``, ``linux``, ``windows``, ``mac``, ``android``.
        apps: the applications that it takes; more than one makes it a task of collaboration.
        instruction: what the agent is told; empty where the seed decides and `Environment.reset`
            says it in the observation.
        answer: whether it asks for an answer in words.
        version: another one where a task of this id has become another task; of a run's data.
    """

    id: str
    world: str
    platform: str = "web"
    apps: tuple[str, ...] = ()
    instruction: str = ""
    answer: bool = False
    version: str = ""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent is shown before a step. Holds nothing of reward, verdict or oracle.

    Attributes:
        screenshot: PNG of the whole screen.
        size: of the screenshot in pixels; places of actions are fractions of it.
        scale: pixels of the screenshot for one of the application's own pixels.
        instruction: the task in words.
        step: steps taken so far, 0 after a reset.
        budget: most steps of the episode.
        error: why an action of the last step could not be done, or None.
        notes: what happened beside the picture, such as a dialog or a refused download.
        text: visible text, where the environment was made to give it.
        tree: accessibility tree, where the environment was made to give it.
        tabs: titles of the open tabs, which a picture of a page does not show.
        tab: the one in front.
        pointer: where the pointer is, if the agent asked.
        closeup: PNG of the region that the agent looked at closely, as large as the screenshot.
    """

    screenshot: bytes
    size: Size
    scale: float
    instruction: str
    step: int
    budget: int
    error: str | None = None
    notes: tuple[str, ...] = ()
    text: str | None = None
    tree: Json = None
    tabs: tuple[str, ...] = ()
    tab: int = 0
    pointer: Place | None = None
    closeup: bytes | None = None


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an observation that a world knows; the contract adds the rest."""

    screenshot: bytes
    size: Size
    scale: float = 1.0
    notes: tuple[str, ...] = ()
    text: str | None = None
    tree: Json = None
    tabs: tuple[str, ...] = ()
    tab: int = 0
    pointer: Place | None = None
    closeup: bytes | None = None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the task, by the application's own state.

    Attributes:
        over: whether the world itself ended the episode, as a page does that has been answered.
        success: 0 to 1, of use once the episode is over.
        reason: in words, for the person who reads the trajectory.
    """

    over: bool = False
    success: float = 0.0
    reason: str = ""


class Step(NamedTuple):
    """What `Environment.step` returns, in Gymnasium's order.

    ``reward`` is the task's success (0 to 1) in the step that ends the episode, and 0 before.
    ``terminated``: the world or the agent ended it. ``truncated``: the budget is used up.
    ``info`` is for records, never for agents: ``success``, ``reason``, ``error``, ``done``
    (how many of the turn's actions were done).
    """

    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Json]


Turns: TypeAlias = AsyncIterator[Sequence[Action]]
"""The turns of a script, one after the other; the script may look at the world in between."""


class Environment(ABC):
    """One agent's world, one episode at a time.

    Args:
        budget: most steps of an episode.

    Attributes:
        task: of the running episode.
        seed: of the running episode.
        with_text: whether observations hold the visible text, where the world has one.
        with_tree: whether they hold the accessibility tree.
    """

    def __init__(self, budget: int = DEFAULT_BUDGET) -> None:
        self.budget = budget
        self.with_text = False
        self.with_tree = False
        self.task = Task(id="", world="")
        self.seed = 0
        self.said: Action | None = None
        self._steps = 0
        self._over = True
        self._instruction = ""

    async def reset(self, task: Task, seed: int) -> Observation:
        """Begin an episode. The same task and seed give the same screen.

        Raises:
            EnvironmentFailure: the world cannot be brought up.
        """
        self.task, self.seed, self.said = task, seed, None
        self._steps, self._over = 0, False
        self._instruction = await self._begin(task, seed)
        return self._observation(await self._look(), None)

    async def step(self, action: Action | Sequence[Action]) -> Step:
        """Do a turn: an action, several in order, or nothing (an empty sequence: a lost turn).

        What cannot be done ends the turn, costs the step and is told in the observation's
        ``error``. ``answer``, ``done``, ``fail`` and ``call_user`` end the episode; what was
        said is in ``said`` for the verdict.

        Raises:
            EnvironmentFailure: the world broke down, or there is no running episode.
        """
        if self._over:
            raise EnvironmentFailure("there is no running episode; reset comes before a step")
        actions = tuple(action) if isinstance(action, Sequence) else (action,)
        self._steps += 1
        error, done, verdict = None, 0, Verdict()
        for each in actions:
            if isinstance(each, ENDINGS):
                self.said = each
                done += 1
                break
            if error := excess_of(each):
                break
            try:
                await self._perform(each)
            except ImpossibleAction as impossible:
                error = str(impossible)
                break
            done += 1
            verdict = await self._verdict(final=False)
            if verdict.over:
                break
        return await self._end_of_step(verdict, error, done)

    async def _end_of_step(self, verdict: Verdict, error: str | None, done: int) -> Step:
        view = await self._look()
        if not verdict.over:  # something slow may have ended it while we looked
            verdict = await self._verdict(final=False)
        terminated = verdict.over or self.said is not None
        truncated = not terminated and self._steps >= self.budget
        if (terminated or truncated) and not verdict.over:
            verdict = await self._verdict(final=True)
        self._over = terminated or truncated
        info: dict[str, Json] = {"error": error, "done": done}
        if self._over:
            info |= {"success": verdict.success, "reason": verdict.reason}
        reward = verdict.success if self._over else 0.0
        observation = self._observation(view, error)
        return Step(observation, reward, terminated, truncated, info)

    def _observation(self, view: View, error: str | None) -> Observation:
        fields = {name: getattr(view, name) for name in View.__struct_fields__}
        return Observation(
            **fields,
            instruction=self._instruction,
            step=self._steps,
            budget=self.budget,
            error=error,
        )

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything that belongs to the episode; may be called twice."""

    @abstractmethod
    async def _begin(self, task: Task, seed: int) -> str:
        """Bring the world into the task's first state; what the agent is told to do."""

    @abstractmethod
    async def _perform(self, action: Action) -> None:
        """Do one action that ends nothing.

        Raises:
            ImpossibleAction: it cannot be done here; the agent is told the message.
            EnvironmentFailure: the world broke down.
        """

    @abstractmethod
    async def _look(self) -> View:
        """The screen once it has settled."""

    @abstractmethod
    async def _verdict(self, *, final: bool) -> Verdict:
        """How the task stands, from the application's own state.

        Args:
            final: the episode ends now, so ``success`` counts. Otherwise only ``over`` is asked
                for, after every action: be quick, and leave the state to the end.
        """

    def oracle(self) -> Turns | None:
        """Turns that solve the running episode; None if nobody knows how.

        An oracle acts by its turns alone; it may read the world's state and never writes it.
        """
        return None

    def mistake(self) -> Turns:
        """Turns that do the wrong thing, for checks that this earns nothing; done at once here."""
        return _claim()


async def _claim() -> AsyncIterator[Sequence[Action]]:
    yield (Done(),)


class World(ABC):
    """A kind of environment: its tasks, and what its episodes share, such as a browser.

    Attributes:
        name: what tasks call it.
        memory: MiB of memory that one more episode takes, to size how many run at once.
    """

    name: ClassVar[str]
    memory: ClassVar[int] = 200

    @abstractmethod
    def tasks(self) -> Mapping[str, Task]:
        """Every task by its id, in a fixed order. Needs no started world."""

    def left_out(self) -> Mapping[str, str]:
        """What people may look for among the tasks in vain, and why it is none of them."""
        return {}

    def suite(self, name: Suite) -> tuple[str, ...]:
        """Ids of the tasks that a benchmark over all worlds takes from this one.

        ``lite`` is a handful that stands for the rest.
        """
        ids = tuple(self.tasks())
        return ids[:_HANDFUL] if name == "lite" else ids

    def need(self, tasks: Sequence[Task]) -> None:  # noqa: B027 - many tasks need no more
        """Make sure that what these tasks take beside the started world is installed.

        Raises:
            EnvironmentFailure: it is not; the message says what to do.
        """

    async def start(self) -> None:  # noqa: B027 - many worlds share nothing
        """Bring up what episodes share.

        Raises:
            MissingExtra: a package is not installed.
            EnvironmentFailure: a program is missing, or does not come up.
        """

    async def close(self) -> None:  # noqa: B027
        """Let go of what episodes share."""

    @abstractmethod
    def environment(self, budget: int = DEFAULT_BUDGET) -> Environment:
        """A fresh environment for this world's tasks; cheap, `Environment.reset` does the work."""
