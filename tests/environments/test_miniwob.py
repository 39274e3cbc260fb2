"""MiniWoB++ in a real browser: a few pages a day here, all of them in the long tests."""

import asyncio
import datetime
from collections.abc import Awaitable, Callable, Sequence

import pytest

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import (
    Click,
    CloseTab,
    Done,
    Goto,
    HoldKey,
    Key,
    KeyDown,
    KeyUp,
    NewTab,
    SelectOption,
    System,
    Type,
    Wait,
)
from screenmark.environments import Environment, Step
from screenmark.environments.miniwob import UNSTEADY, MiniWob, MiniWobEnvironment, page_names
from screenmark.environments.miniwob.oracles import ORACLES
from screenmark.environments.miniwob.world import VIEWPORT
from screenmark.environments.page_reader import PageReader

TODAY = datetime.datetime.now(datetime.UTC).toordinal()
ALL = [name for name in page_names() if name not in UNSTEADY]
SOLVED = list(ORACLES)


def some(names: Sequence[str], count: int) -> list[str]:
    """Other ones each day, all of them in the course of time."""
    return [names[(TODAY * count + n) % len(names)] for n in range(count)]


def in_world(do: Callable[[MiniWob], Awaitable[None]]) -> None:
    async def go() -> None:
        world = MiniWob()
        await world.start()
        try:
            await do(world)
        finally:
            await world.close()

    asyncio.run(go())


async def begin(world: MiniWob, name: str, seed: int = 0, budget: int = 60) -> Environment:
    environment = world.environment(budget)
    await environment.reset(world.tasks()[f"miniwob/{name}"], seed)
    return environment


async def play(environment: Environment, turns: Sequence[Sequence[Action]]) -> list[Step]:
    return [await environment.step(turn) for turn in turns]


async def solve(environment: Environment) -> Step:
    turns = environment.oracle()
    assert turns is not None
    async for turn in turns:
        step = await environment.step(turn)
        if step.terminated or step.truncated:
            return step
    pytest.fail(f"the oracle of {environment.task.id} has no more turns")


async def check_page(world: MiniWob, name: str) -> None:
    """One seed gives one screen, and doing nothing or the wrong thing earns nothing."""
    task = world.tasks()[f"miniwob/{name}"]
    first, again = world.environment(3), world.environment(3)
    one = await first.reset(task, 7)
    other = await again.reset(task, 7)
    assert one.instruction == other.instruction != "", name
    assert one.screenshot == other.screenshot, name
    idle = await play(first, [(), (), ()])
    assert (idle[-1].reward, idle[-1].truncated) == (0.0, True), name
    async for turn in again.mistake():
        step = await again.step(turn)
    assert (step.reward, step.terminated) == (0.0, True), name
    await first.close()
    await again.close()


async def check_oracle(world: MiniWob, name: str, seed: int) -> None:
    environment = await begin(world, name, seed)
    step = await solve(environment)
    assert step.reward == 1.0, (name, seed, step.info)
    assert step.observation.step <= 15, (name, seed)
    await environment.close()


def test_some_pages_are_steady_and_give_nothing_away() -> None:
    async def do(world: MiniWob) -> None:
        for name in some(ALL, 3):
            await check_page(world, name)

    in_world(do)


def test_some_oracles() -> None:
    async def do(world: MiniWob) -> None:
        for name in some(SOLVED, 4):
            await check_oracle(world, name, TODAY % 50)

    in_world(do)


@pytest.mark.full
@pytest.mark.parametrize("part", range(21))
def test_all_pages(part: int) -> None:
    async def do(world: MiniWob) -> None:
        for name in ALL[part::21]:
            await check_page(world, name)

    in_world(do)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("part", range(5))
def test_all_oracles(part: int, seed: int) -> None:
    async def do(world: MiniWob) -> None:
        for name in SOLVED[part::5]:
            await check_oracle(world, name, seed)

    in_world(do)


def test_the_set_of_pages() -> None:
    assert len(page_names()) == 130
    assert len(MiniWob().tasks()) == 126
    assert not {f"miniwob/{name}" for name in UNSTEADY} & set(MiniWob().tasks())


def test_the_score_is_hidden_and_no_second_episode_begins() -> None:
    async def do(world: MiniWob) -> None:
        environment = await begin(world, "click-test")
        assert isinstance(environment, MiniWobEnvironment)
        page = environment.page
        hidden = "e => getComputedStyle(document.querySelector(e)).display"
        assert await page.evaluate(hidden, "#reward-display") == "none"
        step = await solve(environment)
        assert await page.evaluate(hidden, "#sync-task-cover") == "none"
        assert step.info["reason"] == "raw reward 1"

    in_world(do)


