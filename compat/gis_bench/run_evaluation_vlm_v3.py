"""GIS-Bench's evaluation command, carried out by Screenmark.

    export ANTHROPIC_API_KEY=…
    python run_evaluation_vlm_v3.py "C:/…/BASE_DIR"

BASE_DIR holds the task sheet ``GIS_Bench_문항.xlsx`` and a folder of outputs for each model
(``claude_mcp/1.html``, ``gpt_5.2/2.png``…). It is the first argument, else the environment
variable BASE_DIR, else what is written below. Pages are photographed three seconds after they
have loaded, every picture is judged three times, 1.5 seconds apart, and the results go into
BASE_DIR as ``evaluation_results_vlm_v3.json``, ``.csv`` and ``.xlsx``. After an interruption the
same command goes on where it stopped, and pays for no reply twice. Exit codes: 0 done, 1 done
with too many failures, 2 wrong use or data, 3 interrupted and resumable.
"""

from __future__ import annotations

import argparse
import os
import sys
import unicodedata
from pathlib import Path
from typing import Any

try:
    import screenmark
except ModuleNotFoundError as _error:
    _hint = "install Screenmark with: pip install 'screenmark[gis,anthropic]'"
    print(f"error: {_error}; {_hint}", file=sys.stderr)
    sys.exit(2)

from screenmark.errors import ScreenmarkError, UsageError

BASE_DIR = ""
"""Folder of the sheet and the outputs, where neither an argument nor the environment says it."""

EXCEL_NAME = "GIS_Bench_문항.xlsx"
JUDGE_MODEL = "claude-sonnet-4-6"
N_REPEAT = 3
SLEEP_SECONDS = 1.5
MAX_TOKENS = 1024
RESULTS = "evaluation_results_vlm_v3"


def parse_arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Judge the outputs of GIS tasks with a vision model. / "
        "GIS 결과물을 비전 모델로 채점합니다."
    )
    add = parser.add_argument
    add("base_dir", nargs="?", metavar="BASE_DIR", help="sheet and outputs / 문항과 결과물 폴더")
    add("--judge", default=os.environ.get("JUDGE_MODEL") or JUDGE_MODEL, metavar="NAME",
        help="who judges (default %(default)s, or JUDGE_MODEL) / 채점 모델")  # fmt: skip
    add("--api-base", default=os.environ.get("JUDGE_API_BASE"), metavar="URL",
        help="address of another endpoint, or JUDGE_API_BASE / 다른 엔드포인트 주소")  # fmt: skip
    add("--adapter", default=os.environ.get("JUDGE_ADAPTER"), metavar="NAME",
        help="its protocol: anthropic, openai…, or JUDGE_ADAPTER / 프로토콜")  # fmt: skip
    add("--models", nargs="+", metavar="NAME", help="only these folders / 이 폴더만")
    add("--prompt", type=Path, metavar="FILE", help="the judge's prompt / 채점 프롬프트")
    add("--sleep", type=float, default=SLEEP_SECONDS, metavar="SECONDS",
        help="between calls (default %(default)s) / 호출 간격(초)")  # fmt: skip
    return parser.parse_args(argv)


def base_dir_of(args: argparse.Namespace) -> Path:
    """The folder that everything is in.

    Raises:
        UsageError: none is named, or there is none of that name.
    """
    said = args.base_dir or os.environ.get("BASE_DIR") or BASE_DIR
    if not said:
        raise UsageError("BASE_DIR is not set: give it as an argument or in the environment")
    folder = Path(said)
    if not folder.is_dir():
        raise UsageError(f"BASE_DIR {folder}: there is no such folder")
    return folder


def find_sheet(base: Path) -> Path:
    """The task sheet, whichever way the letters of its name are composed.

    Raises:
        UsageError: it is not there.
    """
    for path in base.iterdir():
        if unicodedata.normalize("NFC", path.name) == EXCEL_NAME:
            return path
    raise UsageError(f"{base}: there is no {EXCEL_NAME} in it")


def options_of(args: argparse.Namespace, base: Path) -> dict[str, Any]:
    """The command line as options of ``screenmark.run``; what was not said is left out."""
    given = {
        "tasks": [str(find_sheet(base))],
        "outputs": base,
        "models": args.models,
        "judge": [args.judge],
        "api_base": [args.api_base] if args.api_base else None,
        "adapter": args.adapter,
        "prompt": args.prompt,
        "language": "ko",
        "repeats": N_REPEAT,
        "max_tokens": MAX_TOKENS,
        "min_interval": args.sleep,
        "wait": "fixed:3",
        "runs_dir": base / ".screenmark" / "runs",
    }
    return {name: value for name, value in given.items() if value is not None}


def write_results(run: screenmark.Run, base: Path) -> None:
    """Write the rows as JSON, CSV and a workbook, with the public fields and no others."""
    from screenmark.reports.export import write_export
    from screenmark.reports.export_rows import published_rows

    rows = published_rows(run, run.records)
    for form in ("json", "csv", "xlsx"):
        path = base / f"{RESULTS}.{form}"
        for warning in write_export(rows, form, path, "results"):
            print(f"warning: {warning}", file=sys.stderr)
        print(f"written to {path}", file=sys.stderr)


def main(argv: list[str] | None = None) -> int:
    """Run the evaluation and return the exit code."""
    from screenmark.cli.outcome import finish
    from screenmark.reports import make_display

    args = parse_arguments(argv)
    try:
        base = base_dir_of(args)
        run = screenmark.run("gis-bench", display=make_display(), **options_of(args, base))
        write_results(run, base)
        return finish(run, "table")
    except ScreenmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
