"""Task sheet, expectations and folders of outputs to the samples of a run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.map_judging.beside import escaped
from screenmark.benchmarks.map_judging.drafts import DRAFT, is_draft
from screenmark.benchmarks.map_judging.levels import level_of, number_of, numbers_in
from screenmark.benchmarks.map_judging.map_checks import expectations_of
from screenmark.benchmarks.map_judging.outputs import (
    ModelFolder,
    as_it_is_called,
    find_output,
    links_out,
    model_folders,
)
from screenmark.benchmarks.map_judging.partners import check_partners
from screenmark.benchmarks.map_judging.samples import MapSample, Task
from screenmark.benchmarks.map_judging.sheet import Sheet, read_sheet
from screenmark.errors import DataError, UsageError
from screenmark.jsonfile import TOP_LEVEL, read_bytes, read_json_items

_MOST_NAMED = 10


class Selection(NamedTuple):
    """Which tasks and models are judged.

    Attributes:
        sheet: the task sheet.
        numbers: of the tasks; all if empty.
        levels: ``Level1``…; all if empty.
        models: names of folders; all with outputs if empty.
    """

    sheet: Path
    numbers: frozenset[int]
    levels: frozenset[str]
    models: tuple[str, ...]


def selection(
    tasks: Sequence[str], levels: Sequence[str], models: Sequence[str], sheet: Path | None
) -> Selection:
    """What ``--tasks``, ``--levels`` and ``--models`` say.

    A text of ``tasks`` is the sheet if there is such a file, else numbers such as ``1,3,5-8``.

    Raises:
        UsageError: a text is neither, or there are two sheets.
        DataError: there is no sheet.
    """
    numbers: set[int] = set()
    files = []
    for text in tasks:
        path = as_it_is_called(Path(text))
        found = None if path.is_file() else numbers_in(text)
        if not text.strip():
            raise UsageError("--tasks: expected a sheet, or numbers like 1,3,5-8, found nothing")
        if found is None:
            files.append(path)
        else:
            numbers |= set(found)
    if len(files) > 1:
        names = ", ".join(map(str, files))
        raise UsageError(f"--tasks: expected one sheet and numbers like 1,3,5-8, found {names}")
    chosen = files[0] if files else sheet
    if chosen is None:
        raise UsageError("--tasks FILE: the task sheet that the outputs are for is not named")
    parts = [part for text in levels for part in text.split(",") if part.strip()]
    if levels and not parts:
        raise UsageError("--levels: no level is named")
    return Selection(chosen, frozenset(numbers), frozenset(map(level_of, parts)), tuple(models))


def load_outputs(
    chosen: Selection, base: Path, expect: Path | None, judges: Sequence[str]
) -> Dataset[MapSample]:
    """One sample for each model, task and judge, in this order.

    Raises:
        MissingExtra: the sheet is a workbook, and openpyxl is not installed.
        DataError: the sheet, the expectations or the folders cannot be read, or nothing is left.
        UsageError: a task, a level or a model is named that there is not.
    """
    base, expect = as_it_is_called(base), None if expect is None else as_it_is_called(expect)
    sheet = read_sheet(chosen.sheet)
    given = {} if expect is None else read_expectations(expect)
    expectations = {number: entry for number, entry in given.items() if not is_draft(entry)}
    tasks = [_expecting(task, expectations, expect) for task in _chosen(chosen, sheet)]
    for task in tasks:
        check_partners(task, expect if task.number in expectations else chosen.sheet)
    folders, unnamed, warnings = _folders(base, chosen.models)
    warnings += sheet.warnings
    warnings += _unknown(folders, {task.number for task in sheet.tasks})
    for folder in folders:
        if outside := links_out(folder, base):
            warnings.append(f"{folder.path}: links that lead out of {base}: {_few(outside)}")
    drafts = sorted(given.keys() - expectations.keys())
    if drafts:
        warnings.append(
            f"{expect}: nobody has confirmed the drafts for {_few(drafts)}, so they are not used; "
            f"look at them and take {DRAFT!r} away"
        )
    stray = sorted(expectations.keys() - {task.number for task in sheet.tasks})
    if stray:
        warnings.append(f"{expect}: expectations of tasks that the sheet lacks: {_few(stray)}")
    samples = []
    for folder in folders:
        for task in tasks:
            found = find_output(folder, task.number)
            samples += [
                MapSample(
                    id=_id(folder.model, task.number, judge, judges),
                    problem=found.problem,
                    task=task,
                    output=found.output,
                    judge=judge,
                    content=found.content,
                )
                for judge in judges
            ]
    return Dataset(
        samples=samples,
        source=str(chosen.sheet),
        data_hash=_hash(sheet, tasks, samples),
        problems=[*sheet.problems, *unnamed],
        warnings=list(map(escaped, warnings)),
    )


def _folders(
    base: Path, wanted: Sequence[str]
) -> tuple[list[ModelFolder], list[DataError], list[str]]:
    """Folders whose names a file of results can hold, problems about others, and warnings."""
    folders, warnings = model_folders(base, wanted)
    named = [folder for folder in folders if escaped(folder.model) == folder.model]
    why = "the folder's name is not UTF-8, so it is left out; rename it"
    problems = [
        DataError(why, file=escaped(str(folder.path))) for folder in folders if folder not in named
    ]
    if not named:
        raise problems[0]
    return named, problems, warnings


def _id(model: str, number: int, judge: str, judges: Sequence[str]) -> str:
    return f"{model}/{number}" + (f"@{judge}" if len(judges) > 1 else "")


def _chosen(chosen: Selection, sheet: Sheet) -> list[Task]:
    known = {task.number for task in sheet.tasks}
    lacking = sorted(chosen.numbers - known)
    if lacking:
        first = f"; a row cannot be used: {sheet.problems[0]}" if sheet.problems else ""
        raise UsageError(f"--tasks {_few(lacking)}: not in {chosen.sheet}{first}")
    levels = {task.level for task in sheet.tasks}
    wrong = sorted(chosen.levels - levels)
    if wrong:
        there = ", ".join(sorted(filter(None, levels))) or "none"
        raise UsageError(f"--levels {', '.join(wrong)}: the sheet's levels are {there}")
    return [
        task
        for task in sheet.tasks
        if (not chosen.numbers or task.number in chosen.numbers)
        and (not chosen.levels or task.level in chosen.levels)
    ]


def read_expectations(path: Path) -> dict[int, dict[str, Any]]:
    """What outputs have to satisfy, by the task's number.

    Raises:
        DataError: the file is not an object of objects by numbers, or one that nobody has to
            confirm first holds something that no check looks at or that cannot be satisfied.
    """
    data = read_bytes(path)
    value = dict(read_json_items(path, data)).get(TOP_LEVEL)
    if not isinstance(value, dict):
        raise DataError('expected an object by task, {"1": {"region": …}, …}', file=path)
    found: dict[int, dict[str, Any]] = {}
    _check_keys(path, data)
    for key, expected in value.items():
        number = number_of(key)
        if number is None:
            raise DataError("expected a task's number", file=path, field=repr(key))
        if number in found:
            raise DataError("this task is there twice", file=path, field=repr(key))
        if not isinstance(expected, dict):
            raise DataError('expected an object, {"region": …}', file=path, field=repr(key))
        if not is_draft(expected):
            expectations_of(expected, file=path, sample=f"task {number}")
        found[number] = expected
    return found


def _check_keys(path: Path, data: bytes) -> None:
    """See to it that no task and no key of one is there twice: all but the last would be lost."""
    tasks = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_Pairs)
    repeated = _repeated(tasks)
    if repeated is not None:
        raise DataError("this task is there twice", file=path, field=repr(repeated))
    for key, entry in tasks:
        repeated = _repeated(entry)
        if repeated is not None:
            problem = "this key is there twice"
            raise DataError(problem, file=path, sample=f"task {key}", field=repeated)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, in order and none lost."""


