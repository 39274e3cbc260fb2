"""A run of 1,000 screenshots against a bare client on the same work.

Each request carries a screenshot of about 330 KB; the endpoint, in a process of its own,
answers after 0.5 s; 64 requests are in flight. The floor is 1000 / 64 × 0.5 s = 7.8 s.
Rounds of both clients are interleaved and each client runs in a fresh process, so that its
CPU time and peak memory are its own. The vendor's SDK takes part if
it is installed. Exit code 1 if a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SAMPLES, IN_FLIGHT, SECONDS, IMAGE_BYTES = 1000, 64, 0.5, 330_000
WALL_RATIO, CPU_MS, PEAK_MB = 1.10, 3.0, 200.0


def make_data(folder: Path, count: int) -> Path:
    """An annotation of ``count`` pages with 40 elements each, and their screenshots."""
    from PIL import Image

    generator = random.Random(0)
    (folder / "images").mkdir()
    pages = []
    for n in range(count):
        # Noise does not compress: 366 x 300 x 3 bytes make a PNG of about 330 KB.
        noise = generator.randbytes(366 * 300 * 3)
        name = f"images/{n:04}.png"
        Image.frombytes("RGB", (366, 300), noise).save(folder / name, compress_level=0)
        elements = [
            {
                "type": "text",
                "index": i,
                "description": f"Element number {i}",
                "coordinates": [i * 3, i * 7, i * 3 + 100, i * 7 + 18],
            }
            for i in range(40)
        ]
        pages.append({"image_path": name, "elements": elements})
    annotation = folder / "pages.json"
    annotation.write_text(json.dumps(pages), encoding="utf-8")
    return annotation


def run_ours(annotation: Path, url: str) -> None:
    """Our side: a whole run, records and results included."""
    import screenmark

    with tempfile.TemporaryDirectory() as runs:
        run = screenmark.run(
            "gui-hallubench",
            model="bench",
            annotation=annotation,
            api_base=[url],
            concurrency=IN_FLIGHT,
            runs_dir=runs,
        )
        assert run.results["outcomes"] == {"ok": run.manifest.num_samples}


async def run_bare(pages: list[dict[str, Any]], folder: Path, url: str) -> None:
    """The other side: aiohttp and orjson, replies thrown away."""
    import base64

    import aiohttp
    import orjson

    queue = iter(pages)

    async def worker(session: aiohttp.ClientSession) -> None:
        for page in queue:
            data = (folder / page["image_path"]).read_bytes()
            image = "data:image/png;base64," + base64.b64encode(data).decode("ascii")
            content = [
                {"type": "image_url", "image_url": {"url": image, "detail": "high"}},
                {"type": "text", "text": "List every element."},
            ]
            body = {"model": "bench", "messages": [{"role": "user", "content": content}]}
            async with session.post(url + "/chat/completions", data=orjson.dumps(body)) as reply:
                orjson.loads(await reply.read())

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(worker(session) for _ in range(IN_FLIGHT)))


async def run_openai_sdk(pages: list[dict[str, Any]], folder: Path, url: str) -> None:
    """A peer: the vendor's SDK, replies thrown away."""
    import base64

    import openai

    client = openai.AsyncOpenAI(base_url=url, api_key="none", timeout=120)
    queue = iter(pages)

    async def worker() -> None:
        for page in queue:
            data = (folder / page["image_path"]).read_bytes()
            image = "data:image/png;base64," + base64.b64encode(data).decode("ascii")
            content = [
                {"type": "image_url", "image_url": {"url": image, "detail": "high"}},
                {"type": "text", "text": "List every element."},
            ]
            await client.chat.completions.create(
                model="bench", messages=[{"role": "user", "content": content}]
            )

    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    await client.close()


def sides() -> list[str]:
    """The clients that are installed, ours last."""
    peers = ["openai-sdk"] if find_spec("openai") else []
    return ["bare", *peers, "ours"]


def measure(side: str, annotation: Path, url: str) -> dict[str, float]:
    """Run one side in a fresh process."""
    command = [sys.executable, "-m", "bench.engine", "--side", side]
    command += ["--annotation", str(annotation), "--url", url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_side(side: str, annotation: Path, url: str) -> None:
    began = time.perf_counter()
    if side == "ours":
        run_ours(annotation, url)
    else:
        pages = json.loads(annotation.read_text(encoding="utf-8"))
        client = run_bare if side == "bare" else run_openai_sdk
        asyncio.run(client(pages, annotation.parent, url))
    wall = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": usage.ru_maxrss / 1024}))


def compare(rounds: int, count: int) -> bool:
    """Both sides in turn; True if every limit holds."""
    server = subprocess.Popen(
        [sys.executable, "-m", "bench.endpoint", str(SECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    found: dict[str, list[dict[str, float]]] = {name: [] for name in sides()}
    try:
        with tempfile.TemporaryDirectory() as folder:
            annotation = make_data(Path(folder), count)
            for number in range(rounds):
                for side, results in found.items():
                    results.append(measure(side, annotation, url))
                    wall = results[-1]["wall"]
                    print(f"round {number + 1}, {side}: {wall:.2f} s", file=sys.stderr)
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(10)
    return report(found, count)


def report(found: dict[str, list[dict[str, float]]], count: int) -> bool:
    middle: dict[str, dict[str, Any]] = {
        side: {key: statistics.median(r[key] for r in results) for key in results[0]}
        for side, results in found.items()
    }
    print(f"{count:,} requests, {IN_FLIGHT} in flight, {SECONDS} s endpoint; medians")
    print(f"floor: {count / IN_FLIGHT * SECONDS:.1f} s")
    if "openai-sdk" not in middle:
        print("not measured, since it is not installed: the OpenAI SDK (pip install openai)")
    print(f"{'client':10} {'wall s':>8} {'CPU ms/sample':>14} {'peak MB':>8}")
    for side, values in middle.items():
        cpu = 1000 * values["cpu"] / count
        print(f"{side:10} {values['wall']:8.2f} {cpu:14.2f} {values['peak']:8.0f}")
    ours = middle["ours"]
    checks = {
        f"wall ratio ≤ {WALL_RATIO}": (ours["wall"] / middle["bare"]["wall"], WALL_RATIO),
        f"CPU ms a sample ≤ {CPU_MS}": (1000 * ours["cpu"] / count, CPU_MS),
        f"peak MB ≤ {PEAK_MB}": (ours["peak"], PEAK_MB),
    }
    for name, (value, limit) in checks.items():
        print(f"{name}: {value:.2f} {'holds' if value <= limit else 'MISSED'}")
    return all(value <= limit for value, limit in checks.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--side", choices=("bare", "openai-sdk", "ours"))
    parser.add_argument("--annotation", type=Path)
    parser.add_argument("--url")
    options = parser.parse_args()
    if options.side:
        run_side(options.side, options.annotation, options.url)
    elif not compare(options.rounds, options.samples):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