def error_of(step: Step) -> str:
    return step.observation.error or ""


def test_what_an_agent_tries_outside_of_its_page() -> None:
    async def do(world: MiniWob) -> None:
        environment = await begin(world, "click-test")
        turns: list[Sequence[Action]] = [
            (Goto("https://example.com/"),),
            (Goto("file:///etc/passwd"),),
            (Goto("javascript:WOB_RAW_REWARD_GLOBAL=1;WOB_DONE_GLOBAL=true"),),
            (Goto("http://127.0.0.1:9/"),),
            (Goto("data:text/html,hello"),),
            (SelectOption((0.9, 0.9), "x"),),
            (Key(("volumeup", "f24")), Wait(0)),
            (NewTab(),),
        ]
        steps = await play(environment, turns)
        assert [bool(error_of(step)) for step in steps] == [True] * 6 + [True, False]
        assert "cannot be reached" in error_of(steps[0])
        assert steps[-1].observation.tabs[0] == "Click Test Task"
        assert len(steps[-1].observation.tabs) == 2
        await environment.close()

    in_world(do)


def test_pop_ups_downloads_and_dialogs_are_told_and_harm_nothing() -> None:
    async def do(world: MiniWob) -> None:
        environment = await begin(world, "click-test")
        assert isinstance(environment, MiniWobEnvironment)
        page = environment.page
        await page.evaluate("window.open('https://example.com/'); setTimeout(() => alert('hi'))")
        await page.evaluate(
            "const a = document.createElement('a'); a.download = 'x'; a.href = 'data:,x'; a.click()"
        )
        await page.evaluate("fetch('http://127.0.0.1:1/').catch(() => { window.refused = true })")
        await page.wait_for_function("window.refused")
        (step,) = await play(environment, [(Wait(0.3),)])
        notes = " ".join(step.observation.notes)
        assert "'hi'" in notes
        assert "new tab" in notes
        assert "download" in notes
        assert (await solve(environment)).reward == 1.0
        await environment.close()

    in_world(do)


def test_each_episode_has_its_own_clipboard() -> None:
    async def do(world: MiniWob) -> None:
        one, other = await begin(world, "copy-paste", 1), await begin(world, "copy-paste", 2)
        turns = one.oracle(), other.oracle()
        steps: list[Step] = []
        for _ in range(3):  # in turns: copy, copy, paste, paste, submit, submit
            for environment, script in zip((one, other), turns, strict=True):
                assert script is not None
                steps.append(await environment.step(await anext(script)))
        assert [step.reward for step in steps[-2:]] == [1.0, 1.0]

    in_world(do)


def test_nothing_is_pasted_from_another_episode() -> None:
    async def do(world: MiniWob) -> None:
        one, other = await begin(world, "enter-text"), await begin(world, "enter-text")
        assert isinstance(one, MiniWobEnvironment)
        assert isinstance(other, MiniWobEnvironment)
        mine = PageReader(lambda: one.page, VIEWPORT)
        others = PageReader(lambda: other.page, VIEWPORT)
        place = await others.place("#tt")
        (typed,) = await play(one, [(Type("secret", point=place), Key(("ctrl", "a")))])
        assert typed.observation.error is None
        await play(one, [(Key(("ctrl", "c")),)])
        pastes: list[Sequence[Action]] = [
            (Key(("ctrl", "shift", "v")),),
            (KeyDown("ctrl"), Key(("v",)), KeyUp("ctrl")),
            (KeyDown("ctrl"), KeyDown("v"), KeyUp("v"), KeyUp("ctrl")),
            (HoldKey(("ctrl", "v"), 0.0),),
            (Click(place, button="middle"), Wait(0.2)),
        ]
        for turn in pastes:
            await play(other, [(Click(place),), turn])
            assert await others.read("#tt", "value") == [""], turn
        for turn in pastes[:-1]:
            await play(one, [(Type("", point=place, clear=True),), turn])
            assert await mine.read("#tt", "value") == ["secret"], turn
        await one.close()
        await other.close()

    in_world(do)


@pytest.mark.parametrize(
    "turn", [(Key(("f5",)), Wait(0.5)), (System("back"), Wait(0.2)), (NewTab(), CloseTab())]
)
def test_leaving_the_page_is_worth_nothing(turn: Sequence[Action]) -> None:
    async def do(world: MiniWob) -> None:
        environment = await begin(world, "click-test")
        (step,) = await play(environment, [turn])
        if isinstance(turn[0], NewTab):  # back on the page, as it was
            assert not step.terminated
            assert (await solve(environment)).reward == 1.0
        elif not step.terminated:
            assert (await play(environment, [(Done(),)]))[0].reward == 0.0
        await environment.close()

    in_world(do)
