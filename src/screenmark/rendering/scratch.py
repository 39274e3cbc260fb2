"""A temporary folder for a browser, which goes with it even if we are killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Final

_END_SECONDS: Final = 10.0
_SOCKET: Final = "/org.chromium.Chromium.XXXXXX/SingletonSocket"
_LONGEST_SOCKET: Final = 103
"""Bytes of a socket's path on macOS; Linux takes four more."""

_SHORT: Final = "/tmp"  # noqa: S108 - mkdtemp makes a folder of its own in it

# Standard input is a pipe from us; it ends when we do. What the browser still holds or writes
# then is tried again.
_REMOVER: Final = """
import os, shutil, sys, time
sys.stdin.buffer.read()
for _ in range(100):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if not os.path.exists(sys.argv[1]):
        break
    time.sleep(0.1)
"""


class Scratch:
    """The folder, and a process that removes it once this one is gone.

    Browsers leave a folder behind in the common one at every end but the kindest.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="screenmark-", dir=_place()))
        remover = subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-I", "-S", "-c", _REMOVER, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # who kills our whole group does not kill it
        )
        self._end = weakref.finalize(self, _end, self.path, remover)

    @property
    def environment(self) -> dict[str, str | float | bool]:
        """Our environment, with this folder as the temporary one; for launching a browser."""
        place = str(self.path)
        return {**os.environ, "TMPDIR": place, "TMP": place, "TEMP": place}

    def close(self) -> None:
        """Remove the folder; the browser has ended. May be called twice."""
        self._end()


def _place() -> str | None:
    """Where the folder goes: the common place, or one where Chromium's socket is not too long."""
    common = tempfile.gettempdir()
    length = len(os.fsencode(f"{common}/screenmark-XXXXXXXX{_SOCKET}"))
    return _SHORT if length > _LONGEST_SOCKET and os.access(_SHORT, os.W_OK) else None


def _end(folder: Path, remover: subprocess.Popen[bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if remover.stdin is not None:
        remover.stdin.close()
    try:
        remover.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        remover.kill()
        remover.wait()
