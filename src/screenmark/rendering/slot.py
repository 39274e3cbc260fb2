"""A place for one page at a time, with a browser of its own.

A page that hangs or eats memory takes its whole browser with it and no other page.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from screenmark.rendering.chromium import arguments
from screenmark.rendering.driver import SIGNALS_ARE_OURS
from screenmark.rendering.errors import RenderingError
from screenmark.rendering.processes import kill, private_bytes, tree
from screenmark.rendering.record import Lost
from screenmark.rendering.scratch import Scratch

if TYPE_CHECKING:
    from pathlib import Path

    from screenmark.rendering.options import RenderOptions

_START_S = 30.0
_CLOSE_S = 5.0
_LOOK_S = 0.1
_UNLIMITED_HEAP_SHARE = 0.75


class Slot:
    """One browser, started when it is first needed and replaced when it is worn or dead."""

    def __init__(self, playwright: Any, program: Path, options: RenderOptions) -> None:
        self._playwright = playwright
        self._program = program
        self._options = options
        self._browser: Any = None
        self._scratch: Scratch | None = None
        self._pid = 0
        self._pages = 0
        self.lost: Lost | None = None
        """Why the browser was ended while a page was open in it."""

    @property
    def version(self) -> str:
        """``Chromium 156.0``…, once a browser has been started."""
        return f"Chromium {self._browser.version}" if self._browser else ""

    async def browser(self) -> Any:
        """A living browser (a ``playwright.async_api.Browser``).

        Raises:
            RenderingError: it cannot be started.
        """
        worn = self._pages >= self._options.restart_every
        if self._browser is not None and (worn or not self._browser.is_connected()):
            await self.close()
        if self._browser is None:
            await self._start()
        self._pages += 1
        self.lost = None
        return self._browser

    async def _start(self) -> None:
        from playwright.async_api import Error

        heap = int(self._options.memory_mb * _UNLIMITED_HEAP_SHARE)
        why = ""
        await self._drop_scratch()
        self._scratch = await asyncio.to_thread(Scratch)
        # Chromium's own sandbox cannot be had as root, nor in many containers.
        for sandboxed in (True, False) if not _is_root() else (False,):
            try:
                self._browser = await self._playwright.chromium.launch(
                    executable_path=str(self._program),
                    args=arguments(heap),
                    chromium_sandbox=sandboxed,
                    timeout=_START_S * 1000,
                    env=self._scratch.environment,
                    **SIGNALS_ARE_OURS,
                )
                break
            except Error as error:
                why = str(error).strip().splitlines()[0]
        else:
            raise RenderingError(f"{self._program} cannot be started: {why}")
        session = await self._browser.new_browser_cdp_session()
        found = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
        self._pid = next(p["id"] for p in found["processInfo"] if p["type"] == "browser")
        self._pages = 0

    async def watch(self) -> None:
        """End the browser when its page goes over a limit; runs until cancelled."""
        end = asyncio.get_running_loop().time() + self._options.page_s
        limit = self._options.memory_mb << 20
        while True:
            await asyncio.sleep(_LOOK_S)
            if private_bytes(tree(self._pid)) > limit:
                self.end("memory")
                return
            if asyncio.get_running_loop().time() > end:
                self.end("time")
                return

    def end(self, why: Lost) -> None:
        """Kill the browser with everything in it."""
        if self.lost is None:
            self.lost = why
        kill(tree(self._pid))

    async def close_page(self, context: Any) -> None:
        """Close a page's context, by force if it does not go."""
        if self.lost is not None or not self._browser.is_connected():
            await self.close()
            return
        try:
            async with asyncio.timeout(_CLOSE_S):
                await context.close()
        except Exception:  # Whatever the reason: a fresh browser is always right.
            await self.close()

    async def close(self) -> None:
        """End the browser, kindly if it listens, by force if not."""
        processes = tree(self._pid) if self._pid else []
        if self._browser is not None and self._browser.is_connected() and self.lost is None:
            with suppress(Exception):
                async with asyncio.timeout(_CLOSE_S):
                    await self._browser.close()
        kill(processes)
        self._browser = None
        self._pid = 0
        await self._drop_scratch()

    async def _drop_scratch(self) -> None:
        scratch, self._scratch = self._scratch, None
        if scratch is not None:
            await asyncio.to_thread(scratch.close)


def _is_root() -> bool:
    import os

    return hasattr(os, "geteuid") and os.geteuid() == 0
