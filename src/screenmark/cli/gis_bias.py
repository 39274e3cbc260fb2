"""``screenmark gis bias``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.gis_reliability import Resamples
from screenmark.cli.shared import AsJson, Format, chosen_format

SUMMARY = "Show what a change of prompt, picture or order did to a judge's marks."
HELP = """\b
Compares two runs over the same outputs, output by output.

\b
Examples:
  screenmark run gis-bench --tasks T.xlsx --outputs BASE --runs-dir plain
  screenmark run gis-bench --tasks T.xlsx --outputs BASE \\
      --probe planted-text --runs-dir planted
  screenmark gis bias plain/gis-bench-… planted/gis-bench-…
"""


def command(
    base: Annotated[Path, typer.Argument(help="Folder of the run without the change.")],
    other: Annotated[Path, typer.Argument(help="Folder of the run with it.")],
    resamples: Resamples = 1000,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.benchmarks.map_judging.reliability import bias
    from screenmark.benchmarks.map_judging.reliability_tables import bias_table
    from screenmark.cli.gis_runs import read_marks
    from screenmark.errors import UsageError
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    (first, one), (second, two) = read_marks(base), read_marks(other)
    found = bias(one, two, resamples=resamples)
    if not found["num_outputs"]:
        raise UsageError(f"{base}, {other}: they have no output in common")
    typer.echo(render([bias_table(found, first, second)], found, shape), nl=False)
