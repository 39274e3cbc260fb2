"""Put the figures of this machine into both READMEs.

    make demo bench-engine bench-matching bench-startup
    python -m tools.readme_figures

Reads what these targets left under ``build/`` and replaces what stands between the markers.
"""

from __future__ import annotations

import re
from pathlib import Path

from screenmark.reports import render
from tools.demo_table import demo_table

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh.md")
BENCHES = ("engine", "throughput", "matching", "startup")


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
    demo, bench = render([demo_table()], {}, "markdown"), bench_text()
    for name in READMES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        path.write_text(replace(replace(text, "demo", demo), "bench", bench), encoding="utf-8")
        print(f"{path.name}: figures replaced")


if __name__ == "__main__":
    main()
