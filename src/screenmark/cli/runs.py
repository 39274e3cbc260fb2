"""``screenmark runs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

HELP = """\b
Examples:
  screenmark runs
  screenmark runs --runs-dir results --format json
"""


def command(
    runs_dir: Annotated[Path, typer.Option(help="Folder that holds the run folders.")] = Path(
        "runs"
    ),
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.engine.run_folder import list_folders
    from screenmark.reports import render
    from screenmark.types import Table

    shape = chosen_format(format, as_json)
    data: list[dict[str, Any]] = [
        {
            "path": str(folder.path),
            "benchmark": manifest.benchmark,
            "model": manifest.model,
            "status": folder.status(manifest.status),
            "created": manifest.created,
            "finished": manifest.finished,
            "num_samples": manifest.num_samples,
            "num_done": folder.count_records(),
        }
        for folder, manifest in list_folders(runs_dir)
    ]
    columns = ("run", "status", "samples", "started (UTC)")
    rows = tuple(
        (
            r["path"],
            r["status"],
            f"{min(r['num_done'], r['num_samples'])}/{r['num_samples']}",
            r["created"][:16].replace("T", " "),
        )
        for r in data
    )
    table = Table(title=f"{len(data)} runs in {runs_dir}, newest first", columns=columns, rows=rows)
    typer.echo(render([table], data, shape), nl=False)
