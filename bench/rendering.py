"""Time a page of the ready rule against a fixed wait of three seconds, on the GIS sample.

Both rules render every page in turn, in one browser, one page at a time; the two alternate
which goes first. Exit code 1 if the ready rule's median is above its share of the other's, or if
two renderings of a page by the ready rule differ in a pixel.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

from screenmark.rendering import Renderer, Rendering, RenderOptions

SHARE = 0.6
RULES = ("fixed:3", "ready")
ROOT = Path(__file__).parents[1]
PLACES = ("src/screenmark/benchmarks/map_judging/data/outputs", "tests/benchmarks/gis_sample")


def pages() -> list[Path]:
    """The sample's HTML pages, those in the package first."""
    return [page for place in PLACES for page in sorted((ROOT / place).glob("*/*.html"))]


async def measure(files: list[Path], rounds: int) -> dict[Path, dict[str, list[float]]]:
    """Seconds from opening a page to having its picture, by page and rule."""
    times: dict[Path, dict[str, list[float]]] = {f: {rule: [] for rule in RULES} for f in files}
    digests: dict[Path, set[str]] = {}
    renderers = {rule: Renderer(RenderOptions(wait=rule, pages=1)) for rule in RULES}
    async with renderers["fixed:3"], renderers["ready"]:
        for rule in RULES:  # The browsers start and the first tiles are drawn.
            await renderers[rule].render(files[0])
        for round_ in range(rounds):
            for file in files:
                for rule in RULES if round_ % 2 == 0 else RULES[::-1]:
                    start = time.perf_counter()
                    done = await renderers[rule].render(file)
                    times[file][rule].append(time.perf_counter() - start)
                    _note(done, rule, digests.setdefault(file, set()))
    for file, found in digests.items():
        if len(found) > 1:
            print(f"{file}: {len(found)} different pictures")
            times[file]["ready"].append(float("inf"))
    return times


def _note(done: Rendering, rule: str, digests: set[str]) -> None:
    if done.record.lost:
        print(f"{done.record.page}: {done.record.warnings[0]}")
    if rule == "ready" and done.record.picture is not None:
        digests.add(done.record.picture.sha256)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    times = asyncio.run(measure(pages(), rounds))
    print(f"{'page':24}" + "".join(f"{rule + ', s':>12}" for rule in RULES))
    middles: dict[str, list[float]] = {rule: [] for rule in RULES}
    for file, by_rule in times.items():
        row = f"{file.parent.name}/{file.name}"
        for rule in RULES:
            middle = statistics.median(by_rule[rule])
            middles[rule].append(middle)
        print(f"{row:24}" + "".join(f"{middles[rule][-1]:12.2f}" for rule in RULES))
    fixed, ready = (statistics.median(middles[rule]) for rule in RULES)
    print(f"{'median':24}{fixed:12.2f}{ready:12.2f}")
    print(f"ready / fixed: {ready / fixed:.2f} (limit {SHARE})")
    unsettled = any(max(by_rule["ready"]) == float("inf") for by_rule in times.values())
    sys.exit(1 if unsettled or ready > SHARE * fixed else 0)


if __name__ == "__main__":
    main()
