"""A local server in a vendor's place: it answers on script and keeps what came in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from aiohttp import web

Answer: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


def sends(status: int, body: Any, **headers: str) -> Answer:
    """Answer with JSON; a text or bytes go out as they are."""

    async def answer(http: web.Request) -> web.StreamResponse:
        if isinstance(body, bytes):
            return web.Response(status=status, body=body, headers=headers)
        if isinstance(body, str):
            return web.Response(status=status, text=body, headers=headers)
        return web.json_response(body, status=status, headers=headers)

    return answer


async def hangs(http: web.Request) -> web.StreamResponse:
    """Never answer."""
    await asyncio.sleep(30)
    raise AssertionError


async def resets(http: web.Request) -> web.StreamResponse:
    """Break the connection off."""
    assert http.transport is not None
    http.transport.abort()
    return web.Response()


class Vendor:
    """Takes any request; the last answer is repeated."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.paths: list[str] = []
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        """Listen on loopback; the value is the address without a path."""
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        self.paths.append(http.path)
        self.bodies.append(await http.json())
        self.headers.append({name.lower(): value for name, value in http.headers.items()})
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(http)