def _repeated(value: Any) -> str | None:
    """A key that is twice in an object; None if there is none."""
    counts = Counter(key for key, _ in value) if isinstance(value, _Pairs) else {}
    return next((key for key, count in counts.items() if count > 1), None)


def _without_notes(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What is expected, without keys that begin with an underscore."""
    return {name: value for name, value in entry.items() if not name.startswith("_")}


def _expecting(task: Task, expectations: Mapping[int, dict[str, Any]], path: Path | None) -> Task:
    """The task with what the file expects; keys of the sheet that the file lacks stay.

    Raises:
        DataError: the two together cannot be satisfied.
    """
    more = expectations.get(task.number)
    if more is None:
        return task
    both = {**(task.expectations or {}), **_without_notes(more)}
    expectations_of(both, file=path, sample=f"task {task.number}")
    return msgspec.structs.replace(task, expectations=both)


def _unknown(folders: Sequence[ModelFolder], numbers: set[int]) -> list[str]:
    warnings = []
    for folder in folders:
        extra = sorted(folder.files.keys() - numbers)
        if extra:
            warnings.append(f"{folder.path}: outputs for tasks that the sheet lacks: {_few(extra)}")
        if folder.others:
            warnings.append(f"{folder.path}: no outputs of a task: {_few(folder.others)}")
    return warnings


def _few(items: Sequence[Any]) -> str:
    more = f" and {len(items) - _MOST_NAMED} more" if len(items) > _MOST_NAMED else ""
    return ", ".join(str(item) for item in items[:_MOST_NAMED]) + more


def _hash(sheet: Sheet, tasks: Sequence[Task], samples: Sequence[MapSample]) -> str:
    """Of all that is judged: tasks with their expectations, and the content of every output."""
    parts = [msgspec.json.encode(tasks), *(f"{s.id} {s.content}".encode() for s in samples)]
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]
