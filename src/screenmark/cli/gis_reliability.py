"""``screenmark gis reliability``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.shared import AsJson, Format, RunPath, RunsDir, chosen_format

SUMMARY = "Show how far a judge agrees with itself, with other judges and with people."
HELP = """\b
labels.csv has the columns model, task_no, and of rater, the seven criteria and score (out of
100) those that there are; headings may be Korean (모델, 문항번호, 평가자, 점수).

\b
Examples:
  screenmark gis reliability
  screenmark gis reliability RUN --human labels.csv --format json
"""

Resamples = Annotated[
    int, typer.Option(help="Draws of tasks for the intervals.", min=100, max=100_000)
]


def command(
    run: RunPath = None,
    human: Annotated[
        Path | None, typer.Option(help="Marks that people gave.", metavar="FILE")
    ] = None,
    resamples: Resamples = 1000,
    runs_dir: RunsDir = Path("runs"),
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.benchmarks.map_judging.labels import read_labels
    from screenmark.benchmarks.map_judging.reliability import reliability
    from screenmark.benchmarks.map_judging.reliability_tables import reliability_tables
    from screenmark.cli.gis_runs import few, read_marks
    from screenmark.cli.messages import note
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    labels = [] if human is None else read_labels(human)
    marks = read_marks(run, runs_dir).marks
    found = reliability(marks, labels, resamples=resamples)
    typer.echo(render(reliability_tables(found), found, shape), nl=False)
    if human is not None and not found["num_labelled"]:
        note("warning", f"{human}: no label is of an output that was judged", "yellow")
    if found["labels_of_others"]:
        named = found["labels_of_others"]
        said = f"labels of {len(named)} outputs that no model marked in this run: {few(named)}"
        note("warning", f"{human}: left out: {said}", "yellow")
    if found["num_runs"] < 2:
        note("warning", "one run of each output: nothing to compare; see --repeats", "yellow")
