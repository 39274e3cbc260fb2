"""Holds a Python application to its own folder while it serves an agent.

An agent can make an application do what its authors did not think of: a ledger that includes
``~/.bashrc`` makes that file editable, ``ATTACH`` writes databases anywhere. Python tells audit
hooks of every file that is opened and every process that is started; a hook that raises forbids
it, and cannot be taken away again.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

_MOST_BYTES: Final = 32 << 20
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS: Final = {
    "os.chmod": 1,
    "os.chown": 1,
    "os.link": 2,
    "os.listdir": 1,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.scandir": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.utime": 1,
    "shutil.move": 2,
    "shutil.rmtree": 1,
    "sqlite3.connect": 1,
}
"""Events that name files: how many of the first arguments do."""
_NEVER: Final = frozenset(
    {
        "ctypes.dlopen",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.posix_spawn",
        "os.putenv",
        "os.spawn",
        "os.system",
        "pty.spawn",
        "socket.connect",
        "socket.sendto",
        "sqlite3.enable_load_extension",
        "sqlite3.load_extension",
        "subprocess.Popen",
        "webbrowser.open",
    }
)
_DEVICES: Final = ("/dev/null", "/dev/urandom")


def confine(folder: Path) -> None:
    """From now on this process writes in ``folder`` alone, and starts and calls nothing.

    It reads what belongs to Python and its packages, and the folder.
    """
    _limit_files()
    sys.addaudithook(_hook(os.path.realpath(folder)))


def _hook(folder: str) -> Callable[[str, tuple[Any, ...]], None]:
    own = (folder,)
    readable = (folder, *_of_python(), *_DEVICES)

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = given
            writes = (isinstance(mode, str) and mode.strip("rbtU") != "") or flags & _WRITING
            _check(path, own + _DEVICES[:1] if writes else readable)
        elif event in _PATHS:
            looks = event in {"os.listdir", "os.scandir"}
            for path in given[: _PATHS[event]]:
                _check(path, readable if looks else own)
        elif event in _NEVER:
            raise PermissionError(f"an application that serves an agent does no {event}")

    return hook


def _of_python() -> tuple[str, ...]:
    """Folders that Python and its packages are read from."""
    places = [*sys.path, *sysconfig.get_paths().values(), sys.prefix, sys.base_prefix]
    # An editable install, and what mimetypes and time zones are looked up in.
    known = [os.path.realpath(place) for place in places if place]
    return (*known, "/usr/share/zoneinfo", "/etc/localtime", "/etc/mime.types")


def _check(path: object, allowed: tuple[str, ...]) -> None:
    if isinstance(path, int) or path is None:
        return  # open already, or the working folder, which is the application's own
    text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
    if text.startswith("file:") or text == ":memory:":
        text = text.removeprefix("file:").partition("?")[0]
        if text == ":memory:":
            return
    real = os.path.realpath(text)
    if not any(real == place or real.startswith(place + os.sep) for place in allowed):
        raise PermissionError(f"an application that serves an agent does not touch {text}")


def _limit_files() -> None:
    """No file grows without end; where the system knows no such limit, there is none."""
    try:
        import resource
    except ModuleNotFoundError:
        return
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    most = _MOST_BYTES if hard == resource.RLIM_INFINITY else min(hard, _MOST_BYTES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
