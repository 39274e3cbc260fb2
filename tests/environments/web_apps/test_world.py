"""Web applications in a real browser: a few tasks a day here, all of them in the long tests."""

import asyncio
import datetime
import os
from collections.abc import Awaitable, Callable, Sequence

import pytest

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Done
from screenmark.environments import DEFAULT_BUDGET, Step
from screenmark.environments.checking import check_task
from screenmark.environments.web_apps import WebAppEnvironment, WebApps
from screenmark.environments.web_apps import world as world_module
from screenmark.environments.web_apps.tasks import all_tasks
from screenmark.errors import EnvironmentFailure

TODAY = datetime.datetime.now(datetime.UTC).toordinal()
ALL = [f"webapps/{id}" for id in all_tasks()]


def in_world(do: Callable[[WebApps], Awaitable[None]]) -> None:
    async def go() -> None:
        world = WebApps()
        await world.start()
        try:
            await do(world)
        finally:
            await world.close()

    asyncio.run(go())


async def begin(world: WebApps, task: str, seed: int = 0, budget: int = 30) -> WebAppEnvironment:
    environment = world.environment(budget)
    assert isinstance(environment, WebAppEnvironment)
    await environment.reset(world.tasks()[f"webapps/{task}"], seed)
    return environment


async def play(environment: WebAppEnvironment, turns: Sequence[Sequence[Action]]) -> list[Step]:
    return [await environment.step(turn) for turn in turns]


async def check(world: WebApps, id: str, seeds: Sequence[int]) -> None:
    found = await check_task(world, world.tasks()[id], seeds)
    assert [one for one in found if not one.passed] == []
    assert max(one.steps for one in found if one.check == "oracle") <= DEFAULT_BUDGET


def test_a_task_a_day() -> None:
    async def do(world: WebApps) -> None:
        await check(world, ALL[TODAY % len(ALL)], [TODAY % 3])

    in_world(do)


@pytest.mark.full
@pytest.mark.parametrize("id", ALL)
def test_every_task(id: str) -> None:
    async def do(world: WebApps) -> None:
        await check(world, id, range(3))

    in_world(do)


def test_an_application_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world_module, "find_spec", lambda _: None)
    world = WebApps()
    with pytest.raises(EnvironmentFailure, match=r"pip install 'screenmark\[webapps\]'"):
        asyncio.run(world.environment().reset(world.tasks()[ALL[0]], 0))


def test_an_episode_leaves_no_process_and_no_folder() -> None:
    async def do(world: WebApps) -> None:
        environment = await begin(world, "sqlite-web-add-book")
        server = environment.server
        pid, folder = server.pid, server.folder
        assert (folder / "library.db").is_file()
        await environment.close()
        assert not folder.exists()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        await environment.close()

    in_world(do)


def test_claims_do_not_count() -> None:
    async def do(world: WebApps) -> None:
        environment = await begin(world, "sqlite-web-add-book")
        (step,) = await play(environment, [(Done("added"),)])
        assert (step.reward, step.terminated) == (0.0, True)
        assert "expected" in step.info["reason"]
        await environment.close()

    in_world(do)
