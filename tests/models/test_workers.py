"""Worker processes that die, hang, chatter, and outlive nobody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from screenmark.errors import ImageError, ModelError, TransientError
from screenmark.models.workers import WorkerPool
from tests.support.parsers import CHATTER, DIE, RAISE, SLEEP

ROOT = Path(__file__).parent.parent.parent
TARGET = "tests.support.parsers:Fragile"


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def image(tmp_path: Path) -> Callable[[int], dict[str, Any]]:
    def make(width: int) -> dict[str, Any]:
        path = tmp_path / f"{width} 图.png"
        Image.new("RGB", (width, 5)).save(path)
        return {"image": str(path), "size": [width, 5]}

    return make


def with_pool(count: int, work: Callable[[WorkerPool], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        pool = WorkerPool(TARGET, count)
        await pool.start()
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(main())


def test_tasks_are_spread_over_the_workers(image: Callable[[int], dict[str, Any]]) -> None:
    async def work(pool: WorkerPool) -> Any:
        return await asyncio.gather(*(pool.run(image(20 + n)) for n in range(6)))

    answers = [json.loads(answer["text"]) for answer in with_pool(2, work)]
    assert [size for _, size in answers] == [[20 + n, 5] for n in range(6)]
    assert len({pid for pid, _ in answers}) == 2
    assert os.getpid() not in {pid for pid, _ in answers}


def test_a_worker_that_dies_is_replaced(image: Callable[[int], dict[str, Any]]) -> None:
    async def work(pool: WorkerPool) -> tuple[Any, Any]:
        before = await pool.run(image(20))
        with pytest.raises(TransientError, match=r"died \(exit code 7: out of memory\)"):
            await pool.run(image(DIE))
        return before, await pool.run(image(21))

    before, after = with_pool(1, work)
    assert json.loads(before["text"])[0] != json.loads(after["text"])[0]


@pytest.mark.parametrize(
    ("width", "kind", "message"),
    [
        pytest.param(RAISE, ModelError, "ValueError: no such thing", id="the parser raises"),
        pytest.param(None, ImageError, "no such image file", id="the image is missing"),
    ],
)
def test_errors_pass_through_and_the_worker_lives_on(
    image: Callable[[int], dict[str, Any]],
    width: int | None,
    kind: type[Exception],
    message: str,
) -> None:
    async def work(pool: WorkerPool) -> tuple[Any, Any]:
        before = await pool.run(image(20))
        with pytest.raises(kind, match=message):
            await pool.run({"image": "gone.png", "size": [1, 1]} if width is None else image(width))
        return before, await pool.run(image(20))

    before, after = with_pool(1, work)
    assert before == after


def test_what_libraries_print_does_not_get_between(
    image: Callable[[int], dict[str, Any]],
) -> None:
    answer = with_pool(1, lambda pool: pool.run(image(CHATTER)))
    assert json.loads(answer["text"])[1] == [CHATTER, 5]


def test_what_was_seen_spares_a_second_look(image: Callable[[int], dict[str, Any]]) -> None:
    async def work(pool: WorkerPool) -> Any:
        first = await pool.run(image(20))
        task = {"image": "gone.png", "size": [20, 5], "prompt": "Well?"}
        return first, await pool.run({**task, "seen": first["seen"]})

    first, second = with_pool(1, work)
    assert json.loads(second["text"]) == [*json.loads(first["text"]), "Well?", [20, 5]]
    assert second["seen"] == first["seen"]


def test_a_task_given_up_does_not_answer_the_next_one(
    image: Callable[[int], dict[str, Any]],
) -> None:
    async def work(pool: WorkerPool) -> Any:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await pool.run(image(SLEEP))
        return await pool.run(image(20))

    assert json.loads(with_pool(1, work)["text"])[1] == [20, 5]


_PARENT = """
import asyncio, json, sys
from screenmark.models.workers import WorkerPool

async def main():
    pool = WorkerPool("tests.support.parsers:Fragile", 1)
    await pool.start()
    answer = await pool.run({"image": sys.argv[1], "size": [20, 5]})
    print(json.loads(answer["text"])[0], flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_an_idle_worker_ends_when_its_parent_is_killed(
    image: Callable[[int], dict[str, Any]],
) -> None:
    command = [sys.executable, "-c", _PARENT, image(20)["image"]]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait(10)
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(worker)
