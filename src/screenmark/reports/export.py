"""Rows to files for other programs: Parquet, CSV, XLSX, JSON.

Rows are read twice, once for the columns and once to write, and never held all together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from screenmark.errors import DataError, MissingExtra, UsageError
from screenmark.reports.tables import csv_line, inert
from screenmark.types import Json

FORMATS = ("parquet", "csv", "xlsx", "json")

Row: TypeAlias = dict[str, Json]
Kind: TypeAlias = Literal["boolean", "integer", "number", "text"]

GROUP_ROWS = 10_000
GROUP_CHARACTERS = 4_000_000
"""A Parquet row group is written once it has so many rows, or so much text."""


class Rows(msgspec.Struct, frozen=True):
    """Rows that can be read as often as needed.

    Attributes:
        source: the file they come from, for errors.
        each: starts to read them anew.
        fields: what columns start with (up to the first dot), in the order wanted; others
            stand where they first occur, behind these.
    """

    source: Path
    each: Callable[[], Iterator[Row]]
    fields: tuple[str, ...] = ()


def write_export(rows: Rows, format: str, path: Path, title: str) -> list[str]:
    """Write rows to a file, whole or not at all.

    Args:
        rows: what to write.
        format: one of `FORMATS`.
        path: the file; an existing one is replaced.
        title: names the sheet, where there are sheets.

    Returns:
        Warnings about what the format could not hold.

    Raises:
        MissingExtra: the format's package is not installed.
        DataError: there are no rows, or the format cannot hold them.
        UsageError: the file cannot be written.
    """
    if format == "parquet":
        from screenmark.reports.parquet import write_parquet

        with _draft(path) as draft:
            write_parquet(rows, draft)
        return []
    if format == "xlsx":
        from screenmark.reports.xlsx import write_xlsx

        with _draft(path) as draft:
            return write_xlsx(rows, draft, title)
    with _draft(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(text_lines(rows, format))
    return []


def text_lines(rows: Rows, format: str) -> Iterator[str]:
    """The export as lines of text: ``csv`` or ``json`` (an array, one row a line).

    Raises:
        UsageError: the format is not text.
    """
    if format == "csv":
        return _csv(rows)
    if format == "json":
        return _json(rows)
    raise UsageError(f"--to {format} is not text: name a file with --output")


def find_columns(rows: Rows) -> dict[str, Kind]:
    """Every column by name, and what its cells are.

    Whole and other numbers together are numbers; anything else together is text.

    Raises:
        DataError: there are no rows.
    """
    found: dict[str, Kind | None] = {}
    for row in rows.each():
        for name, value in row.items():
            kind = _kind(value)
            known = found.setdefault(name, kind)
            if kind != known and kind is not None:
                found[name] = kind if known is None else _both(kind, known)
    if not found:
        raise DataError("nothing to export", file=rows.source)
    place = {field: number for number, field in enumerate(rows.fields)}
    names = sorted(found, key=lambda name: place.get(name.partition(".")[0], len(place)))
    return {name: found[name] or "text" for name in names}


def as_text(value: Json) -> str:
    """A value in a column of text: itself, or its JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8")


def missing(format: str) -> MissingExtra:
    """The error that a format's package is not installed."""
    return MissingExtra(f"--to {format}", "export")


def _kind(value: Json) -> Kind | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "text"
    return "number" if isinstance(value, float) else "text"


def _both(one: Kind, other: Kind) -> Kind:
    return "number" if {one, other} == {"integer", "number"} else "text"


def _csv(rows: Rows) -> Iterator[str]:
    columns = list(find_columns(rows))
    yield csv_line([inert(name) for name in columns])
    for row in rows.each():
        yield csv_line([_csv_cell(row.get(name)) for name in columns])


def _csv_cell(value: Json) -> str | float:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return inert(as_text(value))


def _json(rows: Rows) -> Iterator[str]:
    before = "[\n"
    for row in rows.each():
        yield before + msgspec.json.encode(row).decode("utf-8")
        before = ",\n"
    if before == "[\n":
        raise DataError("nothing to export", file=rows.source)
    yield "\n]\n"


def groups(rows: Rows, columns: Sequence[str]) -> Iterator[list[list[Any]]]:
    """The cells of each column, for as many rows at a time as memory should hold."""
    cells: list[list[Any]] = [[] for _ in columns]
    characters = 0
    for row in rows.each():
        for name, column in zip(columns, cells, strict=True):
            value = row.get(name)
            if isinstance(value, list | dict):
                value = as_text(value)
            if isinstance(value, str):
                characters += len(value)
            column.append(value)
        if len(cells[0]) >= GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield cells
            cells = [[] for _ in columns]
            characters = 0
    if cells[0]:
        yield cells


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """A file beside ``path`` that takes its place at the end."""
    final = path.resolve()  # a link keeps leading to where it leads
    draft = final.with_name(f".{final.name}.{os.getpid()}.tmp")
    if final.exists() and not final.is_file():
        raise UsageError(f"--output {path}: not a file")
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        yield draft
        draft.replace(final)
    except OSError as error:
        raise UsageError(
            f"--output {path}: cannot be written ({error.strerror or error})"
        ) from None
    finally:
        with suppress(OSError):
            draft.unlink()
