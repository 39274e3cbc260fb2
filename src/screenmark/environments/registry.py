"""Worlds by name, loaded when asked for."""

from __future__ import annotations

import difflib
import importlib
from importlib.metadata import entry_points

from screenmark.environments.base import World
from screenmark.errors import UsageError

WORLDS: dict[str, str] = {
    "miniwob": "screenmark.environments.miniwob:MiniWob",
    "webapps": "screenmark.environments.web_apps:WebApps",
}
"""``module:Class`` of every world that comes with the package."""

ENTRY_POINT_GROUP = "screenmark.worlds"
"""A package offers a world by an entry point in this group, under the world's name."""

TASK_FILE = ".toml"
"""A file of tasks in the web applications is a world too, named by its path."""


def world_names() -> list[str]:
    """Names of all worlds but files of tasks, installed entry points included."""
    others = [point.name for point in entry_points(group=ENTRY_POINT_GROUP)]
    return [*WORLDS, *(name for name in others if name not in WORLDS)]


def world_class(name: str) -> type[World]:
    """Look a world up: one of ours, an entry point's, or a file of tasks by its path.

    Raises:
        UsageError: there is none by that name, which names the nearest one, or what the entry
            point names is none.
    """
    if name in WORLDS:
        return _loaded(WORLDS[name], name)
    if name.endswith(TASK_FILE):
        from screenmark.environments.web_apps.world import own_world

        return own_world(name)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name == name:
            return _loaded(f"{point.module}:{point.attr}", name)
    known = world_names()
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"unknown world {name!r}{hint}; there are {', '.join(known)}")


def world_of(id: str) -> str:
    """Name of the world that a task's id belongs to: ``miniwob/…``, or ``FILE.toml:…``.

    The name of a world is its own.
    """
    file, found, _ = id.partition(f"{TASK_FILE}:")
    if found:
        return f"{file}{TASK_FILE}"
    return id if id.endswith(TASK_FILE) else id.partition("/")[0]


def _loaded(target: str, name: str) -> type[World]:
    module, _, attribute = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the world {name!r} ({target}) cannot be loaded: {error}") from None
    if not (isinstance(found, type) and issubclass(found, World)):
        raise UsageError(f"the world {name!r} ({target}) is no subclass of World")
    if found.name != name:
        raise UsageError(f"the world {name!r} ({target}) calls itself {found.name!r}")
    return found
