"""``screenmark data list``."""

from __future__ import annotations

from typing import Any

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

SUMMARY = "List the data sets that can be fetched, and where they go."
HELP = """\b
Examples:
  screenmark data list
  screenmark data list --json
"""


def command(format: Format = "table", as_json: AsJson = False) -> None:
    from screenmark.downloads import catalog, default_folder, load_record
    from screenmark.reports import render
    from screenmark.types import Table

    shape = chosen_format(format, as_json)
    data: list[dict[str, Any]] = []
    for name, entry in catalog().items():
        folder = default_folder(name, entry)
        record = load_record(folder)
        data.append(
            {
                "name": name,
                "title": entry.title,
                "licence": entry.licence,
                "size": entry.size,
                "source": entry.home,
                "folder": str(folder),
                "here": record is not None,
                "revision": None if record is None else record.revision,
            }
        )
    columns = ("name", "title", "licence", "size", "folder", "here")
    rows = tuple(tuple(_cell(item[column]) for column in columns) for item in data)
    table = Table(title="Data sets", columns=columns, rows=rows)
    typer.echo(render([table], data, shape), nl=False)


def _cell(value: Any) -> Any:
    return ("yes" if value else "no") if isinstance(value, bool) else value
