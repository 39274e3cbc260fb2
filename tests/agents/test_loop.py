"""The loop, trajectories, and episodes behind the interface of a model."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from screenmark.agents.adapter import Ask, EpisodeAdapter
from screenmark.agents.base import Agent, AgentMaker, Decision, SaveScreen
from screenmark.agents.episode import Episode
from screenmark.agents.loop import run_episode
from screenmark.agents.oracle import OracleMaker
from screenmark.agents.random_agent import RandomMaker
from screenmark.agents.trajectory import Recorder, episode_name, read_trajectory
from screenmark.answers.actions.schema import Click, Done, Fail, GiveAnswer, Type
from screenmark.environments import Environment, Observation
from screenmark.errors import DataError, EnvironmentFailure, RejectedError
from screenmark.types import Message, Reply, Request, Text, Usage
from tests.support.toy_world import Counter, Toy

CLICK = Decision(actions=(Click((0.5, 0.5)),))
DONE = Decision(actions=(Done(),))
NONSENSE = Decision(invalid="there is no action in it", text="Hm.", usage=Usage(10, 2))
TYPE = Decision(actions=(Type("x"),))


class Script(Agent):
    """Decides as it was told, and keeps what it was shown."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._decisions = iter(decisions)
        self.shown: list[Observation] = []

    async def decide(self, observation: Observation) -> Decision:
        self.shown.append(observation)
        return next(self._decisions)


def play(folder: Path, decisions: Sequence[Decision], budget: int = 15) -> tuple[Episode, Script]:
    agent = Script(decisions)
    task = Toy().tasks()["toy/click-2"]
    run = run_episode(Counter(budget), task, 0, agent, Recorder(folder))
    return asyncio.run(run), agent


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ([CLICK, CLICK, DONE], {"success": 1.0, "steps": 3, "ended": "agent", "claim": "done"}),
        ([DONE], {"success": 0.0, "steps": 1, "ended": "agent", "claim": "done"}),
        ([Decision(actions=(Fail("no"),))], {"success": 0.0, "claim": "fail"}),
        ([CLICK, CLICK, Decision(actions=(GiveAnswer("2"),))], {"success": 1.0, "claim": "answer"}),
        ([CLICK] * 3, {"success": 0.0, "steps": 3, "ended": "budget", "claim": None}),
        ([CLICK, NONSENSE, CLICK], {"success": 1.0, "invalid": 1, "actions": 2, "ended": "budget"}),
        ([TYPE, TYPE, DONE], {"impossible": 2, "invalid": 0, "repeated": 1, "actions": 1}),
        ([NONSENSE] * 3, {"invalid": 3, "input_tokens": 30, "output_tokens": 6, "repeated": 2}),
    ],
    ids=["done", "too-soon", "fail", "answer", "budget", "invalid", "impossible", "nonsense"],
)
def test_how_an_episode_is_counted(
    tmp_path: Path, decisions: list[Decision], expected: dict[str, object]
) -> None:
    episode, _ = play(tmp_path / "e", decisions, budget=3)
    assert {name: getattr(episode, name) for name in expected} == expected


def test_what_was_wrong_is_told_once(tmp_path: Path) -> None:
    _, agent = play(tmp_path / "e", [NONSENSE, TYPE, CLICK, DONE])
    assert [shown.error for shown in agent.shown] == [
        None,
        "there is no action in it",
        "there is nothing to type into",
        None,
    ]


def test_an_agent_that_goes_in_circles_is_told(tmp_path: Path) -> None:
    _, agent = play(tmp_path / "e", [TYPE] * 5, budget=5)
    told = [bool(shown.notes) for shown in agent.shown]
    assert told == [False, False, False, True, False]


def test_a_trajectory_comes_back(tmp_path: Path) -> None:
    episode, agent = play(tmp_path / "e", [CLICK, NONSENSE, CLICK, DONE])
    trajectory = read_trajectory(tmp_path / "e")
    assert trajectory.episode == episode
    assert [step.step for step in trajectory.steps] == [1, 2, 3, 4]
    assert trajectory.steps[1].text == "Hm."
    assert trajectory.steps[1].error == "there is no action in it"
    first = trajectory.screen(trajectory.steps[0].screen)
    assert first.read_bytes() == agent.shown[0].screenshot
    assert [step.after is not None for step in trajectory.steps] == [False, False, False, True]
    assert len(list((tmp_path / "e" / "screens").iterdir())) == 3  # the same screen once


