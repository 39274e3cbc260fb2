"""Lists of models as endpoints show them, or do not."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from screenmark.doctor.model_list import address_of, has_list, listed_models
from screenmark.models import ModelOptions

KEY = "sk-secret-0123456789abcdef"


def ask(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]], **options: Any
) -> tuple[tuple[str, ...] | None, list[web.Request]]:
    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        seen.append(request)
        return await answer(request)

    async def main() -> tuple[str, ...] | None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            given = ModelOptions(model="m", api_base=(base,), api_key=KEY, **options)
            return (await listed_models(given)).names
        finally:
            await runner.cleanup()

    return asyncio.run(main()), seen


def shows(body: Any, status: int = 200) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response(body, status=status)

    return answer


@pytest.mark.parametrize(
    ("adapter", "header", "value"),
    [("openai", "Authorization", f"Bearer {KEY}"), ("anthropic", "x-api-key", KEY)],
)
def test_names(adapter: str, header: str, value: str) -> None:
    body = {"data": [{"id": "a"}, {"id": "models/gemini-x"}, {"id": 3}, "b"]}
    names, (request,) = ask(shows(body), adapter=adapter)
    assert names == ("a", "gemini-x")
    assert (request.method, request.path) == ("GET", "/v1/models")
    assert request.headers[header] == value


@pytest.mark.parametrize(
    ("body", "status"),
    [({"error": "no"}, 404), ({"data": []}, 401), ({"data": "x"}, 200), ([], 200)],
)
def test_no_list(body: Any, status: int) -> None:
    assert ask(shows(body, status))[0] is None


def test_a_redirect_is_not_followed() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/elsewhere")

    names, seen = ask(answer)
    assert (names, len(seen)) == (None, 1)


def test_an_adapter_without_a_list_is_not_asked() -> None:
    names, seen = ask(shows({"data": [{"id": "a"}]}), adapter="dashscope")
    assert (names, seen) == (None, [])
    assert not has_list(ModelOptions(adapter="dashscope"))


def test_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert address_of(ModelOptions(adapter="openai")) == "https://api.openai.com/v1"
    assert address_of(ModelOptions(preset="ollama")) == "http://127.0.0.1:11434/v1"
    assert address_of(ModelOptions(adapter="dashscope")) is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert address_of(ModelOptions(adapter="openai")) == "http://127.0.0.1:9/v1"
