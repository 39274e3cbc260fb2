"""The marks of a run of gis-bench, for commands about its judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screenmark.benchmarks.map_judging.reliability import Marks


def read_marks(path: Path | None, runs_dir: Path = Path("runs")) -> tuple[str, Marks]:
    """A run's folder name and the marks that models gave in it.

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
    return run.path.resolve().name, marks
