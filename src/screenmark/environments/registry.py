"""Worlds by name, loaded when asked for."""

from __future__ import annotations

import difflib
import importlib

from screenmark.environments.base import World
from screenmark.errors import UsageError

WORLDS: dict[str, str] = {
    "miniwob": "screenmark.environments.miniwob:MiniWob",
    "webapps": "screenmark.environments.web_apps:WebApps",
}
"""``module:Class`` of every world."""


def world_class(name: str) -> type[World]:
    """Look a world up.

    Raises:
        UsageError: there is none by that name; the nearest one is named.
    """
    target = WORLDS.get(name)
    if target is None:
        close = difflib.get_close_matches(name, WORLDS, n=1, cutoff=0.4)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"unknown world {name!r}{hint}; there are {', '.join(WORLDS)}")
    module, _, attribute = target.partition(":")
    found: type[World] = getattr(importlib.import_module(module), attribute)
    return found
