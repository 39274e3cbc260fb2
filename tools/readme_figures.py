"""Put the figures of this machine into both READMEs.

    make demo bench-engine bench-matching bench-startup
    python tools/readme_figures.py

Reads what these targets left under ``build/`` and replaces what stands between the markers.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from screenmark.benchmarks import benchmark_class
from screenmark.reports import render

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh.md")
SHOWN = {"gui-hallubench": 1, "mmbench-gui-l1": 2, "mmbench-gui-l2": 3}
"""How many of a benchmark's tables, from the first on."""
BENCHES = ("engine", "throughput", "matching", "startup")


def demo_tables() -> str:
    """The tables of the demo's results that the READMEs show, as Markdown."""
    shown = []
    for name, count in SHOWN.items():
        results = json.loads((ROOT / f"build/demo/{name}.json").read_text(encoding="utf-8"))
        tables = benchmark_class(name).tables(results)
        shown.append(render(tables[:count], results, "markdown"))
    return "\n".join(shown)


def bench_text() -> str:
    """What the benchmarks printed, without their progress."""
    shown = []
    for name in BENCHES:
        text = (ROOT / f"build/bench/{name}.txt").read_text(encoding="utf-8").strip("\n")
        shown.append(f"$ scripts/bench {name}\n{text}")
    return "```text\n" + "\n\n".join(shown) + "\n```\n"


def replace(text: str, marker: str, content: str) -> str:
    """The text with ``content`` between ``<!-- marker -->`` and ``<!-- /marker -->``."""
    pattern = re.compile(rf"(<!-- {marker} -->\n).*?(<!-- /{marker} -->)", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"no place for {marker}")
    return pattern.sub(lambda found: found[1] + content + found[2], text)


def main() -> None:
    demo, bench = demo_tables(), bench_text()
    for name in READMES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        path.write_text(replace(replace(text, "demo", demo), "bench", bench), encoding="utf-8")
        print(f"{path.name}: figures replaced")


if __name__ == "__main__":
    main()
