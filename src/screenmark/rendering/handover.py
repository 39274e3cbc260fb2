"""Large answers on their way to the browser.

Whatever goes through the pipe to Playwright's driver is put together there in time that grows
with the square of its size: half a minute for a page of 50 MB. So the driver fetches what is
large from a socket of this machine. It is open for this one request, at an address that nobody
can guess; no page can reach it, since browsers have no network.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.async_api import APIRequestContext, APIResponse

LARGE: Final = 2 << 20
"""Bytes of an answer from which the pipe takes longer than the way round it."""

_HEAD: Final = (
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n"
    "Content-Length: {length}\r\n\r\n"
)


@asynccontextmanager
async def handed_over(body: bytes, driver: APIRequestContext) -> AsyncIterator[APIResponse | None]:
    """The body as a response that the driver holds, with which a route can be fulfilled.

    None where there is no socket to be had, so that the pipe has to do.

    Args:
        body: of an answer.
        driver: a context's requests, which the driver makes and no browser.
    """
    from playwright.async_api import Error

    path = f"/{secrets.token_urlsafe(24)}"

    async def give(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(f"GET {path} ".encode()):
                writer.write(_HEAD.format(length=len(body)).encode())
                writer.write(body)
                await writer.drain()
        writer.close()

    response = None
    with suppress(OSError, Error):
        server = await asyncio.start_server(give, "127.0.0.1", 0)
        try:
            port = server.sockets[0].getsockname()[1]
            response = await driver.get(f"http://127.0.0.1:{port}{path}", max_redirects=0)
        finally:
            server.close()
    try:
        yield response
    finally:
        if response is not None:
            with suppress(Error):  # The context may be gone, and the body with it.
                await response.dispose()
