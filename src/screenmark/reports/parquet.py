"""Rows as a Parquet file, group by group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from screenmark.reports.export import Kind, Rows, as_text, find_columns, groups, missing


def write_parquet(rows: Rows, path: Path) -> None:
    """Write rows with the types of their columns; lists and objects are JSON text.

    Raises:
        MissingExtra: pyarrow is not installed.
        DataError: there are no rows.
        OSError: the file cannot be written.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise missing("parquet") from None
    types: dict[Kind, Any] = {
        "boolean": pyarrow.bool_(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "text": pyarrow.string(),
    }
    columns = find_columns(rows)
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    with ParquetWriter(str(path), schema, compression="zstd") as writer:
        for cells in groups(rows, list(columns)):
            arrays = [
                pyarrow.array(_typed(column, kind), type=types[kind])
                for column, kind in zip(cells, columns.values(), strict=True)
            ]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _typed(column: list[Any], kind: Kind) -> list[Any]:
    if kind == "text":
        return [None if value is None else as_text(value) for value in column]
    if kind == "number":
        return [None if value is None else float(value) for value in column]
    return column
