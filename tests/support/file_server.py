"""A local server of files that breaks off, lies and changes its mind on script."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
from contextlib import suppress
from typing import Any

import msgspec
from aiohttp import web


class Serve(msgspec.Struct, frozen=True, kw_only=True):
    """How one request for a file is answered.

    Attributes:
        break_after: bytes of the body after which the connection is cut.
        claim: what Content-Length says; the truth by default.
        ranges: whether Range is heeded.
        chunked: no Content-Length at all.
        content_range: what Content-Range says; the truth by default.
        hold: wait for this before the rest after ``break_after`` bytes, which then follows.
    """

    status: int = 200
    data: bytes | None = None
    break_after: int | None = None
    claim: int | None = None
    ranges: bool = True
    chunked: bool = False
    etag: str | None = '"one"'
    content_range: str | None = None
    headers: dict[str, str] = {}
    hold: threading.Event | None = None


class Asked(msgspec.Struct, frozen=True):
    """A request that came in; names of headers in lower case."""

    path: str
    headers: dict[str, str]

    @property
    def range(self) -> str | None:
        return self.headers.get("range")


class FileServer:
    """Serves ``files`` at 127.0.0.1; ``scripts`` says how, the last act repeated."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files = files or {}
        self.scripts: dict[str, list[Serve]] = {}
        self.asked: list[Asked] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def times(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(asked.path == path for asked in self.asked)

    def add_sums(self) -> None:
        """Put SHA256SUMS over all files beside them."""
        lines = [f"{hashlib.sha256(data).hexdigest()}  {n}\n" for n, data in self.files.items()]
        self.files["SHA256SUMS"] = "".join(lines).encode()

    def __enter__(self) -> FileServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        number = self.times(path)
        self.asked.append(Asked(path, {k.lower(): v for k, v in request.headers.items()}))
        script = self.scripts.get(path, [Serve()])
        act = script[min(number, len(script) - 1)]
        data = self.files.get(path) if act.data is None else act.data
        if act.status != 200 or data is None:
            status = 404 if act.status == 200 else act.status
            return web.Response(status=status, headers=act.headers, body=b"no")
        return await self._send(request, act, data)

    async def _send(self, request: web.Request, act: Serve, data: bytes) -> web.StreamResponse:
        headers = dict(act.headers) | ({"ETag": act.etag} if act.etag else {})
        status, body = 200, data
        if (found := _wanted(request, act)) is not None:
            if found >= len(data):
                headers["Content-Range"] = f"bytes */{len(data)}"
                return web.Response(status=416, headers=headers)
            status, body = 206, data[found:]
            truth = f"bytes {found}-{len(data) - 1}/{len(data)}"
            headers["Content-Range"] = act.content_range or truth
        response = web.StreamResponse(status=status, headers=headers)
        if act.chunked:
            response.enable_chunked_encoding()
        else:
            response.content_length = len(body) if act.claim is None else act.claim
        await response.prepare(request)
        first = body if act.break_after is None else body[: act.break_after]
        await response.write(first)
        if act.hold is not None:
            await asyncio.to_thread(act.hold.wait, 30)
            with suppress(ConnectionError):
                await response.write(body[len(first) :])
        elif act.break_after is not None:
            await asyncio.sleep(0.01)  # what was written is to arrive before the cut
            assert request.transport is not None
            request.transport.close()
        return response


def _wanted(request: web.Request, act: Serve) -> int | None:
    """Where the answer starts, if Range holds."""
    found = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
    if found is None or not act.ranges:
        return None
    condition = request.headers.get("If-Range")
    return int(found[1]) if condition in {None, act.etag} else None


def git_blob(data: bytes) -> str:
    """The name that git gives to a content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def hub_answer(commit: str, files: dict[str, bytes], large: set[str]) -> bytes:
    """What the hub's API says about a data set; files in ``large`` are in LFS."""
    siblings: list[dict[str, Any]] = []
    for name, data in files.items():
        one: dict[str, Any] = {"rfilename": name, "size": len(data), "blobId": git_blob(data)}
        if name in large:
            digest = hashlib.sha256(data).hexdigest()
            one["lfs"] = {"sha256": digest, "size": len(data), "pointerSize": 130}
        siblings.append(one)
    return json.dumps({"id": "x/y", "sha": commit, "siblings": siblings}).encode()
