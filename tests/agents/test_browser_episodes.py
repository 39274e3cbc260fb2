"""Episodes in a real browser that go wrong: a crash in the middle, a killed run."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from screenmark.agents.adapter import Ask, EpisodeAdapter
from screenmark.agents.base import Agent, AgentMaker, Decision, SaveScreen
from screenmark.agents.episode import Episode
from screenmark.agents.oracle import OracleAgent
from screenmark.environments import Environment, Observation
from screenmark.environments.miniwob import MiniWobEnvironment
from screenmark.types import Message, Request, Text

ASK = Ask(task="miniwob/click-button-sequence", world="miniwob", seed=0, budget=15)


class Crasher(Agent):
    """An oracle that loses its page or its whole browser before its second turn, once."""

    def __init__(self, environment: MiniWobEnvironment, how: str, left: list[str]) -> None:
        self._environment = environment
        self._how = how
        self._left = left
        self._oracle = OracleAgent(environment)

    async def decide(self, observation: Observation) -> Decision:
        if observation.step == 1 and self._left:
            self._left.pop()
            context = self._environment.page.context
            if self._how == "browser":
                assert context.browser is not None
                await context.browser.close()
            else:
                await context.close()
        return await self._oracle.decide(observation)


class CrasherMaker(AgentMaker):
    name = "crasher"
    kind = "embedded"

    def __init__(self, how: str) -> None:
        self._how = how
        self._left = ["once"]

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        assert isinstance(environment, MiniWobEnvironment)
        return Crasher(environment, self._how, self._left)


@pytest.mark.parametrize("how", ["browser", "page"])
def test_a_lost_browser_costs_a_second_try_and_no_task(tmp_path: Path, how: str) -> None:
    async def go() -> Episode:
        adapter = EpisodeAdapter(CrasherMaker(how), 1)
        adapter.use_folder(tmp_path)
        text = msgspec.json.encode(ASK).decode()
        try:
            reply = await adapter.generate(Request((Message("user", (Text(text),)),)))
        finally:
            await adapter.close()
        return msgspec.json.decode(reply.text, type=Episode)

    episode = asyncio.run(go())
    assert (episode.success, episode.steps) == (1.0, 2)


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "screenmark", "run", "miniwob", "--model", "oracle"]
    limits = ["--max-samples", "6", "--concurrency", "1", "--runs-dir", str(folder)]
    return subprocess.Popen(
        [*command, *limits],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def finished(folder: Path) -> dict[str, int]:
    """When each finished episode was written."""
    files = folder.glob("*/artifacts/episodes/*/episode.json")
    return {file.parent.name: file.stat().st_mtime_ns for file in files}


def records(folder: Path) -> list[str]:
    file = next(folder.glob("*/records.jsonl"), None)
    lines = [] if file is None else file.read_bytes().splitlines()
    return [msgspec.json.decode(line)["sample_id"] for line in lines]


def test_a_killed_run_goes_on_without_playing_again(tmp_path: Path) -> None:
    first = start(tmp_path)
    end = time.monotonic() + 60
    while len(records(tmp_path)) < 2 and first.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    kept, before = records(tmp_path), finished(tmp_path)
    assert 2 <= len(kept) < 6
    assert start(tmp_path).wait(timeout=100) == 0
    after = finished(tmp_path)
    for id in kept:
        name = id.replace("/", "-").replace("#", "-")
        assert after[name] == before[name]
    assert len(records(tmp_path)) == len(set(records(tmp_path))) == 6
