"""``screenmark calibrate``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.declared import parameter, with_parameters
from screenmark.cli.messages import say
from screenmark.cli.run import run_parameters
from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    from screenmark.engine import Run

HELP = """\b
Shows the model 40 pages of coloured shapes in ten sizes, asks where one of them is, and works
out which coordinate space, resize rule and axis order its numbers follow. Takes the options of
`screenmark run` that say who is asked.

\b
Examples:
  screenmark calibrate --model my-model --api-base http://localhost:8000/v1
  screenmark calibrate --model my-model --api-base URL --write my-model.toml
  screenmark run mmbench-gui-l2 --model my-model --api-base URL \\
      --profile my-model.toml

\b
Exit codes:
  0  a reading was found
  1  none fits
  2  wrong use or configuration
  3  interrupted; the same command goes on
"""
_LEFT_OUT = {
    *("benchmark", "config", "resume", "fork", "annotation", "image_dir", "data", "split"),
    *("profile", "scoring", "build_prompt", "parse_function", "postprocess", "output"),
}
_SYNTAXES = ("json", "call", "point_tag", "molmo_tag", "box_tag", "corner_pairs", "brackets")
_PAGES = ".calibration-pages"
"""Out of sight, so that ``runs/*`` names runs and nothing else."""


def _calibrate(**given: Any) -> None:
    from screenmark.cli.outcome import finish
    from screenmark.engine import run
    from screenmark.errors import RunInterrupted
    from screenmark.jsonfile import check_writable
    from screenmark.reports.progress import make_display

    shape = chosen_format(given.pop("format"), given.pop("as_json"))
    target: Path | None = given.pop("write")
    options = {name: value for name, value in given.items() if value is not None}
    if target is not None:
        check_writable(target, "--write")
    pages = Path(options.get("runs_dir", "runs")) / _PAGES
    try:
        finished = run("calibration", data=pages, display=make_display(), **options)
    except KeyboardInterrupt:
        raise RunInterrupted("interrupted; give the same command again to go on") from None
    code = finish(finished, shape)
    found = finished.results["space"] is not None
    if target is not None and found:
        _write(target, finished)
    elif target is not None:
        say(f"{target}: not written, since no reading was found")
    raise typer.Exit(code or int(not found))


def _write(target: Path, finished: Run) -> None:
    """A profile that says what was found."""
    from screenmark.jsonfile import write_atomically

    results = finished.results
    seen = [name for name in results["syntaxes"] if name in _SYNTAXES]
    lines = [
        f'["{target.stem}"]',
        f"title = {_quoted(finished.manifest.model)}",
        f'space = "{results["space"]}"',
        f"y_first = {str(results['y_first']).lower()}",
        f"syntaxes = {[*seen, *(name for name in _SYNTAXES if name not in seen)]!r}",
        f'source = "screenmark calibrate, sure to {results["confidence"]:.0%}"',
    ]
    write_atomically(target, "\n".join(lines) + "\n")
    say(f"profile written; use it with: --profile {target}")


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)


def _parameters() -> list[inspect.Parameter]:
    target = Annotated[
        Path | None,
        typer.Option(help="Write a profile that says what was found.", metavar="FILE.toml"),
    ]
    options = [p for p in run_parameters() if p.name not in {*_LEFT_OUT, "format", "as_json"}]
    scoring_only = {"iou_threshold", "matching", "mode", "circular", "refined", "language"}
    return [
        *(p for p in options if p.name not in scoring_only),
        parameter("write", target),
        parameter("format", Format, "table"),
        parameter("as_json", AsJson, False),
    ]


command = with_parameters(_calibrate, _parameters())
