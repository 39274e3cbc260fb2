"""A local endpoint that speaks chat completions over HTTP and misbehaves on script."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeAlias

import msgspec
from aiohttp import web


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """What the endpoint does with one request."""

    status: int = 200
    body: bytes | None = None
    content: Any = "[]"
    finish_reason: str = "stop"
    refusal: str | None = None
    headers: dict[str, str] = {}
    seconds: float = 0.0
    after: threading.Event | None = None
    reset: bool = False


Script: TypeAlias = Sequence[Act] | Callable[[int, dict[str, Any]], Act]
"""Acts in order, the last one repeated; or a function of request number and body."""


DEFAULT_SCRIPT: Script = (Act(),)


class FakeEndpoint:
    """Serves in a thread of its own; ``requests`` holds the bodies that came in.

    Without ``models`` it has no list of them.
    """

    def __init__(
        self, script: Script = DEFAULT_SCRIPT, models: Sequence[str] | None = None
    ) -> None:
        self.script = script
        self.models = models
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> FakeEndpoint:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_get("/v1/models", self._list)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()
        late = asyncio.all_tasks() - {asyncio.current_task()}
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _list(self, request: web.Request) -> web.Response:
        if self.models is None:
            raise web.HTTPNotFound
        return web.json_response({"object": "list", "data": [{"id": m} for m in self.models]})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        number = len(self.requests)
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._perform(self._act(number, body), request)
        finally:
            self.in_flight -= 1

    def _act(self, number: int, body: dict[str, Any]) -> Act:
        if callable(self.script):
            return self.script(number, body)
        return self.script[min(number, len(self.script) - 1)]

    async def _perform(self, act: Act, request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(act.seconds)
        if act.after is not None:
            await asyncio.to_thread(act.after.wait, 30)
            await asyncio.sleep(0.2)
        if act.reset:
            assert request.transport is not None
            request.transport.abort()
            raise ConnectionResetError
        data = act.body
        if data is None:
            message = {"role": "assistant", "content": act.content, "refusal": act.refusal}
            choice = {"index": 0, "message": message, "finish_reason": act.finish_reason}
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
            data = json.dumps({"model": "fake-1", "choices": [choice], "usage": usage}).encode()
        return web.Response(
            status=act.status, body=data, headers=act.headers, content_type="application/json"
        )


def prompt_of(body: dict[str, Any]) -> str:
    """The text of the first message of a request."""
    parts = body["messages"][0]["content"]
    return "".join(part["text"] for part in parts if part["type"] == "text")
