"""The first states of the applications, and the files that they are kept in."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from screenmark.environments.web_apps import database

LEDGER: Final = "household.beancount"
DATABASE: Final = "library.db"

_TEXTS: Final = {"fava": LEDGER, "sqlite-web": "library.sql"}


def first_state(app: str) -> str:
    """Text that the first state of an application is made from."""
    folder = files("screenmark.environments.web_apps") / "states"
    return (folder / _TEXTS[app]).read_text("utf-8")


def put(app: str, state: str, folder: Path) -> None:
    """Write a state into the folder of an application."""
    if app == "fava":
        (folder / LEDGER).write_text(state, encoding="utf-8")
    else:
        database.make(state, folder / DATABASE)
