"""Serves one application over one folder on a free port of 127.0.0.1, as a process of its own.

``python -m screenmark.environments.web_apps.serve NAME FOLDER`` says its address on the first
line of its output. The folder's parent is the episode's too, and goes when the episode does.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from screenmark.environments.web_apps.clock import stop_fava, stop_flask
from screenmark.environments.web_apps.confine import confine
from screenmark.environments.web_apps.states import DATABASE, LEDGER


def _fava(folder: Path) -> Any:
    from beancount import loader
    from fava.application import create_app

    vars(loader)["importlib"] = _FewPlugins()
    application = create_app([folder / LEDGER], poll_watcher=True)
    stop_fava()
    return application


class _FewPlugins:
    """In the place of ``importlib``: a ledger names modules, and they are imported as plugins."""

    def import_module(self, name: str) -> Any:
        if not name.startswith("beancount.ops."):
            raise ImportError(f"plugins are switched off here: {name}")
        return importlib.import_module(name)


def _sqlite_web(folder: Path) -> Any:
    from sqlite_web import sqlite_web

    _keep_to_one_file()
    sqlite_web.initialize_app([str(folder / DATABASE)])
    stop_flask(sqlite_web.app)
    return sqlite_web.app


def _keep_to_one_file() -> None:
    """SQL reaches its own file alone: no ``ATTACH``, and so no ``VACUUM INTO`` either."""
    connect = sqlite3.connect

    def guarded(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **named)
        connection.set_authorizer(_allow)
        return connection

    vars(sqlite3)["connect"] = guarded


def _allow(action: int, *_: object) -> int:
    denied = action in {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}
    return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK


APPLICATIONS: Final[dict[str, Callable[[Path], Any]]] = {
    "fava": _fava,
    "sqlite-web": _sqlite_web,
}
"""Name to what makes the WSGI application over a folder."""


def main(name: str, folder: Path) -> None:
    """Serve until the process is ended."""
    from werkzeug.serving import make_server

    application = APPLICATIONS[name](folder)
    server = make_server("127.0.0.1", 0, application, threaded=True)
    threading.Thread(target=_end_with_parent, args=(folder.parent,), daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    confine(folder.parent)
    server.serve_forever()


def _end_with_parent(root: Path) -> None:
    """Standard input is a pipe from whoever started this; it ends when they do, even if killed.

    Who was killed removes nothing any more, so the episode's folder goes here.
    """
    sys.stdin.buffer.read()
    shutil.rmtree(root, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    main(sys.argv[1], Path(sys.argv[2]))
