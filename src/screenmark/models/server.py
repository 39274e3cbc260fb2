"""Any adapter as an OpenAI-compatible endpoint, on loopback.

Answers ``POST /v1/chat/completions`` (whole or as a stream of one piece) and
``GET /v1/models``. Images come in as data URLs; other URLs are refused, so that a request
cannot make this machine fetch anything.
"""

from __future__ import annotations

import asyncio
import base64
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from screenmark.errors import CredentialsError, ImageError, ModelError, TransientError
from screenmark.types import Image, Message, Part, Reply, Request, Text

if TYPE_CHECKING:
    from aiohttp import web

    from screenmark.models.base import BaseLLMAdapter

_MOST_BYTES = 64 * 1024 * 1024
_ROLES = ("system", "user", "assistant")


class BadRequest(ValueError):
    """The body is not a chat completion request that can be answered."""


async def serve(adapter: BaseLLMAdapter, port: int, ready: asyncio.Event | None = None) -> None:
    """Serve until cancelled.

    Args:
        adapter: who answers; it is started and closed here.
        port: of loopback.
        ready: set once requests are accepted.

    Raises:
        OSError: the port is taken.
    """
    from aiohttp import web

    await adapter.start()
    # A client that left waits for nothing: its request makes room for others.
    runner = web.AppRunner(make_app(adapter), access_log=None, handler_cancellation=True)
    try:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        if ready is not None:
            ready.set()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
        await adapter.close()


def make_app(adapter: BaseLLMAdapter) -> web.Application:
    """The web application, for a started adapter."""
    from aiohttp import web

    slots = asyncio.Semaphore(adapter.concurrency)

    async def complete(http: web.Request) -> web.StreamResponse:
        with tempfile.TemporaryDirectory(prefix="screenmark-serve-") as folder:
            try:
                body = orjson.loads(await http.read())
                request = read_request(body, Path(folder))
                async with slots:
                    reply = await adapter.generate(request)
            except (BadRequest, orjson.JSONDecodeError, ImageError) as error:
                return _error(400, "invalid_request_error", str(error))
            except CredentialsError as error:
                return _error(502, "upstream_error", str(error))
            except TransientError as error:
                return _error(503, "server_error", str(error))
            except ModelError as error:
                # Not a 5xx: clients would ask again in vain.
                return _error(400, "invalid_request_error", str(error))
            except web.HTTPException as error:
                return _error(error.status, "invalid_request_error", error.reason)
            except Exception as error:  # the model's own code
                return _error(500, "server_error", f"{type(error).__name__}: {error}")
        if body.get("stream"):
            return await _stream(http, reply, body["model"])
        return web.Response(
            body=orjson.dumps(completion(reply, body["model"])), content_type="application/json"
        )

    async def models(http: web.Request) -> web.Response:
        one = {"id": adapter.name, "object": "model", "created": 0, "owned_by": "screenmark"}
        data = orjson.dumps({"object": "list", "data": [one]})
        return web.Response(body=data, content_type="application/json")

    app = web.Application(client_max_size=_MOST_BYTES)
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/v1/models", models)
    return app


def read_request(body: Any, folder: Path) -> Request:
    """A request in OpenAI's form; its images are written to ``folder``.

    Raises:
        BadRequest: the body has another shape; the message names the field.
    """
    if not isinstance(body, dict):
        raise BadRequest("expected a JSON object")
    if not isinstance(body.get("model"), str):
        raise BadRequest("model: expected a string")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages: expected a list that is not empty")
    temperature = body.get("temperature")
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    read = [_message(m, f"messages[{n}]", folder) for n, m in enumerate(messages)]
    return Request(
        messages=tuple(read),
        temperature=float(temperature) if isinstance(temperature, int | float) else 0.0,
        max_tokens=limit if isinstance(limit, int) else 4096,
    )


def completion(reply: Reply, model: str) -> dict[str, Any]:
    """A reply in OpenAI's form."""
    usage = reply.usage
    tokens = (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
    return {
        "id": "chatcmpl-screenmark",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": reply.finish_reason or "stop",
            }
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


def _message(message: Any, field: str, folder: Path) -> Message:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise BadRequest(f"{field}.role: expected one of {', '.join(_ROLES)}")
    content = message.get("content")
    if isinstance(content, str):
        return Message(message["role"], (Text(content),))
    if not isinstance(content, list):
        raise BadRequest(f"{field}.content: expected a string or a list of parts")
    parts = [_part(part, f"{field}.content[{n}]", folder) for n, part in enumerate(content)]
    return Message(message["role"], tuple(parts))


def _part(part: Any, field: str, folder: Path) -> Part:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"])
    if kind != "image_url":
        raise BadRequest(f"{field}: expected a part of type text or image_url")
    url = part.get("image_url")
    url = url.get("url") if isinstance(url, dict) else url
    if not isinstance(url, str) or not url.startswith("data:image/") or ";base64," not in url:
        raise BadRequest(f"{field}.image_url: expected a data URL with a base64 image")
    try:
        data = base64.b64decode(url.partition(";base64,")[2], validate=True)
    except ValueError as error:  # binascii.Error, or characters that are not ASCII
        raise BadRequest(f"{field}.image_url: not base64 ({error})") from None
    file = folder / f"{len(list(folder.iterdir()))}.image"
    file.write_bytes(data)
    return Image(str(file))


def _error(status: int, kind: str, message: str) -> web.Response:
    from aiohttp import web

    body = orjson.dumps({"error": {"message": message, "type": kind, "code": None}})
    return web.Response(status=status, body=body, content_type="application/json")


async def _stream(http: web.Request, reply: Reply, model: str) -> web.StreamResponse:
    from aiohttp import web

    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(http)
    whole = completion(reply, model)
    choice = whole["choices"][0]
    delta = {"index": 0, "delta": choice["message"], "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    for piece in (delta, last):
        event = whole | {"object": "chat.completion.chunk", "choices": [piece]}
        await response.write(b"data: " + orjson.dumps(event) + b"\n\n")
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
