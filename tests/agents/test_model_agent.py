"""A model in the loop: what it is sent, how its numbers are read, what is asked again."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from screenmark.agents.asking import Asker
from screenmark.agents.base import Decision
from screenmark.agents.model_agent import History, ModelMaker
from screenmark.agents.prompt import state_text
from screenmark.agents.trajectory import Recorder
from screenmark.answers import get_profile
from screenmark.answers.actions.schema import Click, Type
from screenmark.environments import Observation
from screenmark.errors import RejectedError, TransientError, UsageError
from screenmark.images import encode
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.models.sent import sent_image
from screenmark.types import Image, ImageLimits, Reply, Request, Text, Usage
from tests.support.toy_world import SIZE, Counter, picture

QWEN = 'I see.\n<tool_call>\n{"name": "computer_use", "arguments": %s}\n</tool_call>'


class Fake(AsyncAdapter):
    """Answers in turn and keeps what it was asked; an error among the answers is raised."""

    name = "fake"
    image_limits = ImageLimits()

    def __init__(self, answers: Sequence[str | Exception]) -> None:
        self._answers = iter(answers)
        self.asked: list[Request] = []

    async def generate(self, request: Request) -> Reply:
        self.asked.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        images = [sent_image(encode(path, request.image_limits)) for path in request.images]
        return Reply(answer, usage=Usage(7, 3), images=tuple(images))


def observe(step: int, **more: object) -> Observation:
    fields = {"instruction": "Click 2 times.", "budget": 15, "size": SIZE, "scale": 1.0, **more}
    return Observation(screenshot=picture(step), step=step, **fields)  # type: ignore[arg-type]


def decide(
    folder: Path,
    answers: Sequence[str | Exception],
    shown: Sequence[Observation],
    *,
    profile: str = "pixel",
    screens: int | None = 3,
    limits: ImageLimits | None = None,
    retries: int = 0,
) -> tuple[list[Decision], list[Request]]:
    adapter = Fake(answers)
    asker = Asker(adapter, ModelOptions(model="fake"), retries)
    asker.limits = limits
    maker = ModelMaker(asker, get_profile(profile), history=History(screens=screens))
    recorder = Recorder(folder)
    recorder.abandon()
    agent = maker.make(Counter(), recorder.save_screen)

    async def go() -> list[Decision]:
        return [await agent.decide(observation) for observation in shown]

    return asyncio.run(go()), adapter.asked


CLICK = "pyautogui.click(x=50, y=25)"


@pytest.mark.parametrize(("screens", "pictures"), [(1, [1, 1, 1, 1]), (3, [1, 2, 3, 3])])
def test_the_last_screens_and_all_words(tmp_path: Path, screens: int, pictures: list[int]) -> None:
    shown = [observe(step) for step in range(4)]
    _, asked = decide(tmp_path / "e", [CLICK] * 4, shown, screens=screens)
    assert [len(request.images) for request in asked] == pictures
    last = asked[-1]
    assert [m.role for m in last.messages] == ["system", *["user", "assistant"] * 3, "user"]
    assert last.text.count("Task: Click 2 times.") == 1
    assert "Turn 4 of 15." in last.text
    assert isinstance(last.messages[-1].parts[-1], Image)


def test_what_went_wrong_and_what_no_picture_shows(tmp_path: Path) -> None:
    more = {"error": "no such key", "notes": ("a dialog",), "tabs": ("A", "B"), "tab": 1}
    _, asked = decide(tmp_path / "e", [CLICK], [observe(1, **more, closeup=picture(5))])
    text = asked[0].text
    assert "could not be carried out: no such key" in text
    assert "Note: a dialog." in text
    assert "0 'A', 1 'B' (in front)" in text
    assert len(asked[0].images) == 2
    assert Path(asked[0].images[-1]).read_bytes() == picture(1)


@pytest.mark.parametrize(
    ("profile", "reply", "limits", "point"),
    [
        ("pixel", CLICK, None, (0.25, 0.25)),
        ("pixel", CLICK, ImageLimits(max_edge=100), (0.5, 0.5)),
        ("permille", "pyautogui.click(x=500, y=250)", ImageLimits(max_edge=100), (0.5, 0.25)),
        (
            "qwen3-vl",
            QWEN % '{"action": "left_click", "coordinate": [500, 250]}',
            None,
            (0.5, 0.25),
        ),
        ("ui-tars-1", "Thought: hm\nAction: click(start_box='(500,250)')", None, (0.5, 0.25)),
    ],
)
def test_places_in_the_models_own_space(
    tmp_path: Path, profile: str, reply: str, limits: ImageLimits | None, point: tuple[float, float]
) -> None:
    (decision,), _ = decide(tmp_path / "e", [reply], [observe(0)], profile=profile, limits=limits)
    (action,) = decision.actions
    assert isinstance(action, Click)
    assert action.point == pytest.approx(point, abs=0.006)
    assert decision.usage == Usage(7, 3)


def test_thinking_is_kept_and_not_sent_again(tmp_path: Path) -> None:
    reply = f"<think>secret plan</think>\nI type.\n{CLICK}"
    decisions, asked = decide(tmp_path / "e", [reply, CLICK], [observe(0), observe(1)])
    assert "secret plan" in decisions[0].thought
    assert "secret plan" in decisions[0].text
    assert "I type." in asked[1].text
    assert "secret plan" not in asked[1].text


@pytest.mark.parametrize("reply", ["Nice.", "", "I'm sorry, but I can't help with that."])
def test_a_reply_without_an_action_says_why(tmp_path: Path, reply: str) -> None:
    (decision,), _ = decide(tmp_path / "e", [reply], [observe(0)])
    assert decision.actions == ()
    assert decision.invalid


def test_the_prompt_shows_the_dialects_own_actions(tmp_path: Path) -> None:
    reply = QWEN % '{"action": "type", "text": "x"}'
    (decision,), asked = decide(tmp_path / "e", [reply], [observe(0)], profile="qwen3-vl")
    assert decision.actions == (Type("x"),)
    system = asked[0].messages[0].parts[0]
    assert isinstance(system, Text)
    assert '"action": "left_click"' in system.text
    assert "pyautogui" not in system.text


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("screenmark.agents.asking.asyncio.sleep", sleep)
    return waits


def test_a_fault_that_passes_costs_no_turn(tmp_path: Path, no_waiting: list[float]) -> None:
    slow = TransientError("429", status=429, retry_after=9.0)
    (decision,), asked = decide(tmp_path / "e", [slow, CLICK], [observe(0)], retries=1)
    assert (len(asked), len(decision.actions)) == (2, 1)
    assert no_waiting == [9.0]


@pytest.mark.parametrize(
    ("error", "asked"), [(lambda: TransientError("down"), 3), (lambda: RejectedError("400"), 1)]
)
def test_a_fault_that_stays_is_no_turn(
    tmp_path: Path, no_waiting: list[float], error: Callable[[], Exception], asked: int
) -> None:
    adapter = Fake([error() for _ in range(3)])
    asker = Asker(adapter, ModelOptions(), 2)
    with pytest.raises(type(error())):
        asyncio.run(asker.ask(()))
    assert len(adapter.asked) == asked


def test_a_run_that_stops_waits_for_no_other_try() -> None:
    adapter = Fake([TransientError("down", retry_after=60.0)] * 3)
    asker = Asker(adapter, ModelOptions(), 2)

    async def go() -> None:
        asking = asyncio.create_task(asker.ask(()))
        await asyncio.sleep(0)  # till the first try has failed
        assert list(asker.waiting.values()) == ["down"]
        asker.stop_waiting()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert not asker.waiting
        with pytest.raises(TransientError):
            await asker.ask(())

    asyncio.run(go())
    assert len(adapter.asked) == 2


def test_a_dialect_that_there_is_not() -> None:
    asker = Asker(Fake([]), ModelOptions(), 0)
    with pytest.raises(UsageError, match="no dialect 'latin'"):
        ModelMaker(asker, get_profile("pixel"), "latin")


UNREAD = [
    pytest.param("What a nice screen.", "there is no action in it", id="prose"),
    pytest.param(
        "pyautogui.click(x=500, y=25)",
        "(500, 25) lies outside the screen, which is 200 wide and 100 high",
        id="outside",
    ),
    pytest.param("```python\nx = 3\n```", "only calls are read, not 'x = 3'", id="code"),
    pytest.param("I'm sorry, I can't help with that.", "declines the task", id="refused"),
    pytest.param("", "holds no text", id="empty"),
]


@pytest.mark.parametrize(("reply", "reason"), UNREAD)
def test_a_reply_that_is_no_turn_is_told_as_that(tmp_path: Path, reply: str, reason: str) -> None:
    (first,), _ = decide(tmp_path / "a", [reply], [observe(0)])
    assert reason in str(first.invalid)
    shown = [observe(0), observe(1, error=first.invalid), observe(2, error="no such key")]
    _, asked = decide(tmp_path / "b", [reply, CLICK, CLICK], shown)
    told = [request.messages[-1].parts[0] for request in asked]
    texts = [part.text for part in told if isinstance(part, Text)]
    assert f"Your last reply was no valid turn, so nothing was done: {first.invalid}." in texts[1]
    assert "carried out" not in texts[1]
    assert "could not be carried out: no such key." in texts[2]


def test_what_is_told_is_one_short_line() -> None:
    text = state_text(observe(1, error="a\nb " * 400), unread=True)
    assert "nothing was done: a b a b" in text
    assert max(map(len, text.splitlines())) < 320


def test_text_and_tree_go_out_once_and_within_bounds(tmp_path: Path) -> None:
    page = {"text": "Save\ud800" + "x" * 20_000, "tree": "- button: Save"}
    shown = [observe(step, **page) for step in range(3)]
    _, asked = decide(tmp_path / "e", [CLICK] * 3, shown)
    for request in asked:
        assert request.text.count("Accessibility tree:\n- button: Save") == 1
        assert request.text.count("Text on the page:\nSave?xxx") == 1
        assert "… (the first 12,000 of 20,005 characters)" in request.text
        assert len(request.text) < 18_000
    _, asked = decide(tmp_path / "f", [CLICK], [observe(0)])
    assert "Text on the page" not in asked[0].text


@pytest.mark.parametrize(
    ("profile", "pictures"), [("pixel", 3), ("qwen3-vl", 5), ("ui-tars", 5), ("claude", 10)]
)
def test_as_many_screens_as_the_family_s_own_agents(
    tmp_path: Path, profile: str, pictures: int
) -> None:
    shown = [observe(0)] * 13
    _, asked = decide(tmp_path / "e", ["Hm, {"] * 13, shown, profile=profile, screens=None)
    assert [len(request.images) for request in asked] == [min(n, pictures) for n in range(1, 14)]


def test_long_episodes_stay_within_bounds(tmp_path: Path) -> None:
    turns = 70
    shown = [observe(step, budget=turns) for step in range(turns)]
    _, asked = decide(tmp_path / "e", ["x" * 5000 + CLICK] * turns, shown)
    last = asked[-1]
    assert len(last.images) == 3
    assert len(last.messages) == 1 + 2 * 50 + 1
    assert len(last.text) < 90_000
    assert f"Turn {turns} of {turns}." in last.text
    assert last.text.count("Task: Click 2 times.") == 1
