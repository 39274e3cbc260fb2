"""Replies that call tools, as the vendors' interfaces send them, in an episode of each dialect."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.agents.asking import Asker
from screenmark.agents.loop import run_episode
from screenmark.agents.model_agent import ModelMaker
from screenmark.agents.trajectory import Recorder, Trajectory, read_trajectory
from screenmark.answers import get_profile
from screenmark.answers.actions import DIALECTS, read_turn
from screenmark.geometry import Size
from screenmark.models import ModelOptions, build_adapter
from screenmark.types import Outcome
from tests.support.toy_world import Counter, Toy
from tests.support.vendors import Vendor, sends

SAID = "I will click the button."
OPENAI = ("computer", {"type": "click", "x": 500, "y": 500, "button": "left"})
OPENAI_ACTION = ("click", {"x": 500, "y": 500, "button": "left"})
QWEN = ("computer_use", {"action": "left_click", "coordinate": [500, 500]})
CLAUDE = ("computer", {"action": "left_click", "coordinate": [500, 500]})
TOOLSET = ("left_click", {"coordinate": [500, 500]})
GEMINI = ("click_at", {"x": 500, "y": 500})
OSWORLD = ("computer", {"action_type": "CLICK", "parameters": {"x": 500, "y": 500}})
ANDROID = ("phone", {"action_type": "click", "x": 500, "y": 500})
CALLS = {
    "openai": OPENAI,
    "openai-action": OPENAI_ACTION,
    "qwen": QWEN,
    "claude": CLAUDE,
    "toolset": TOOLSET,
    "gemini": GEMINI,
    "osworld": OSWORLD,
    "android": ANDROID,
    "other": ("search_web", {"query": "buttons"}),
    "ends": ("finished", {"status": "DONE"}),
}
FITS = {
    "openai": {"openai", "openai-action"},
    "qwen": {"qwen", "claude"},
    "qwen-mobile": {"qwen", "claude"},
    "gemini": {"gemini"},
    "computer_13": {"osworld"},
    "android_world": {"android", "openai-action"},
    **{name: {"claude", "toolset"} for name in DIALECTS if name.startswith("claude")},
}


def chat(said: str | None, *calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """A chat completion; arguments are JSON in a string, as the interface has them."""
    tools = [
        {"id": str(n), "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}
        for n, (name, a) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": said, "tool_calls": tools, **more}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def messages(said: str | None, *calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """A reply of Anthropic's Messages API."""
    thinks = {"type": "thinking", "thinking": "The button is grey.", "signature": "x"}
    text = [] if said is None else [{"type": "text", "text": said}]
    tools = [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(calls)
    ]
    return {"type": "message", "content": [thinks, *text, *tools], "stop_reason": "tool_use"}


def responses(said: str | None, *calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """A reply of the Responses API with the vendor's own computer calls."""
    thinks = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "It is grey."}]}
    text = {"type": "message", "content": [{"type": "output_text", "text": said}]}
    tools = [{"type": "computer_call", "call_id": "c", "action": given} for _, given in calls]
    output = [thinks, *([] if said is None else [text]), *tools]
    return {"status": "completed", "output": output, "error": None}


WAYS: dict[str, tuple[Any, dict[str, Any]]] = {
    "chat": (chat, {}),
    "messages": (messages, {"adapter": "anthropic", "api_key": "k"}),
    "responses": (responses, {"preset": "openai-responses"}),
}


def play(
    folder: Path, dialect: str, *bodies: Any, way: str = "chat", budget: int = 3
) -> Trajectory:
    """Two clicks are wanted; the last body is repeated."""

    async def go() -> None:
        async with Vendor(*(sends(200, body) for body in bodies)).serve() as base:
            path = "" if way == "messages" else "/v1"
            options = ModelOptions(model="m", api_base=(base + path,), **WAYS[way][1])
            maker = ModelMaker(Asker(build_adapter(options), options, 0), PROFILE, dialect)
            await maker.start()
            environment, recorder = Counter(budget), Recorder(folder)
            task = Toy().tasks()["toy/click-2"]
            agent = maker.make(environment, recorder.save_screen)
            try:
                await run_episode(environment, task, 0, agent, recorder)
            finally:
                await maker.close()

    asyncio.run(go())
    return read_trajectory(folder)


