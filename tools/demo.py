"""Run a share of every family with embedded models on bundled data, and show what came of it.

    python -m tools.demo

Everything is asked anew each time and kept in ``build/demo``. What this machine lacks is named
with its remedy. Exit code 1 if something failed that could have been run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from screenmark.rendering import RenderingError, find_chromium
from screenmark.rendering.assets import AssetStore, asset_folder
from screenmark.reports import render
from tools.demo_table import FOLDER, demo_table

ROOT = FOLDER.parent.parent
COMMAND = str(Path(sys.executable).parent / "screenmark")
WIDTH = 79
NOTE = """
95 %: interval. blind: the best rule that never looks at, or reads, what is asked.
uibert-refexp: the boxes that its authors released give the answer away to a rule
that reads nothing; see docs/ui_components.md.
"""


class Part(NamedTuple):
    """A share of one family: what is run, and the line that says so."""

    benchmark: str
    family: str
    what: str
    options: tuple[str, ...]
    browser: bool = False
    libraries: bool = False


PARTS = (
    Part("gui-hallubench", "page parsing", "OCR lists what is there", ("--model", "ocr")),
    Part("mmbench-gui-l1", "content understanding", "OCR picks an option", ("--model", "ocr")),
    Part(
        "mmbench-gui-l2",
        "element grounding",
        "OCR says where to click",
        ("--model", "ocr", "--split", "test"),
    ),
    Part("uibert-refexp", "UI components", "shared words", ("--model", "text-overlap")),
    Part("uibert-sync", "UI classification", "a rule on colours", ("--model", "ink")),
    Part(
        "gis-bench",
        "map judging",
        "checks look at 8 maps",
        ("--judge", "checks", "--tasks", "1,2,7,12", "--repeats", "1"),
        browser=True,
        libraries=True,
    ),
    Part(
        "mmbench-gui-l3",
        "task automation",
        "OCR acts on 4 pages",
        ("--model", "ocr-agent", "--max-samples", "4"),
        browser=True,
    ),
)


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    print("Embedded models on bundled data, no key, no GPU. While it runs:\n")
    failed = False
    remedies: dict[str, None] = {}
    for number, part in enumerate(PARTS, start=1):
        line = f"{number}/{len(PARTS)} {part.family:22} {part.what:24}"
        print(line, end="", flush=True)
        if lacking := _lacking(part):
            print("not run, see below")
            remedies[f"{part.benchmark} was not run: {lacking}"] = None
            continue
        begun = time.monotonic()
        complaints = _run(part, line)
        failed |= bool(complaints)
        outcome = f"FAILED, see build/demo/{part.benchmark}.log" if complaints else _size(part)
        print(f"{outcome:>18} {time.monotonic() - begun:6.0f} s")
        remedies.update(dict.fromkeys(f"{part.benchmark}: {text}" for text in complaints))
    print("\n" + render([demo_table()], {}, "table").rstrip())
    print(NOTE)
    for remedy in remedies:
        print(remedy)
    _show_where_to_look()
    sys.exit(1 if failed else 0)


def _lacking(part: Part) -> str | None:
    """What this machine has not got, and what to do about it."""
    try:
        if part.browser and find_chromium() is None:
            return "no Chromium.\n  sudo apt-get install -y chromium && make demo"
    except RenderingError as error:
        return str(error)
    missing = AssetStore(asset_folder()).missing() if part.libraries else []
    if any(package.group == "sample" for package in missing):
        fetch = ".venv/bin/screenmark assets fetch --group sample"
        npm = "" if shutil.which("npm") else "sudo apt-get install -y npm && "
        return f"its maps' libraries are not here.\n  {npm}{fetch} && make demo"
    return None


def _run(part: Part, line: str) -> list[str]:
    """Run it, with its progress on the line if that is a terminal.

    Returns:
        What it complained of if it failed.
    """
    output = FOLDER / f"{part.benchmark}.json"
    command = [COMMAND, "run", part.benchmark, *part.options]
    command += ["--runs-dir", str(FOLDER), "--output", str(output)]
    complaints = []
    with (
        (FOLDER / f"{part.benchmark}.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.PIPE) as process,
    ):
        assert process.stderr is not None
        for raw in process.stderr:
            text = raw.decode("utf-8", "replace").strip()
            print(text, file=log, flush=True)
            if text.startswith(("error:", "failed:")):
                complaints.append(text)
            elif sys.stdout.isatty() and text[:1].isdigit():
                print(f"\r{(line + text)[:WIDTH]:{WIDTH}}", end="", flush=True)
    if sys.stdout.isatty():
        print(f"\r{'':{WIDTH}}\r{line}", end="", flush=True)
    if process.returncode:
        return complaints or [f"exit code {process.returncode}"]
    return []


def _size(part: Part) -> str:
    return f"{_read(FOLDER / f'{part.benchmark}.json')['num_samples']} samples"


def _show_where_to_look() -> None:
    """Draw what went worst, and say what to type next."""
    drawn = [
        _draw("gui-hallubench", "--sample", "the page with the lowest F1"),
        _draw("mmbench-gui-l2", "--sample", "a target that was missed"),
        _draw("mmbench-gui-l3", "--episode", "the steps of an episode"),
    ]
    if any(drawn):
        print("Drawn:\n" + "\n".join(text for text in drawn if text))
    for run in FOLDER.glob("mmbench-gui-l2-*/"):
        print("Next, after . .venv/bin/activate:")
        print("  screenmark runs --runs-dir build/demo")
        print(f"  screenmark show {run.relative_to(ROOT)} --worst 5")
    endpoint = "--model NAME --api-base http://HOST:PORT/v1"
    print(f"Your model:\n  screenmark doctor {endpoint}")
    print(f"  screenmark run mmbench-gui-l2 {endpoint}\nAll else: README.md")


def _draw(benchmark: str, kind: str, what: str) -> str | None:
    """Draw a sample with the lowest score, one with a click if there is, or an episode."""
    runs = list(FOLDER.glob(f"{benchmark}-*/"))
    if not runs or not (FOLDER / f"{benchmark}.json").is_file():
        return None
    if kind == "--episode":
        folders = sorted((runs[0] / "artifacts" / "episodes").iterdir())
        name = folders[0].name
    else:
        listing = [COMMAND, "show", str(runs[0]), "--worst", "50", "--json"]
        rows = json.loads(subprocess.run(listing, check=True, capture_output=True).stdout)
        row = next((row for row in rows if row.get("point")), rows[0])
        name = row.get("id") or row["image_path"]
    path = FOLDER / f"{benchmark}.png"
    drawing = [COMMAND, "show", str(runs[0]), kind, name, "--picture", str(path)]
    subprocess.run(drawing, check=True, capture_output=True)
    return f"  {path.relative_to(ROOT)}: {what}"


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    main()
