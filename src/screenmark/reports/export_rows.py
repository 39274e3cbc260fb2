"""A run as rows: its samples, its records, or the elements of its samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from screenmark.benchmarks import benchmark_class
from screenmark.engine import Run
from screenmark.engine.records import RecordFile
from screenmark.errors import RunFolderError, UsageError
from screenmark.reports.export import Row, Rows
from screenmark.types import Json, Record

_NESTED = ("sample", "reply", "answer", "score", "failure")
"""Fields of a record that are spread over columns."""

_DEEPEST = 2
"""Objects further down stay in one piece."""


def sample_rows(run: Run, records: RecordFile) -> Rows:
    """One row a sample and repetition: its row in the results, and how asking it went.

    Raises:
        RunFolderError: the run has no results, or they are older than the records.
    """
    results = _per_sample(run)
    if benchmark_class(run.manifest.benchmark).merges_repeats:
        return Rows(run.folder.results, lambda: (_scalars(msgspec.json.decode(r)) for r in results))
    if len(results) != len(records):
        raise RunFolderError(
            f"{run.folder.results}: about {len(results)} samples, and there are {len(records)} "
            f"records; sum them up first: screenmark score {run.path}"
        )

    def each() -> Iterator[Row]:
        for raw, record in zip(results, _read(records), strict=True):
            usage = record.reply.usage if record.reply is not None else None
            yield {
                "sample_id": record.sample_id,
                "repeat": record.repeat,
                "outcome": record.outcome.value,
                **_scalars(msgspec.json.decode(raw)),
                "attempts": record.attempts,
                "seconds": record.seconds,
                "input_tokens": None if usage is None else usage.input_tokens,
                "output_tokens": None if usage is None else usage.output_tokens,
            }

    return Rows(run.folder.results, each)


def record_rows(run: Run, records: RecordFile) -> Rows:
    """One row a record: ``reply.text``, ``score.f1``…; what a model said stays in one piece."""

    def each() -> Iterator[Row]:
        return map(_flat, _read(records))

    return Rows(run.folder.records, each, Record.__struct_fields__)


def element_rows(run: Run, records: RecordFile) -> Rows:
    """One row for each part of a sample, as the benchmark tells them apart.

    Reading them raises UsageError if the benchmark knows no parts.
    """
    kind = benchmark_class(run.manifest.benchmark)

    def each() -> Iterator[Row]:
        for record in _read(records):
            for row in kind.element_rows(record):
                yield {"sample_id": record.sample_id, "repeat": record.repeat, **row}

    return Rows(run.folder.records, each)


def published_rows(run: Run, records: RecordFile) -> Rows:
    """Rows with the fields of the benchmark's own result files, and no others.

    Raises:
        RunFolderError: the run has no results.
        UsageError: the benchmark's own files have no such rows.
    """
    fields = benchmark_class(run.manifest.benchmark).published_fields
    if not fields:
        raise UsageError(f"--what seed: {run.manifest.benchmark} has no result files of rows")
    results = _per_sample(run)

    def each() -> Iterator[Row]:
        for raw in results:
            row = msgspec.json.decode(raw)
            yield {name: row[name] for name in fields}

    return Rows(run.folder.results, each, fields)


class _Results(msgspec.Struct):
    """The part of ``results.json`` that is exported; rows stay unread until they are needed."""

    per_sample: list[msgspec.Raw]


def _per_sample(run: Run) -> list[msgspec.Raw]:
    path = run.folder.results
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Results).per_sample
    except FileNotFoundError:
        raise RunFolderError(
            f"{run.path}: no results yet ({run.manifest.status}); go on with: screenmark run "
            f"--resume {run.path}, or sum up what is there with: screenmark score {run.path}"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise RunFolderError(f"{path}: cannot be read ({error})") from None


def _read(records: RecordFile) -> Iterator[Record]:
    try:
        yield from records
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise RunFolderError(f"{records.path}: cannot be read ({error})") from None


def _scalars(row: dict[str, Json]) -> Row:
    return {name: value for name, value in row.items() if _is_cell(value)}


def _is_cell(value: Json) -> bool:
    """Whether a value goes into one cell: a scalar, or the few numbers of a point or a box."""
    if isinstance(value, list):
        return 0 < len(value) <= 4 and all(isinstance(n, int | float) for n in value)
    return not isinstance(value, dict)


def _flat(record: Record) -> Row:
    row: Row = {}
    for name in Record.__struct_fields__:
        value: Any = msgspec.to_builtins(getattr(record, name))
        if name not in _NESTED:
            row[name] = value
        elif value is not None:
            _spread(name, value, row)
    return row


def _spread(name: str, value: Json, row: Row) -> None:
    # The keys of a prediction may be a model's, and any number of them.
    deep = name == "answer.value" or name.count(".") >= _DEEPEST
    if isinstance(value, dict) and value and not deep:
        for key, part in value.items():
            _spread(f"{name}.{key}", part, row)
    else:
        row[name] = value
