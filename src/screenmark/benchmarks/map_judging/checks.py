"""Deterministic checks of an output: nobody's opinion, and never part of a judge's score.

A checker takes a task and an output, and says what it found. It is asked about every output and
answers with nothing where it has nothing to say; a check that needs an expectation that the task
does not have is ``not_applicable``, one that needs what could not be read ``not_extracted``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from screenmark.benchmarks.map_judging.map_checks import map_checks
from screenmark.benchmarks.map_judging.picture import picture_checks
from screenmark.benchmarks.map_judging.samples import Check, Output, Task

Checker = Callable[[Task, Output], Sequence[Check]]

CHECKERS: tuple[Checker, ...] = (picture_checks, map_checks)
"""Every checker, in the order in which their checks are shown."""


def run_checks(task: Task, output: Output) -> list[Check]:
    """All checks of one output; none of a file that nobody needs to look at."""
    if output.fault is not None:
        return []
    return [check for checker in CHECKERS for check in checker(task, output)]