PROFILE = get_profile("permille")
TWICE = json.dumps({"name": QWEN[0], "arguments": QWEN[1]})
WRONG = ("computer_use", {"action": "key", "keys": 9})


@pytest.mark.parametrize("said", [None, SAID], ids=["alone", "beside a text"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_fits_or_is_an_invalid_turn(tmp_path: Path, dialect: str, said: str | None) -> None:
    found = play(tmp_path, dialect, *(chat(said, call) for call in CALLS.values()), budget=10)
    right = [name for name, step in zip(CALLS, found.steps, strict=True) if step.error is None]
    assert set(right) == FITS.get(dialect, set())
    assert (found.episode.claim, found.episode.actions) == (None, len(right))


@pytest.mark.parametrize(
    ("way", "dialect", "call"),
    [
        ("messages", "claude", CLAUDE),
        ("messages", "claude-20260801", TOOLSET),
        ("messages", "qwen", QWEN),
        ("responses", "openai", OPENAI),
    ],
)
@pytest.mark.parametrize("said", [None, SAID], ids=["alone", "beside a text"])
def test_other_interfaces(
    tmp_path: Path, way: str, dialect: str, call: tuple[str, Any], said: str | None
) -> None:
    made = WAYS[way][0]
    found = play(tmp_path, dialect, made(said, call), made(said, call, call), way=way)
    assert (found.episode.invalid, found.episode.actions) == (0, 5)
    assert "grey" in found.steps[0].thought
    assert (said or "") in found.steps[0].thought
    assert found.steps[0].text.startswith(said or "{")


def test_a_last_word_ends_an_episode_and_one_before_a_call_does_not(tmp_path: Path) -> None:
    ends = chat("All is clicked.")
    ends["choices"][0]["finish_reason"] = "stop"
    episode = play(tmp_path, "claude", chat(SAID, CLAUDE), chat(SAID, CLAUDE), ends).episode
    assert (episode.claim, episode.success, episode.steps) == ("done", 1.0, 3)


LOST: list[dict[str, Any]] = [
    {"tool_calls": None},
    {"tool_calls": []},
    {"tool_calls": [{"type": "custom"}]},
    {"tool_calls": [{"function": {"name": "click", "arguments": "{"}}]},
    {"tool_calls": [{"function": {"name": "computer"}}]},
]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_that_is_lost_is_no_last_word(tmp_path: Path, dialect: str) -> None:
    bodies = [chat(said, **broken) for said in ("Done.", SAID) for broken in LOST]
    episode = play(tmp_path, dialect, *bodies, budget=len(bodies)).episode
    assert (episode.invalid, episode.claim) == (len(bodies), None)


def test_thinking_apart_is_kept_and_not_sent_again(tmp_path: Path) -> None:
    body = chat(None, QWEN, reasoning_content="Where is it?")
    step = play(tmp_path, "qwen", body).steps[0]
    assert step.thought == "Where is it?"
    assert "Where" not in step.text


@pytest.mark.parametrize(
    ("text", "calls", "outcome"),
    [
        pytest.param("I {really} click.", [QWEN], Outcome.OK, id="braces"),
        pytest.param(TWICE, [QWEN], Outcome.OK, id="same"),
        pytest.param('{"action": "wait"}', [QWEN], Outcome.UNPARSEABLE, id="another"),
        pytest.param("<think>Now.</think>", [QWEN, QWEN], Outcome.OK, id="thought"),
        pytest.param("x", [WRONG], Outcome.UNPARSEABLE, id="wrong"),
    ],
)
def test_a_text_and_calls(text: str, calls: list[Any], outcome: Outcome) -> None:
    written = [json.dumps({"name": name, "arguments": given}) for name, given in calls]
    turn = read_turn(text, profile=PROFILE, size=Size(200, 100), dialect="qwen", calls=written)
    assert turn.answer.outcome is outcome
    assert len(turn.actions) == (len(calls) if outcome is Outcome.OK else 0)
