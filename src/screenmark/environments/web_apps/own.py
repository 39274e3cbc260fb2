"""Task files of a person's own: read, checked against their first state, and made a world."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from screenmark.environments.web_apps.fitting import misfit
from screenmark.environments.web_apps.states import first_state
from screenmark.environments.web_apps.tasks import APPS, TaskText, all_tasks, read_tasks
from screenmark.errors import DataError
from screenmark.jsonfile import read_text

SUFFIX: Final = ".toml"
"""A world whose name ends so is a file of tasks."""

_State: TypeAlias = tuple[str, str]
"""An application, and the file of its first state; empty for the application's own."""
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
    text = _text(file)
    firsts: dict[_State, TaskText] = {}
    for task in _written(text, str(file)):
        firsts.setdefault((task.app, task.state), task)
    states = tuple((which, _state(task, file)) for which, task in firsts.items())
    return _checked(text, str(file), states)


# A run reads a file several times: to list its tasks, and for every worker that plays them.
@functools.lru_cache(maxsize=2)
def _written(text: str, file: str) -> tuple[TaskText, ...]:
    found = tuple(read_tasks(text, file))
    if not found:
        raise DataError("expected at least one [[task]]", file=file)
    return found


@functools.lru_cache(maxsize=2)
def _checked(text: str, file: str, states: tuple[tuple[_State, str], ...]) -> TaskSet:
    """The tasks of a text, over the texts of their states."""
    found = _written(text, file)
    by_state, groups = dict(states), dict[_State, list[TaskText]]()
    for task in found:
        groups.setdefault((task.app, task.state), []).append(task)
    for which, tasks in groups.items():
        if wrong := misfit(which[0], by_state[which], tasks):
            at, field, problem = wrong
            raise DataError(problem, file=file, sample=at.id, field=field)
    return TaskSet(
        tasks={task.id: task for task in found},
        states={task.id: by_state[task.app, task.state] for task in found},
    )


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
