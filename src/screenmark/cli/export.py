"""``screenmark export``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.shared import RunPath, RunsDir, open_run

HELP = """\b
samples: one row a sample, with its scores, outcome, attempts, seconds and tokens.
records: one row a record, everything there is, as columns such as reply.text.
elements: one row for each predicted and each true element, with its match.
seed: rows with exactly the fields of the benchmark's own result files, as of gis-bench.

\b
On a terminal, characters that would steer it are shown as escapes (\\x1b);
files and pipes hold them as they are.

\b
Examples:
  screenmark export --to csv
  screenmark export runs/gui-hallubench-ocr-0123456789 --to parquet \\
      --what elements -o ocr.parquet
  screenmark export --to json -o - | head
"""


class To(StrEnum):
    """A format."""

    PARQUET = "parquet"
    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"


class What(StrEnum):
    """What a row is about."""

    SAMPLES = "samples"
    RECORDS = "records"
    ELEMENTS = "elements"
    SEED = "seed"


def command(
    to: Annotated[To, typer.Option(help="Format; parquet and xlsx need the extra export.")],
    run: RunPath = None,
    what: Annotated[What, typer.Option(help="What a row is about.")] = What.SAMPLES,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write, - for standard output; left out, one named after the run.",
            metavar="FILE",
        ),
    ] = None,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    import sys

    from screenmark.cli.messages import note, say
    from screenmark.engine import Run
    from screenmark.errors import UsageError
    from screenmark.reports import export_rows
    from screenmark.reports.export import text_lines, write_export

    opened = Run(*open_run(run, runs_dir))
    makers = {
        What.SAMPLES: export_rows.sample_rows,
        What.RECORDS: export_rows.record_rows,
        What.ELEMENTS: export_rows.element_rows,
        What.SEED: export_rows.published_rows,
    }
    records = opened.records
    for number in records.bad_lines:
        note("warning", f"{opened.folder.records}: line {number} is damaged", "yellow")
    rows = makers[what](opened, records)
    if output == Path("-"):
        lines = text_lines(rows, to.value)
        sys.stdout.writelines(map(_shown, lines) if sys.stdout.isatty() else lines)
        return
    path = output or Path(f"{opened.path.resolve().name}-{what.value}.{to.value}")
    if path.resolve().is_relative_to(opened.path.resolve()):
        raise UsageError(f"--output {path}: inside the run folder, which holds what runs write")
    for warning in write_export(rows, to.value, path, what.value):
        note("warning", warning, "yellow")
    say(f"written to {path}")


def _shown(line: str) -> str:
    """A line for a terminal, which what a model wrote must not steer."""
    from screenmark.reports.tables import printable

    return "\n".join(map(printable, line.split("\n")))
