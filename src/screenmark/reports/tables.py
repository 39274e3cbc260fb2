"""Tables for people: terminal, Markdown, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from screenmark.errors import UsageError
from screenmark.jsonfile import dump_json
from screenmark.types import Table

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # the wide ones count too

_PIPE = 1000

FORMATS = ("table", "json", "markdown", "csv")


def render(tables: Sequence[Table], data: Any, format: str) -> str:
    """Text in one of `FORMATS`; ``data`` is what the JSON form holds.

    Raises:
        UsageError: there is no such format.
    """
    if format == "json":
        return json_text(data)
    makers = {"table": _terminal, "markdown": _markdown, "csv": _csv}
    if format not in makers:
        raise UsageError(f"--format {format}: expected one of {', '.join(FORMATS)}")
    # One table is one CSV file: the first one, which is the most important.
    shown = tables[:1] if format == "csv" else tables
    return "\n".join(makers[format](table) for table in shown)


def json_text(data: Any) -> str:
    """Strict JSON that a terminal shows as it is: the same value, with escapes where needed.

    Raises:
        ValueError: a NaN or an infinity is somewhere in ``data``.
    """
    return re.sub("[\x7f-\U0010ffff]", lambda found: _json_visible(found[0]), dump_json(data))


def _json_visible(c: str) -> str:
    return c if _is_visible(c) else json.dumps(c)[1:-1]


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
    from rich.console import Console
    from rich.text import Text

    from screenmark.reports.terminal import Column, print_grid

    buffer = io.StringIO()
    console = Console(file=buffer, width=_width(), force_terminal=_is_terminal(), highlight=False)
    if table.title:
        console.print(Text(printable(table.title), "bold"))
    console.print()
    cells = _cells(table)
    numeric = _numeric(table)
    print_grid(
        console,
        [
            Column(printable(head), [printable(row[n]) for row in cells], numeric[n])
            for n, head in enumerate(table.columns)
        ],
    )
    console.print()
    if table.note:
        console.print(Text(printable(table.note), "dim"))
    return buffer.getvalue()


def _markdown(table: Table) -> str:
    lines = [f"**{_literal(table.title)}**", "", _markdown_row(table.columns)]
    lines.append("| " + " | ".join("---:" if n else "---" for n in _numeric(table)) + " |")
    lines += [_markdown_row(row) for row in _cells(table)]
    if table.note:
        lines += ["", _literal(table.note)]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_literal, cells)) + " |"


def _literal(text: str) -> str:
    """Markdown that shows the text as it is: what a model wrote makes no link and no HTML."""
    # An underscore inside a word means nothing, so most names stay as they are.
    return re.sub(r"[\\`*\[\]<>|~$&]|(?<!\w)_|_(?!\w)", r"\\\g<0>", printable(text))


def _csv(table: Table) -> str:
    rows = ([_csv_cell(value) for value in row] for row in table.rows)
    return "".join(map(csv_line, [[_csv_cell(name) for name in table.columns], *rows]))


def _csv_cell(value: str | float | None) -> str | float:
    if value is None:
        return ""
    value = inert(value)
    return printable(value) if isinstance(value, str) else value


def csv_line(values: Sequence[str | float]) -> str:
    """Values as one line of CSV, with its line break."""
    # Python 3.11 quotes a carriage return in a value only where it also ends the lines.
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(values)
    return buffer.getvalue().removesuffix("\r\n") + "\n"


def inert(value: str | float) -> str | float:
    """Text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def printable(text: str) -> str:
    """Text without characters that move the cursor, change colours or reverse direction."""
    return "".join(map(_visible, text.replace("\n", "⏎")))


def _is_visible(c: str) -> bool:
    return c.isprintable() or unicodedata.category(c) == "Zs"  # Zs: spaces, wide ones included


def _visible(c: str) -> str:
    if _is_visible(c):
        return c
    return f"\\x{ord(c):02x}" if ord(c) < 0x100 else f"\\u{ord(c):04x}"


def _width() -> int:
    import shutil

    # Nobody folds what goes to a file or a pipe, unless told how wide that is.
    return max(40, shutil.get_terminal_size((_PIPE if not _is_terminal() else 100, 24)).columns)


def _is_terminal() -> bool:
    import os
    import sys

    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
