"""``screenmark score``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from screenmark.cli.declared import option_parameter, parameter, with_parameters
from screenmark.cli.shared import AsJson, Format, RunPath, RunsDir, chosen_format, open_run

BOTH = "both"

HELP = """\b
Reads every reply again under the current rules. Without options the results of a finished
run are written anew; with options they are printed, and written only to --output. An option
that is left out is as the run had it. --scoring both reads every reply twice
and lists those that come out differently.

\b
Examples:
  screenmark score
  screenmark score --scoring both
  screenmark score runs/gui-hallubench-ocr-0123456789 --iou-threshold 0.3 \\
      --output loose.json
"""


def _score(
    *,
    run: Path | None,
    runs_dir: Path,
    output: Path | None,
    format: str,
    as_json: bool,
    **given: Any,
) -> None:
    from screenmark.benchmarks import benchmark_class
    from screenmark.engine import rescore
    from screenmark.engine.job import write_output
    from screenmark.engine.pictures import save_pictures
    from screenmark.errors import RunFolderError
    from screenmark.jsonfile import dump_json, write_atomically
    from screenmark.reports import render
    from screenmark.reports.result_tables import result_tables

    shape = chosen_format(format, as_json)
    options = {name: value for name, value in given.items() if value is not None}
    folder, manifest = open_run(run, runs_dir)
    if options.get("scoring") == BOTH:
        del options["scoring"]
        _both(folder.path, options, output, shape)
        return
    results = rescore(folder.path, **options)
    if not results["num_samples"]:
        raise RunFolderError(f"{folder}: no sample is finished yet ({manifest.status})")
    text = dump_json(results)
    if output is not None:
        write_output(output, text)
    if not options and results["complete"]:
        write_atomically(folder.results, text)
        save_pictures(benchmark_class(manifest.benchmark), results, folder.path)
    typer.echo(render(result_tables(results), results, shape), nl=False)


def _both(path: Path, options: dict[str, Any], output: Path | None, shape: str) -> None:
    from screenmark.engine import side_by_side
    from screenmark.engine.job import write_output
    from screenmark.jsonfile import dump_json
    from screenmark.reports import render
    from screenmark.reports.side_by_side import side_by_side_tables

    both = side_by_side(path, **options)
    if output is not None:
        write_output(output, dump_json(both))
    typer.echo(render(side_by_side_tables(both), both, shape), nl=False)


def _parameters() -> list[inspect.Parameter]:
    """The command's own, and the options of all benchmarks that only change scores."""
    from screenmark.benchmarks import BENCHMARKS, benchmark_class
    from screenmark.benchmarks.data_folders import FolderOptions
    from screenmark.options import declared

    about_data = {field.name for field in declared(FolderOptions)} - {"scoring"}
    scoring = {
        field.name: field
        for name in BENCHMARKS
        for field in declared(benchmark_class(name).options_type)
        if field.name not in about_data and not field.info.changes_answers
    }
    field = scoring["scoring"]
    words = (*field.choices, BOTH)
    scoring["scoring"] = msgspec.structs.replace(field, type=Literal[words])
    target = Annotated[Path | None, typer.Option(help="Write the results to this file.")]
    return [
        parameter("run", RunPath),
        *(option_parameter("Scoring", field) for field in scoring.values()),
        parameter("runs_dir", RunsDir, Path("runs")),
        parameter("output", target),
        parameter("format", Format, "table"),
        parameter("as_json", AsJson, False),
    ]


command = with_parameters(_score, _parameters())
