"""Steps a second with screenshots in parallel browser contexts, memory and reset time.

Beside them BrowserGym on the same pages of MiniWoB++, in an environment of its own
(``build/browsergym``), all its waits set to 0. It sees the pages at their own size and adds the
accessibility tree and the DOM, so ours is measured like that too: one pixel for one of the page's,
with text and tree. Exit code 1 if we do fewer than 3 times its steps a second then.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from screenmark.answers.actions.schema import Click
from screenmark.environments import Environment
from screenmark.environments.miniwob import MiniWob, MiniWobEnvironment
from screenmark.environments.miniwob.pages import html_folder
from screenmark.environments.miniwob.world import SCALE

TASKS = ("click-button", "click-checkboxes", "enter-text", "login-user")
CORNER = Click((0.97, 0.97))
RATIO = 3.0
PYTHON = Path("build/browsergym/bin/python")


class Speed(NamedTuple):
    """What one number of contexts came to."""

    contexts: int
    steps_a_second: float
    reset_ms: float
    mib_each: float


async def measure(
    world: MiniWob, contexts: int, seconds: float, *, scale: float = SCALE, rich: bool = False
) -> Speed:
    """Click beside the page in so many contexts at a time; each click is a step and a look."""
    tasks = world.tasks()
    before = memory_mib()
    environments: list[Environment] = []
    resets = []
    for number in range(contexts):
        environment = world.environment(1_000_000)
        assert isinstance(environment, MiniWobEnvironment)
        environment._scale = scale
        environment.with_text = environment.with_tree = rich
        began = time.perf_counter()
        await environment.reset(tasks[f"miniwob/{TASKS[number % len(TASKS)]}"], number)
        resets.append(time.perf_counter() - began)
        environments.append(environment)
    held = (memory_mib() - before) / contexts
    end = time.perf_counter() + seconds

    async def act(environment: Environment) -> int:
        count = 0
        while time.perf_counter() < end:
            await environment.step(CORNER)
            count += 1
        return count

    began = time.perf_counter()
    counts = await asyncio.gather(*map(act, environments))
    took = time.perf_counter() - began
    for environment in environments:
        await environment.close()
    return Speed(contexts, sum(counts) / took, statistics.median(resets) * 1000, held)


def memory_mib() -> float:
    """Proportional set size of all browser processes below this one."""
    total = 0
    for pid in below(os.getpid()):
        try:
            name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8")
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
        except OSError:
            continue
        if "chrom" in name:
            total += sum(int(s.split()[1]) for s in text.splitlines() if s.startswith("Pss:"))
    return total / 1024


def below(pid: int) -> list[int]:
    """All descendants of a process."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in path.read_text(encoding="utf-8").split()]
        except OSError:
            continue
        for child in children:
            found += [child, *below(child)]
    return found


async def ours(contexts: list[int], seconds: float) -> list[tuple[str, Speed]]:
    """All measurements of this package."""
    world = MiniWob()
    await world.start()
    try:
        rows = [("screenshot", await measure(world, number, seconds)) for number in contexts]
        rows.append(("at half the size", await measure(world, 1, seconds, scale=1)))
        same = await measure(world, 1, seconds, scale=1, rich=True)
        rows.append(("  with text, tree", same))
    finally:
        await world.close()
    return rows


def browsergym(seconds: float) -> float | None:
    """BrowserGym's steps a second in one environment; None if it is not installed."""
    if not PYTHON.exists():
        return None
    command = [str(PYTHON), "bench/browsergym_steps.py", str(seconds), str(html_folder())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"BrowserGym did not run: {''.join(done.stderr.strip().splitlines()[-1:])}")
        return None
    found: float = json.loads(done.stdout.splitlines()[-1])["steps_a_second"]
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--contexts", type=int, nargs="+", default=[1, 2, 4, 8])
    options.add_argument("--seconds", type=float, default=8.0)
    given = options.parse_args()
    rows = asyncio.run(ours(given.contexts, given.seconds))
    print(f"{'observation':18}{'contexts':>9}{'steps/s':>9}{'reset ms':>10}{'MiB each':>10}")
    for name, speed in rows:
        print(
            f"{name:18}{speed.contexts:9}{speed.steps_a_second:9.1f}{speed.reset_ms:10.0f}"
            f"{speed.mib_each:10.0f}"
        )
    theirs = browsergym(given.seconds)
    if theirs is None:
        print("BrowserGym is not installed or did not run: nothing to compare with.")
        return
    ratio = rows[-1][1].steps_a_second / theirs
    print(f"{'BrowserGym':18}{1:9}{theirs:9.1f}")
    print(
        f"ours / BrowserGym: {ratio:.1f} with its observation, "
        f"{rows[0][1].steps_a_second / theirs:.1f} with screenshots of four times its pixels; "
        f"expected with the same observation: at least {RATIO:g}"
    )
    sys.exit(1 if ratio < RATIO else 0)


if __name__ == "__main__":
    main()
