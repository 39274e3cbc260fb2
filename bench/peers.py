"""The same questions through other clients: what each costs, and what it leaves behind.

All ask one endpoint, in a process of its own, about the same screenshots of about 330 KB, 64
in flight. The bare client and the loop over OpenAI's SDK throw the replies away. Screenmark and
Inspect AI score and log them: Screenmark matches lists of elements, Inspect AI looks for one
string. Rounds are interleaved, each client runs in a fresh process, and loading a client's
package is counted apart from the work. The peers live in ``build/peers`` (``scripts/bench
peers`` installs them there); one that is missing has a row that says so.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bench.engine import (
    IN_FLIGHT,
    SECONDS,
    make_data,
    run_bare,
    run_openai_sdk,
)

ROOT: Final = Path(__file__).parent.parent
PEERS_PYTHON: Final = ROOT / "build" / "peers" / "bin" / "python"
SAMPLES, ROUNDS = 200, 3
PROMPT: Final = "List every element."
Work = Callable[[], object]

SIDES: Final = {
    "bare": "bare client",
    "screenmark": "Screenmark",
    "openai": "OpenAI SDK loop",
    "inspect": "Inspect AI",
    "inspect-lean": "Inspect AI, log_images=False",
}
_PACKAGES: Final = {"openai": "openai", "inspect": "inspect_ai", "inspect-lean": "inspect_ai"}


def load_bare(annotation: Path, url: str, logs: Path) -> Work:
    """aiohttp and orjson."""
    importlib.import_module("aiohttp")
    importlib.import_module("orjson")
    pages = json.loads(annotation.read_text(encoding="utf-8"))
    return lambda: asyncio.run(run_bare(pages, annotation.parent, url))


def load_openai(annotation: Path, url: str, logs: Path) -> Work:
    """OpenAI's SDK in a loop."""
    importlib.import_module("openai")
    pages = json.loads(annotation.read_text(encoding="utf-8"))
    return lambda: asyncio.run(run_openai_sdk(pages, annotation.parent, url))


def load_screenmark(annotation: Path, url: str, logs: Path) -> Work:
    """A whole run, results included."""
    screenmark = importlib.import_module("screenmark")

    def work() -> None:
        run = screenmark.run(
            "gui-hallubench",
            model="bench",
            annotation=annotation,
            api_base=[url],
            concurrency=IN_FLIGHT,
            runs_dir=logs,
        )
        assert run.results["outcomes"] == {"ok": run.manifest.num_samples}

    return work


def load_inspect(annotation: Path, url: str, logs: Path, *, images: bool = True) -> Work:
    """A whole evaluation, its log included; ``images`` puts the screenshots into the log."""
    ai = importlib.import_module("inspect_ai")
    dataset = importlib.import_module("inspect_ai.dataset")
    model = importlib.import_module("inspect_ai.model")
    scorer = importlib.import_module("inspect_ai.scorer")
    solver = importlib.import_module("inspect_ai.solver")
    pages = json.loads(annotation.read_text(encoding="utf-8"))

    def sample(page: dict[str, Any]) -> Any:
        image = str(annotation.parent / page["image_path"])
        content = [model.ContentImage(image=image, detail="high"), model.ContentText(text=PROMPT)]
        question = model.ChatMessageUser(content=content)
        return dataset.Sample(
            input=[question], target=page["elements"][0]["description"], id=page["image_path"]
        )

    def work() -> None:
        task = ai.Task(
            dataset=[sample(page) for page in pages],
            solver=solver.generate(),
            scorer=scorer.includes(),
        )
        (log,) = ai.eval(
            task,
            model=model.get_model("openai-api/bench/bench", base_url=url, api_key="none"),
            max_connections=IN_FLIGHT,
            max_samples=IN_FLIGHT,
            log_dir=str(logs),
            log_images=images,
            display="none",
        )
        assert log.status == "success", log.error
        assert log.results.completed_samples == len(pages)

    return work


def run_side(side: str, annotation: Path, url: str, logs: Path) -> dict[str, float]:
    """Load one client and do the work with it, in this process."""
    began = time.perf_counter()
    work: Work
    if side.startswith("inspect"):
        work = load_inspect(annotation, url, logs, images=side == "inspect")
    else:
        loaders = {"bare": load_bare, "openai": load_openai, "screenmark": load_screenmark}
        work = loaders[side](annotation, url, logs)
    loaded, spent = time.perf_counter(), _cpu()
    work()
    return {
        "load": loaded - began,
        "wall": time.perf_counter() - loaded,
        "cpu": _cpu() - spent,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "log": sum(file.stat().st_size for file in logs.rglob("*") if file.is_file()) / 1024,
    }


def _cpu() -> float:
    """Seconds of this process and of those that it has ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def python_of(side: str) -> Path | None:
    """The interpreter that has what a side needs; None if there is none."""
    package = _PACKAGES.get(side)
    if package is None:
        return Path(sys.executable)
    if not PEERS_PYTHON.exists():
        return None
    command = [str(PEERS_PYTHON), "-c", f"import {package}"]
    found = subprocess.run(command, capture_output=True, check=False)
    return PEERS_PYTHON if found.returncode == 0 else None


def measure(python: Path, side: str, annotation: Path, url: str) -> dict[str, float]:
    """Run one side in a fresh process whose home folder and log are gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder, "logs")
        logs.mkdir()
        command = [str(python), "-m", "bench.peers", "--side", side, "--url", url]
        command += ["--annotation", str(annotation), "--logs", str(logs)]
        home = {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | home, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"{side}: {done.stderr or done.stdout}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(rounds: int, count: int) -> None:
    """All clients in turn, and the table of medians."""
    pythons = {side: python_of(side) for side in SIDES}
    found: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    server = subprocess.Popen(
        [sys.executable, "-m", "bench.endpoint", str(SECONDS)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    try:
        with tempfile.TemporaryDirectory() as folder:
            annotation = make_data(Path(folder), count)
            for number in range(rounds):
                for side, python in pythons.items():
                    if python is None:
                        continue
                    found[side].append(measure(python, side, annotation, url))
                    wall = found[side][-1]["wall"]
                    print(f"round {number + 1}, {side}: {wall:.2f} s", file=sys.stderr)
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(10)
    print(table(found, count, rounds))


def table(found: dict[str, list[dict[str, float]]], count: int, rounds: int) -> str:
    """The medians as Markdown, one row a client, those that are not installed included."""
    lines = [
        f"{count:,} screenshots of 330 KB, {IN_FLIGHT} in flight, {SECONDS} s endpoint; "
        f"medians of {rounds}; floor {count / IN_FLIGHT * SECONDS:.1f} s",
        "",
        "| client | wall s | CPU ms a sample | peak MB | log KB a sample | loading s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for side, name in SIDES.items():
        if not found[side]:
            lines.append(f"| {name} | not installed | | | | |")
            continue
        middle = {key: statistics.median(r[key] for r in found[side]) for key in found[side][0]}
        log = f"{middle['log'] / count:.1f}" if middle["log"] else "none"
        lines.append(
            f"| {name} | {middle['wall']:.2f} | {1000 * middle['cpu'] / count:.1f} "
            f"| {middle['peak']:.0f} | {log} | {middle['load']:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--side", choices=tuple(SIDES))
    parser.add_argument("--annotation", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--logs", type=Path)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(run_side(options.side, options.annotation, options.url, options.logs)))
    else:
        compare(options.rounds, options.samples)


if __name__ == "__main__":
    main()
