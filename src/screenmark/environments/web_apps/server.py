"""An application as a process of its own for one episode, over a fresh copy of its state."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from screenmark.errors import EnvironmentFailure

_START_SECONDS: Final = 60.0
_KEPT: Final = ("PATH", "PYTHONPATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
_SHOWN: Final = 300


class AppServer:
    """The process and its folder; ``folder`` is there before `start`, for the state to go in.

    Args:
        name: of the application, as `serve` knows it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: asyncio.subprocess.Process | None = None
        self._root = Path(tempfile.mkdtemp(prefix="screenmark-app-"))
        self.folder = self._root / "state"
        self.folder.mkdir()
        self.origin = ""

    async def start(self) -> None:
        """Bring it up on a free port of 127.0.0.1; ``origin`` is where then.

        Raises:
            EnvironmentFailure: it does not come up.
        """
        said = self._root / "log"
        with said.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "screenmark.environments.web_apps.serve"),
                *(self._name, str(self.folder)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                cwd=self.folder,
                env=self._environment(),
                start_new_session=True,
            )
        assert self._process.stdout is not None  # noqa: S101 - a pipe, as asked for
        try:
            async with asyncio.timeout(_START_SECONDS):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise EnvironmentFailure(f"{self._name} says no address in time") from None
        self.origin = line.decode("utf-8", "replace").strip()
        if not self.origin.startswith("http://127.0.0.1:"):
            last = said.read_text("utf-8", "replace").strip()[-_SHOWN:]
            raise EnvironmentFailure(f"{self._name} does not start: {last or 'it said nothing'}")

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return {
            **kept,
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """Of the process, 0 before it is started and after `close`."""
        return 0 if self._process is None else self._process.pid

    async def close(self) -> None:
        """End the process and remove its folder; may be called twice."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        await asyncio.to_thread(shutil.rmtree, self._root, ignore_errors=True)
