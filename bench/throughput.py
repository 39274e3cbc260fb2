"""Tiny samples by the ten thousand: the engine's own work, against a bare client.

Each request is a line of text; the endpoint, in a process of its own, answers after 50 ms;
256 requests are in flight. The rate is the median of interleaved rounds. Two long runs, one of
them half as long, then show what the engine's memory grows by with each sample (the data is
made up on the way and takes none), how soon a run with so many finished samples asks again,
and how long scoring all of them again takes. Exit code 1 if a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

IN_FLIGHT, SECONDS = 256, 0.05
RATE_RATIO, PEAK_MB, GROWTH_BYTES, RESUME_S, RESCORE_S = 0.5, 200.0, 250.0, 3.0, 5.0


def run_ours(count: int, url: str, runs: str) -> None:
    """A whole run: records, durable, and results."""
    import bench.small
    import screenmark

    run = screenmark.run(
        bench.small.ID, model="bench", count=count, api_base=url, concurrency=IN_FLIGHT,
        runs_dir=runs,
    )  # fmt: skip
    assert run.results["outcomes"] == {"ok": count}


async def run_bare(count: int, url: str) -> None:
    """aiohttp and orjson, replies thrown away."""
    import aiohttp
    import orjson

    numbers = iter(range(count))

    async def worker(session: aiohttp.ClientSession) -> None:
        for n in numbers:
            text = f"Where is button {n}? Answer (x, y)."
            body = {"model": "bench", "messages": [{"role": "user", "content": text}]}
            async with session.post(url + "/chat/completions", data=orjson.dumps(body)) as reply:
                orjson.loads(await reply.read())

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(worker(session) for _ in range(IN_FLIGHT)))


def rescore_all(folder: Path) -> None:
    import bench.small  # noqa: F401 - registers the benchmark
    from screenmark.engine import rescore

    assert rescore(folder)["num_samples"]


def side(name: str, count: int, url: str, runs: str) -> None:
    """What a fresh process does; its figures go to standard output."""
    began = time.perf_counter()
    if name == "ours":
        run_ours(count, url, runs)
    elif name == "bare":
        asyncio.run(run_bare(count, url))
    else:
        rescore_all(Path(runs))
    wall = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024}
    print(json.dumps(figures))


def measure(name: str, count: int, url: str, runs: str | Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.throughput", "--side", name, "--count", str(count)]
    command += ["--url", url, "--runs", str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def first_request_after(url: str, folder: Path, count: int) -> float:
    """Seconds from the start of a process to its first request, most samples being done."""
    from aiohttp import web

    records = folder / "records.jsonl"
    lines = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(lines[:-IN_FLIGHT]))
    (folder / "results.json").unlink()
    seen: list[float] = []

    async def main() -> float:
        async def answer(request: web.Request) -> web.Response:
            seen.append(time.perf_counter())
            await request.read()
            return web.json_response({"choices": [{"message": {"content": "(0.5, 0.5)"}}]})

        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        command = [sys.executable, "-m", "bench.throughput", "--side", "ours"]
        command += ["--count", str(count), "--url", address, "--runs", str(folder.parent)]
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
        assert await process.wait() == 0
        await runner.cleanup()
        assert len(seen) == IN_FLIGHT
        return seen[0] - began

    return asyncio.run(main())


def compare(rounds: int, count: int, many: int) -> bool:
    server = subprocess.Popen(
        [sys.executable, "-m", "bench.endpoint", str(SECONDS), "short"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    found: dict[str, list[dict[str, float]]] = {"bare": [], "ours": []}
    try:
        with tempfile.TemporaryDirectory() as folder_of_all:
            runs = Path(folder_of_all) / "runs"
            for number in range(rounds):
                for name, results in found.items():
                    results.append(measure(name, count, url, runs))
                    rate = count / results[-1]["wall"]
                    print(f"round {number + 1}, {name}: {rate:.0f}/s", file=sys.stderr)
                    shutil.rmtree(runs, ignore_errors=True)
            half = measure("ours", many // 2, url, runs)
            shutil.rmtree(runs)
            long = measure("ours", many, url, runs)
            (folder,) = runs.iterdir()
            rescored = measure("rescore", many, url, folder)
            resumed = first_request_after(url, folder, many)
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(10)
    return report(found, count, half, long, many, resumed, rescored["wall"])


def report(
    found: dict[str, list[dict[str, float]]],
    count: int,
    half: dict[str, float],
    long: dict[str, float],
    many: int,
    resumed: float,
    rescored: float,
) -> bool:
    middle: dict[str, dict[str, Any]] = {
        name: {key: statistics.median(r[key] for r in results) for key in results[0]}
        for name, results in found.items()
    }
    print(
        f"{count:,} tiny samples, {IN_FLIGHT} in flight, {SECONDS * 1000:.0f} ms endpoint; medians"
    )
    print(f"{'client':8} {'samples/s':>10} {'CPU ms/sample':>14} {'peak MB':>8}")
    for name, values in middle.items():
        cpu = 1000 * values["cpu"] / count
        print(f"{name:8} {count / values['wall']:10.0f} {cpu:14.3f} {values['peak']:8.0f}")
    for samples, run in ((many // 2, half), (many, long)):
        print(f"{samples:,} samples: {samples / run['wall']:.0f}/s, peak {run['peak']:.0f} MB")
    growth = (long["peak"] - half["peak"]) * (1 << 20) / (many - many // 2)
    checks = [
        ("rate ratio ≥", middle["bare"]["wall"] / middle["ours"]["wall"], RATE_RATIO, True),
        (f"peak MB with {many:,} ≤", long["peak"], PEAK_MB, False),
        (f"bytes more for each sample from {many // 2:,} ≤", growth, GROWTH_BYTES, False),
        (f"s to the first request, {many:,} done ≤", resumed, RESUME_S, False),
        (f"s to score {many:,} again ≤", rescored, RESCORE_S, False),
    ]
    fine = True
    for name, value, limit, at_least in checks:
        holds = value >= limit if at_least else value <= limit
        fine &= holds
        print(f"{name} {limit:g}: {value:.2f} {'holds' if holds else 'MISSED'}")
    return fine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--side", choices=("ours", "bare", "rescore"))
    parser.add_argument("--url")
    parser.add_argument("--runs")
    options = parser.parse_args()
    if options.side:
        side(options.side, options.count, options.url, options.runs)
    elif not compare(options.rounds, options.count, options.many):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
