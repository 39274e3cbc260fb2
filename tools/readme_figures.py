"""Put the figures of this machine into both READMEs.

    make demo bench-engine bench-matching bench-startup
    python tools/readme_figures.py

Reads what these targets left under ``build/`` and replaces what stands between the markers.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from screenmark.reports import render
from screenmark.types import Table

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh.md")
DEMO = ("gui-hallubench", "mmbench-gui-l1", "mmbench-gui-l2")
BENCHES = ("engine", "throughput", "matching", "startup")


def demo_table() -> str:
    """One table of what the demo measured, as Markdown."""
    parsing, choices, clicks = (_results(name) for name in DEMO)
    blind = parsing["blind_baselines"]["previous_page"]["overall_f1"]
    rows = [_row("gui-hallubench", "F1 of the elements listed", parsing["headline"], 20, blind)]
    for name, part in choices["by_difficulty"].items():
        rows.append(_row("mmbench-gui-l1", f"right, {name}", part, part["num_samples"]))
    count, best = choices["num_questions"], _best(choices)
    rows.append(_row("mmbench-gui-l1", "right, all", choices["headline"], count, best))
    for name in ("basic", "advanced"):
        part = clicks[name]
        rows.append(_row("mmbench-gui-l2", f"hit, {name}", part, part["num_samples"]))
    count, best = clicks["present"]["num_samples"], _best(clicks)
    rows.append(_row("mmbench-gui-l2", "hit, all", clicks["headline"], count, best))
    absent = clicks["absent"]
    words = "declined what is not there"
    rows.append(_row("mmbench-gui-l2", words, absent, absent["num_samples"]))
    columns = ("benchmark", "measured", "samples", "ocr %", "low %", "high %", "blind %")
    table = Table(title="What the demo measures", columns=columns, rows=tuple(rows))
    return render([table], {}, "markdown")


def _results(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / f"build/demo/{name}.json").read_text("utf-8"))
    return found


def _best(results: dict[str, Any]) -> float:
    """The most that any of the blind baselines gets."""
    return max(float(part["accuracy"]) for part in results["blind_baselines"].values())


def _row(
    benchmark: str, what: str, part: dict[str, Any], count: int, blind: float | None = None
) -> tuple[str | int | float | None, ...]:
    keys = ("value", "score", "accuracy", "rejection_rate")
    value = next(part[key] for key in keys if key in part)
    return benchmark, what, count, value, part["low"], part["high"], blind


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
    demo, bench = demo_table(), bench_text()
    for name in READMES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        path.write_text(replace(replace(text, "demo", demo), "bench", bench), encoding="utf-8")
        print(f"{path.name}: figures replaced")


if __name__ == "__main__":
    main()
