"""``screenmark score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.shared import AsJson, Format, RunPath, RunsDir, chosen_format, open_run

HELP = """\b
Reads every reply again under the current rules. Without options the results of a finished
run are written anew; with options they are printed, and written only to --output.

\b
Examples:
  screenmark score
  screenmark score runs/gui-hallubench-ocr-0123456789 --iou-threshold 0.3 --output loose.json
"""


def command(
    run: RunPath = None,
    iou_threshold: Annotated[float | None, typer.Option(help="Another IoU threshold.")] = None,
    matching: Annotated[str | None, typer.Option(help="greedy or optimal.")] = None,
    scoring: Annotated[str | None, typer.Option(help="strict or compat.")] = None,
    runs_dir: RunsDir = Path("runs"),
    output: Annotated[Path | None, typer.Option(help="Write the results to this file.")] = None,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.engine import rescore
    from screenmark.engine.job import write_output
    from screenmark.errors import RunFolderError
    from screenmark.jsonfile import dump_json, write_atomically
    from screenmark.reports import render
    from screenmark.reports.result_tables import result_tables

    shape = chosen_format(format, as_json)
    given = {"iou_threshold": iou_threshold, "matching": matching, "scoring": scoring}
    options = {name: value for name, value in given.items() if value is not None}
    folder, manifest = open_run(run, runs_dir)
    results = rescore(folder.path, **options)
    if not results["num_samples"]:
        raise RunFolderError(f"{folder}: no sample is finished yet ({manifest.status})")
    text = dump_json(results)
    if output is not None:
        write_output(output, text)
    if not options and results["complete"]:
        write_atomically(folder.results, text)
    typer.echo(render(result_tables(results), results, shape), nl=False)
