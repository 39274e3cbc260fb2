"""Task files of a person's own: read, checked against their first state, and made a world."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from screenmark.environments.web_apps.fitting import misfit
from screenmark.environments.web_apps.states import first_state
from screenmark.environments.web_apps.tasks import APPS, TaskText, all_tasks, read_tasks
from screenmark.errors import DataError
from screenmark.jsonfile import read_text

SUFFIX: Final = ".toml"
"""A world whose name ends so is a file of tasks."""

_MOST_BYTES: Final = 32 << 20


class TaskSet(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks and the states that they begin with.

    Attributes:
        tasks: by id.
        states: the text of the first state, by the task's id.
    """

    tasks: dict[str, TaskText]
    states: dict[str, str]


def bundled() -> TaskSet:
    """The tasks that come with the package."""
    of_apps = {app: first_state(app) for app in APPS}
    tasks = all_tasks()
    return TaskSet(tasks=tasks, states={id: of_apps[task.app] for id, task in tasks.items()})


def read_task_set(file: Path) -> TaskSet:
    """The tasks of a file.

    Raises:
        DataError: it cannot be read, a field is wrong, a state is missing, or what is expected
            does not fit the state; says of which task.
    """
    found = read_tasks(_text(file), str(file))
    if not found:
        raise DataError("expected at least one [[task]]", file=file)
    groups: dict[tuple[str, str], list[TaskText]] = {}
    for task in found:
        groups.setdefault((task.app, task.state), []).append(task)
    states: dict[str, str] = {}
    for (app, _), tasks in groups.items():
        state = _state(tasks[0], file)
        if wrong := misfit(app, state, tasks):
            task, field, problem = wrong
            raise DataError(problem, file=file, sample=task.id, field=field)
        states |= {task.id: state for task in tasks}
    return TaskSet(tasks={task.id: task for task in found}, states=states)


def _text(file: Path) -> str:
    if not file.exists():
        raise DataError("there is no such file", file=file)
    return read_text(file).replace("\r\n", "\n")


def _state(task: TaskText, file: Path) -> str:
    """Text of a task's first state: the application's own, or a file beside the tasks."""
    if not task.state:
        return first_state(task.app)

    def wrong(problem: str) -> DataError:
        return DataError(problem, file=file, sample=task.id, field="state")

    folder = file.parent.resolve()
    try:
        place = (folder / task.state).resolve()
        inside = place.is_relative_to(folder)
        if inside and not place.exists():
            raise wrong(f"{task.state}: there is no such file")
        plain = inside and place.is_file()
        too_long = plain and place.stat().st_size > _MOST_BYTES
    except (OSError, ValueError, RuntimeError):
        raise wrong(f"{task.state!r} is no path of a file") from None
    if not inside or Path(task.state).is_absolute():
        raise wrong(f"{task.state}: expected a file beside this one, or in a folder beside it")
    if not plain:
        raise wrong(f"{task.state}: expected a file")
    if too_long:
        raise wrong(f"{task.state}: longer than {_MOST_BYTES >> 20} MiB")
    try:
        return _text(place)
    except DataError as error:
        raise wrong(f"{task.state}: {error.problem}") from None