def test_an_unfinished_trajectory_is_none(tmp_path: Path) -> None:
    Recorder(tmp_path / "e").abandon()
    with pytest.raises(DataError, match="no finished episode"):
        read_trajectory(tmp_path / "e")


def test_a_disk_that_is_full_is_no_fault_of_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    recorder = Recorder(tmp_path / "episode")
    with pytest.raises(EnvironmentFailure, match="No space left on device"):
        recorder.save_screen(b"a picture")
    recorder.abandon()


def test_names_of_episodes() -> None:
    assert episode_name("miniwob/click-test", 3, 0) == "miniwob-click-test-3"
    assert episode_name("../../etc", 0, 1) == "etc-0-2"


def request(task: str = "toy/click-2", world: str = "toy", budget: int = 15) -> Request:
    ask = Ask(task=task, world=world, seed=0, budget=budget)
    text = msgspec.json.encode(ask).decode()
    return Request((Message("user", (Text(text),)),))


def ask(maker: AgentMaker, folder: Path, *requests: Request) -> list[Reply]:
    async def go() -> list[Reply]:
        adapter = EpisodeAdapter(maker, 4, worlds={"toy": Toy})
        adapter.use_folder(folder)
        await adapter.start()
        try:
            return list(await asyncio.gather(*(adapter.generate(one) for one in requests)))
        finally:
            await adapter.close()

    return asyncio.run(go())


def episode_of(reply: Reply) -> Episode:
    return msgspec.json.decode(reply.text, type=Episode)


def test_a_request_is_an_episode(tmp_path: Path) -> None:
    first, second = map(episode_of, ask(OracleMaker(), tmp_path, request(), request()))
    assert (first.success, first.agent_kind, first.steps) == (1.0, "oracle", 3)
    assert {first.folder, second.folder} == {"toy-click-2-0", "toy-click-2-0-2"}
    assert read_trajectory(tmp_path / "episodes" / first.folder).episode == first


def test_an_unfinished_folder_is_used_again(tmp_path: Path) -> None:
    left = tmp_path / "episodes" / "toy-click-2-0"
    Recorder(left).abandon()
    (left / "screens" / "old.png").write_bytes(b"")
    (reply,) = ask(OracleMaker(), tmp_path, request())
    assert episode_of(reply).folder == "toy-click-2-0"
    assert not (left / "screens" / "old.png").exists()


@pytest.mark.parametrize("times", [1, 2])
def test_a_world_that_breaks_down_has_a_second_chance(
    tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counter, "broken", times)
    if times == 1:
        (reply,) = ask(OracleMaker(), tmp_path, request())
        assert episode_of(reply).success == 1.0
    else:
        with pytest.raises(EnvironmentFailure, match="broke down"):
            ask(OracleMaker(), tmp_path, request())


@pytest.mark.parametrize(
    "wrong", [request(task="toy/none"), Request((Message("user", (Text("hello"),)),))]
)
def test_what_is_no_episode(tmp_path: Path, wrong: Request) -> None:
    with pytest.raises(RejectedError):
        ask(OracleMaker(), tmp_path, wrong)


def test_random_turns_depend_on_task_and_seed_alone(tmp_path: Path) -> None:
    one, other = ask(RandomMaker(), tmp_path, request(), request())
    runs = [read_trajectory(tmp_path / "episodes" / episode_of(r).folder) for r in (one, other)]
    assert [s.actions for s in runs[0].steps] == [s.actions for s in runs[1].steps]


class ScriptMaker(AgentMaker):
    """Agents that were never made: making them fails."""

    name = "broken"
    kind = "embedded"

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        raise EnvironmentFailure("no agent")


def test_nothing_stays_open_if_an_agent_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="no agent"):
        ask(ScriptMaker(), tmp_path, request())
    assert not (tmp_path / "episodes" / "toy-click-2-0" / "episode.json").exists()
