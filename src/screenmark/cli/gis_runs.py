"""The marks of a run of gis-bench, for commands about its judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from screenmark.benchmarks.map_judging.reliability import Marks

_MOST_NAMED: Final = 10


class JudgedRun(NamedTuple):
    """A run, the marks that models gave in it, and all that changes answers."""

    path: Path
    marks: Marks
    identity: dict[str, Any]


def few(names: Sequence[str]) -> str:
    """The first names of a list that may be long."""
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def read_marks(path: Path | None, runs_dir: Path = Path("runs")) -> JudgedRun:
    """A run and the marks that models gave in it.

    Raises:
        RunFolderError: there is no such run.
        UsageError: it is of another benchmark, or no model gave a mark in it.
    """
    from screenmark.benchmarks.map_judging.reliability import marks_of
    from screenmark.cli.shared import open_run
    from screenmark.engine import Run
    from screenmark.errors import UsageError

    run = Run(*open_run(path, runs_dir))
    if run.manifest.benchmark != "gis-bench":
        raise UsageError(f"{run.path}: a run of {run.manifest.benchmark}, expected gis-bench")
    marks = marks_of(run.records)
    if not marks.units:
        raise UsageError(f"{run.path}: no model gave a mark in it")
    return JudgedRun(run.path.resolve(), marks, run.manifest.identity)
