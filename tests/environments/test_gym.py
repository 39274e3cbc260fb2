"""Gymnasium's interface over the same contract."""

import gymnasium
import pytest

from screenmark.answers.actions.schema import Click
from screenmark.environments.gym import GymEnvironment
from screenmark.errors import UsageError
from tests.support.toy_world import Toy


def test_an_episode() -> None:
    environment = GymEnvironment(Toy(), "toy/click-1")
    assert isinstance(environment, gymnasium.Env)
    observation, info = environment.reset(seed=0)
    assert observation["screenshot"].shape == (100, 200, 3)
    assert (observation["instruction"], info) == ("Click 1 times.", {})
    _, reward, terminated, truncated, _ = environment.step(Click((0.5, 0.5)))
    assert (reward, terminated, truncated) == (0.0, False, False)
    observation, reward, terminated, _, _ = environment.step([{"action": "done"}])
    assert (observation["step"], reward, terminated) == (2, 1.0, True)
    environment.close()
    environment.close()


def test_a_task_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="no task 'toy/none'"):
        GymEnvironment(Toy(), "toy/none")
