"""An environment under Gymnasium's own interface, for code that is written against it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from screenmark.answers.actions import Action
from screenmark.environments.base import DEFAULT_BUDGET, Environment, Observation, Task, World
from screenmark.errors import MissingExtra, UsageError
from screenmark.geometry import Size

try:
    import gymnasium

    from screenmark.environments.gym_spaces import Turn, observations, turn_of
except ModuleNotFoundError:
    raise MissingExtra("Gymnasium's interface", "env") from None

_T = TypeVar("_T")
_SEEDS = 2**31


class GymEnvironment(gymnasium.Env):  # type: ignore[misc]
    """``reset(seed=…)``, ``step(action)``, ``close()`` without a running event loop.

    Observations are dictionaries: ``screenshot`` of shape (height, width, 3), uint8, and
    ``instruction``, ``error``, ``step`` as they are. An action is one of the schema, several in a
    sequence, or the same as JSON objects. The size of a screenshot is known once an episode has
    begun: asking for ``observation_space`` earlier begins one.

    Args:
        world: started here and closed with the environment.
        task: id of the task of every episode.

    Raises:
        UsageError: the world has no such task.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012
    render_mode = "rgb_array"

    def __init__(self, world: World, task: str, budget: int = DEFAULT_BUDGET) -> None:
        tasks: Mapping[str, Task] = world.tasks()
        if task not in tasks:
            raise UsageError(f"the world {world.name!r} has no task {task!r}")
        self._task = tasks[task]
        self._world = world
        self._environment: Environment = world.environment(budget)
        self._runner = asyncio.Runner()
        self._started = False
        self._screen: NDArray[np.uint8] | None = None
        self.action_space = Turn()

    @property
    def observation_space(self) -> Any:
        """What observations are of."""
        if self._screen is None:
            self._begin(0)
        assert self._screen is not None  # noqa: S101 - an episode has begun
        height, width, _ = self._screen.shape
        return observations(Size(width, height), self._environment.budget)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode from ``seed``; without one, from a seed drawn after the last given."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(_SEEDS))
        return self._plain(self._begin(seed)), {}

    def _begin(self, seed: int) -> Observation:
        if not self._started:
            self._run(self._world.start())
            self._started = True
        observation = self._run(self._environment.reset(self._task, seed))
        self._plain(observation)
        return observation

    def step(
        self, action: Action | Sequence[Action] | dict[str, Any] | Sequence[dict[str, Any]]
    ) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Do a turn.

        Raises:
            TypeError, ValueError: it is none; nothing was done.
        """
        step = self._run(self._environment.step(turn_of(action)))
        return (
            self._plain(step.observation),
            step.reward,
            step.terminated,
            step.truncated,
            step.info,
        )

    def render(self) -> NDArray[np.uint8] | None:
        """The last screenshot."""
        return self._screen

    def close(self) -> None:
        """End the episode and the world."""
        if self._started:
            self._run(self._environment.close())
            self._run(self._world.close())
            self._started = False
        self._runner.close()

    def _run(self, what: Coroutine[Any, Any, _T]) -> _T:
        return self._runner.run(what)

    def _plain(self, observation: Observation) -> dict[str, Any]:
        from PIL import Image

        with Image.open(io.BytesIO(observation.screenshot)) as image:
            self._screen = np.asarray(image.convert("RGB"), dtype=np.uint8)
        return {
            "screenshot": self._screen,
            "instruction": observation.instruction,
            "error": observation.error,
            "step": observation.step,
        }
