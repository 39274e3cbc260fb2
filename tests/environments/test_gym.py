"""Gymnasium's interface over the same contract."""

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from screenmark.answers.actions.schema import Click
from screenmark.environments import Observation, Task
from screenmark.environments.gym import GymEnvironment
from screenmark.environments.gym_spaces import Turn
from screenmark.environments.miniwob import MiniWob
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


@pytest.mark.filterwarnings("ignore:.*alternative render modes:UserWarning")
def test_gymnasiums_own_checker() -> None:
    environment = GymEnvironment(Toy(), "toy/click-1")
    check_env(environment)
    environment.close()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*alternative render modes:UserWarning")
def test_gymnasiums_own_checker_in_a_browser() -> None:
    environment = GymEnvironment(MiniWob(), "miniwob/click-test")
    check_env(environment)
    assert environment.observation_space["screenshot"].shape == (660, 664, 3)
    environment.close()


def test_seeds() -> None:
    environment = GymEnvironment(Toy(), "toy/click-1")
    begun: list[int] = []
    reset = environment._environment.reset

    async def noted(task: Task, seed: int) -> Observation:
        begun.append(seed)
        return await reset(task, seed)

    environment._environment.reset = noted  # type: ignore[method-assign]
    for seed in (7, None, None, 7, None):
        environment.reset(seed=seed)
    environment.close()
    assert begun[0] == begun[3] == 7
    assert begun[1] == begun[4] != begun[2]


@pytest.mark.parametrize(
    ("turn", "is_one"),
    [
        (Click((0.5, 0.5)), True),
        ([], True),
        ([Click((0.5, 0.5)), {"action": "done"}], True),
        ({"action": "done"}, True),
        ({"action": "fly"}, False),
        ("click", False),
        (3, False),
        (["done"], False),
    ],
)
def test_what_is_a_turn(turn: object, is_one: bool) -> None:
    assert (turn in Turn()) is is_one


def test_samples_are_turns_and_come_again() -> None:
    space = Turn()
    space.seed(3)
    some = [space.sample() for _ in range(50)]
    assert all(turn in space for turn in some)
    assert len({type(turn) for turn in some}) > 4
    space.seed(3)
    assert [space.sample() for _ in range(50)] == some
