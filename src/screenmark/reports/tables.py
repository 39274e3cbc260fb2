"""Tables for people: terminal, Markdown, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from screenmark.errors import UsageError
from screenmark.jsonfile import dump_json
from screenmark.types import Table

FORMATS = ("table", "json", "markdown", "csv")


def render(tables: Sequence[Table], data: Any, format: str) -> str:
    """Text in one of `FORMATS`; ``data`` is what the JSON form holds.

    Raises:
        UsageError: there is no such format.
    """
    if format == "json":
        return dump_json(data)
    makers = {"table": _terminal, "markdown": _markdown, "csv": _csv}
    if format not in makers:
        raise UsageError(f"--format {format}: expected one of {', '.join(FORMATS)}")
    return "\n".join(makers[format](table) for table in tables)


def cell(value: str | float | None, column: str) -> str:
    """A cell's text: a dash for None, percent where the column's heading says so."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{100 * value:.1f}" if column.endswith("%") else f"{value:.3f}"
    return str(value)


def _cells(table: Table) -> list[list[str]]:
    return [
        [cell(value, column) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def _numeric(table: Table) -> list[bool]:
    return [
        any(isinstance(row[n], int | float) for row in table.rows)
        for n in range(len(table.columns))
    ]


def _terminal(table: Table) -> str:
    # rich knows that CJK characters are two cells wide.
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=Text(table.title, "bold"), title_justify="left", box=SIMPLE_HEAD)
    for column, numeric in zip(table.columns, _numeric(table), strict=True):
        shown.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    for row in _cells(table):
        # Text, not markup: cells may hold what a model wrote.
        shown.add_row(*(Text(printable(value)) for value in row))
    buffer = io.StringIO()
    console = Console(file=buffer, width=_width(), force_terminal=_is_terminal())
    console.print(shown)
    if table.note:
        console.print(Text(table.note, "dim"))
    return buffer.getvalue()


def _markdown(table: Table) -> str:
    lines = [f"**{table.title}**", "", "| " + " | ".join(table.columns) + " |"]
    lines.append("| " + " | ".join("---:" if n else "---" for n in _numeric(table)) + " |")
    for row in _cells(table):
        safe = (printable(value).replace("\\", "\\\\").replace("|", "\\|") for value in row)
        lines.append("| " + " | ".join(safe) + " |")
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"


def _csv(table: Table) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(["" if value is None else _inert(value) for value in row])
    return buffer.getvalue()


def _inert(value: str | float) -> str | float:
    """Text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value


def printable(text: str) -> str:
    """Text without characters that move the cursor, change colours or reverse direction."""
    return "".join(
        c if c.isprintable() or c == " " else f"\\x{ord(c):02x}" for c in text.replace("\n", "⏎")
    )


def _width() -> int:
    import shutil

    return max(60, min(120, shutil.get_terminal_size((100, 24)).columns))


def _is_terminal() -> bool:
    import os
    import sys

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ
