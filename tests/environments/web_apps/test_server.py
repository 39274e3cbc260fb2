"""Processes of applications: what they take for today, and that they go when their runner does."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from screenmark.environments.web_apps.server import AppServer
from screenmark.environments.web_apps.states import first_state, put


@contextmanager
def served(app: str) -> Iterator[AppServer]:
    with asyncio.Runner() as runner:
        server = AppServer(app)
        put(app, first_state(app), server.folder)
        try:
            runner.run(server.start())
            yield server
        finally:
            runner.run(server.close())


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read().decode("utf-8"))


def test_fava_thinks_it_is_the_25th_of_march_2024() -> None:
    with served("fava") as server:
        asked = urllib.parse.urlencode({"query_string": "SELECT today() LIMIT 1"})
        assert "2024-03-25" in get(f"{server.origin}/household/api/query?{asked}")
        of_the_year = f"{server.origin}/household/api/journal?time=year"
        now = get(of_the_year)
        assert "Rent January" in now
        assert now == get(of_the_year.replace("year", "2024"))


def test_sqlite_web_thinks_it_is_2024() -> None:
    with served("sqlite-web") as server:
        assert "&copy; 2024" in get(server.origin)


RUNNER = """
import asyncio
from screenmark.environments.web_apps.server import AppServer
from screenmark.environments.web_apps.states import first_state, put

async def run():
    servers = [AppServer(app) for app in ("fava", "sqlite-web")]
    for server, app in zip(servers, ("fava", "sqlite-web")):
        put(app, first_state(app), server.folder)
        await server.start()
    print(*(server.pid for server in servers), flush=True)
    await asyncio.sleep(600)

asyncio.run(run())
"""
WITH_BROWSER = """
import asyncio, os
from pathlib import Path
from screenmark.environments.web_apps import WebApps

async def run():
    world = WebApps()
    await world.start()
    environment = world.environment()
    await environment.reset(world.tasks()["webapps/sqlite-web-add-book"], 0)
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    print(environment.server.pid, *children.read_text().split(), flush=True)
    await asyncio.sleep(600)

asyncio.run(run())
"""


@pytest.mark.parametrize(
    "script",
    [RUNNER, pytest.param(WITH_BROWSER, marks=pytest.mark.full)],
    ids=["applications", "with a browser"],
)
def test_a_killed_runner_leaves_no_process_and_no_folder(script: str, tmp_path: Path) -> None:
    runner = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert runner.stdout is not None
    with runner, runner.stdout:
        pids = [int(pid) for pid in runner.stdout.readline().split()]
        assert len(pids) >= 2
        runner.send_signal(signal.SIGKILL)
    _wait_for(lambda: not any(_runs(pid) for pid in pids))
    assert list(tmp_path.glob("screenmark-*")) == []
    _wait_for(lambda: not _using(tmp_path))


def _wait_for(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < end, "still there"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _using(folder: Path) -> list[str]:
    """Processes whose command names the folder, as a browser's profile does."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found
