"""The pages of MiniWoB++: where they are, which there are, and a server on loopback for them."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Final

from screenmark.errors import MissingExtra

if TYPE_CHECKING:
    from aiohttp import web

UNSTEADY: Final = ("chase-circle", "click-pie", "moving-items", "stock-market")
"""Pages that look at the clock: one seed gives several first screens."""


@functools.cache
def html_folder() -> Path:
    """The folder of the installed package that holds the pages; the package is not imported.

    Raises:
        MissingExtra: it is not installed.
    """
    spec = importlib.util.find_spec("miniwob")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("MiniWoB++", "env")
    return Path(next(iter(spec.submodule_search_locations))) / "html"


@functools.cache
def page_names() -> tuple[str, ...]:
    """Every page, by name.

    Raises:
        MissingExtra: the package is not installed.
    """
    return tuple(sorted(path.stem for path in (html_folder() / "miniwob").glob("*.html")))


class PageServer:
    """The pages over HTTP on 127.0.0.1, read from memory after the first time."""

    def __init__(self) -> None:
        self._runner: web.AppRunner | None = None
        self._files: dict[str, tuple[bytes, str]] = {}
        self.origin = ""

    async def start(self) -> None:
        """Listen on a free port; ``origin`` is where then."""
        from aiohttp import web

        if self._runner is not None:
            return
        app = web.Application()
        app.router.add_get("/{path:.*}", self._give)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.origin = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        """Stop listening."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _give(self, request: web.Request) -> web.Response:
        from aiohttp import web

        path = request.match_info["path"]
        if path not in self._files:
            found = _read(path)
            if found is None:
                raise web.HTTPNotFound
            self._files[path] = found
        body, kind = self._files[path]
        return web.Response(body=body, content_type=kind, charset="utf-8")


_KINDS: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
}


def _read(path: str) -> tuple[bytes, str] | None:
    root = html_folder().resolve()
    file = (root / path).resolve()
    if not file.is_relative_to(root) or not file.is_file():
        return None
    return file.read_bytes(), _KINDS.get(file.suffix, "application/octet-stream")
