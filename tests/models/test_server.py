"""The local endpoint, over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from aiohttp import web
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import (
    CredentialsError,
    ImageError,
    ModelError,
    RejectedError,
    TransientError,
)
from screenmark.images import probe
from screenmark.models import AsyncAdapter, BaseLLMAdapter, ModelOptions, build_adapter
from screenmark.models import server as server_module
from screenmark.models.openai import OpenAIAdapter
from screenmark.models.server import make_app, serve
from screenmark.types import Image, Message, Reply, Request, Text, Usage

pytestmark = pytest.mark.usefixtures("in_tmp")


class Scripted(AsyncAdapter):
    """Keeps what it is asked and answers or fails as told."""

    name = "scripted"

    def __init__(self, answer: Reply | Exception | None = None) -> None:
        self.answer = answer or Reply("[]", usage=Usage(5, 2))
        self.requests: list[Request] = []
        self.files: list[Path] = []
        self.sizes: list[tuple[int, int]] = []
        self.started = self.closed = 0
        self.in_flight = self.most_in_flight = 0
        self.seconds = 0.0

    async def start(self) -> None:
        self.started += 1

    async def close(self) -> None:
        self.closed += 1

    async def generate(self, request: Request) -> Reply:
        self.requests.append(request)
        for path in request.images:
            info = probe(path)
            self.files.append(Path(path))
            self.sizes.append((info.width, info.height))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(self.seconds)
        self.in_flight -= 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@contextmanager
def served(adapter: BaseLLMAdapter) -> Iterator[str]:
    """The base URL of an adapter that is served from a thread of its own."""
    loop = asyncio.new_event_loop()
    ready, ports = threading.Event(), []
    stop = asyncio.Event()

    async def main() -> None:
        await adapter.start()
        runner = web.AppRunner(make_app(adapter), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ports.append(runner.addresses[0][1])
        ready.set()
        await stop.wait()
        await runner.cleanup()
        await adapter.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield f"http://127.0.0.1:{ports[0]}/v1"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()


class Response(NamedTuple):
    """What came back."""

    status: int
    type: str
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def post(url: str, body: object, path: str = "/chat/completions") -> Response:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask("POST", url, path, data)


def ask(method: str, url: str, path: str, data: bytes | None = None) -> Response:
    host = url.removeprefix("http://").partition("/")[0]
    connection = http.client.HTTPConnection(host, timeout=20)
    try:
        connection.request(method, "/v1" + path, data)
        response = connection.getresponse()
        return Response(response.status, response.headers.get_content_type(), response.read())
    finally:
        connection.close()


def body(content: Any = "why?", **fields: Any) -> dict[str, Any]:
    return {"model": "any-name", "messages": [{"role": "user", "content": content}], **fields}


def image_part(url: Any) -> list[dict[str, Any]]:
    return [{"type": "image_url", "image_url": url}]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "page.png"
    PillowImage.new("RGB", (40, 30), "navy").save(path)
    return path


def data_url(path: Path, head: str = "data:image/png;base64,") -> str:
    return head + base64.b64encode(path.read_bytes()).decode("ascii")


class TestAnswers:
    def test_text(self) -> None:
        adapter = Scripted(Reply("好的", finish_reason="length", usage=Usage(5, 2)))
        before = int(time.time())
        with served(adapter) as url:
            response = post(url, body(temperature=0.5, max_tokens=9))
        assert (response.status, response.type) == (200, "application/json")
        answer = response.json
        assert before <= answer.pop("created") <= time.time()
        assert answer == {
            "id": "chatcmpl-screenmark",
            "object": "chat.completion",
            "model": "any-name",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": "好的"},
                    "finish_reason": "length",
                }
            ],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        }
        assert adapter.requests == [Request((Message("user", (Text("why?"),)),), 0.5, 9)]

    def test_defaults_and_other_names(self) -> None:
        adapter = Scripted(Reply("x"))
        with served(adapter) as url:
            answer = post(url, body(max_completion_tokens=11, max_tokens=9, seed=3)).json
            post(url, body(temperature="hot", max_tokens="many"))
        assert answer["choices"][0]["finish_reason"] == "stop"
        assert answer["usage"]["total_tokens"] == 0
        assert [(r.temperature, r.max_tokens) for r in adapter.requests] == [(0, 11), (0, 4096)]

    def test_a_conversation(self) -> None:
        adapter = Scripted()
        messages = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "a"}]},
            {"role": "assistant", "content": "b"},
        ]
        with served(adapter) as url:
            assert post(url, {"model": "m", "messages": messages}).status == 200
        assert adapter.requests[0].messages == (
            Message("system", (Text("Be brief."),)),
            Message("user", (Text("a"),)),
            Message("assistant", (Text("b"),)),
        )

    @pytest.mark.parametrize("head", ["data:image/png;base64,", "data:image/png;name=x;base64,"])
    @pytest.mark.parametrize("form", ["object", "string"])
    def test_images_are_files_while_they_are_needed(
        self, picture: Path, head: str, form: str
    ) -> None:
        adapter = Scripted()
        url_of = data_url(picture, head)
        part = image_part({"url": url_of} if form == "object" else url_of)
        with served(adapter) as url:
            assert post(url, body([*part, {"type": "text", "text": "?"}, *part])).status == 200
        assert adapter.sizes == [(40, 30)] * 2
        assert len(set(adapter.files)) == 2
        assert not any(file.parent.exists() for file in adapter.files)

    def test_a_stream_of_one_piece(self) -> None:
        with served(Scripted(Reply("好"))) as url:
            response = post(url, body(stream=True))
        assert (response.status, response.type) == (200, "text/event-stream")
        events = response.body.decode("utf-8").split("\n\n")
        assert events[2:] == ["data: [DONE]", ""]
        first, last = (json.loads(event.removeprefix("data: ")) for event in events[:2])
        assert first["object"] == last["object"] == "chat.completion.chunk"
        assert first["choices"][0]["delta"] == {"role": "assistant", "content": "好"}
        assert first["choices"][0]["finish_reason"] is None
        assert last["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]

    def test_models(self) -> None:
        with served(Scripted()) as url:
            answer = ask("GET", url, "/models").json
            assert ask("GET", url, "/elsewhere").status == 404
        assert [model["id"] for model in answer["data"]] == ["scripted"]

    def test_no_more_at_once_than_the_adapter_can_take(self) -> None:
        adapter = Scripted()
        adapter.concurrency = 2
        adapter.seconds = 0.05
        with served(adapter) as url:
            threads = [threading.Thread(target=post, args=(url, body())) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(20)
        assert len(adapter.requests) == 6
        assert adapter.most_in_flight == 2


BAD_URL = "messages[0].content[0].image_url: expected a data URL with a base64 image"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        pytest.param(b"{", "", id="torn"),
        pytest.param(b"", "", id="empty"),
        pytest.param(b"[" * 100_000, "", id="bomb"),
        pytest.param(b"\xff\xfe{}", "", id="not UTF-8"),
        pytest.param([], "expected a JSON object", id="a list"),
        pytest.param({}, "model: expected a string", id="no model"),
        pytest.param({"model": 3}, "model: expected a string", id="model is a number"),
        pytest.param({"model": "m"}, "messages: expected a list", id="no messages"),
        pytest.param({"model": "m", "messages": []}, "messages: expected a list", id="none"),
        pytest.param({"model": "m", "messages": {}}, "messages: expected a list", id="object"),
        pytest.param({"model": "m", "messages": [3]}, "messages[0].role", id="a number"),
        pytest.param(
            {"model": "m", "messages": [{"role": ["user"], "content": ""}]},
            "messages[0].role: expected one of system, user, assistant",
            id="role is a list",
        ),
        pytest.param(body(None), "messages[0].content: expected a string or a list", id="null"),
        pytest.param(body([3]), "messages[0].content[0]: expected a part of type", id="part"),
        pytest.param(
            body([{"type": "text", "text": "a"}, {"type": "video"}]),
            "messages[0].content[1]: expected a part of type text or image_url",
            id="video",
        ),
        pytest.param(body([{"type": "text", "text": 3}]), "messages[0].content[0]", id="number"),
        pytest.param(body(image_part({"url": "http://127.0.0.1/x.png"})), BAD_URL, id="http"),
        pytest.param(body(image_part("https://example.org/x.png")), BAD_URL, id="https"),
        pytest.param(body(image_part({"url": "file:///etc/passwd"})), BAD_URL, id="file"),
        pytest.param(body(image_part("/etc/passwd")), BAD_URL, id="path"),
        pytest.param(body(image_part("data:text/html;base64,QQ==")), BAD_URL, id="not an image"),
        pytest.param(body(image_part("data:image/png,AAAA")), BAD_URL, id="not base64 at all"),
        pytest.param(body(image_part({"uri": "x"})), BAD_URL, id="no url"),
        pytest.param(body(image_part(None)), BAD_URL, id="null url"),
        pytest.param(
            body(image_part("data:image/png;base64,AAA")), "image_url: not base64", id="padding"
        ),
        pytest.param(
            body(image_part("data:image/png;base64,AA*A")), "image_url: not base64", id="letters"
        ),
        pytest.param(
            body(image_part("data:image/png;base64,图片")), "image_url: not base64", id="Chinese"
        ),
    ],
)
def test_bad_requests(sent: Any, message: str) -> None:
    adapter = Scripted()
    with served(adapter) as url:
        response = post(url, sent)
    assert response.status == 400
    assert response.json["error"]["type"] == "invalid_request_error"
    assert message in response.json["error"]["message"]
    assert not adapter.requests


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        pytest.param(TransientError("busy"), 503, "server_error", id="passing"),
        pytest.param(ImageError("broken"), 400, "invalid_request_error", id="image"),
        pytest.param(ModelError("images only"), 400, "invalid_request_error", id="final"),
        pytest.param(RejectedError("too large"), 400, "invalid_request_error", id="rejected"),
        pytest.param(CredentialsError("bad key"), 502, "upstream_error", id="credentials"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_errors_of_the_model(error: Exception, status: int, kind: str, stream: bool) -> None:
    with served(Scripted(error)) as url:
        response = post(url, body(stream=stream))
    assert response.status == status
    assert response.json == {"error": {"message": str(error), "type": kind, "code": None}}


def test_an_error_in_the_code_of_a_model() -> None:
    with served(Scripted(KeyError("boxes"))) as url:
        response = post(url, body())
    assert (response.status, response.type) == (500, "application/json")
    assert response.json["error"] == {
        "message": "KeyError: 'boxes'", "type": "server_error", "code": None,
    }  # fmt: skip


def test_bytes_that_are_no_image_are_the_callers_fault() -> None:
    part = image_part("data:image/png;base64,AAAA")
    adapter = Scripted()
    with served(adapter) as url:
        response = post(url, body(part))
    assert response.status == 400
    assert "not an image" in response.json["error"]["message"]


def test_an_error_leaves_no_files_behind(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    broken = [*image_part(data_url(picture)), {"type": "video"}]
    with served(Scripted(TransientError("busy"))) as url:
        assert post(url, body(image_part(data_url(picture)))).status == 503
        assert post(url, body(broken)).status == 400
    assert list(scratch.iterdir()) == []


def test_a_body_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_MOST_BYTES", 1000)
    adapter = Scripted()
    with served(adapter) as url:
        large = post(url, body("x" * 2000))
        assert large.status == 413
        assert large.json["error"]["type"] == "invalid_request_error"
        assert post(url, body("x" * 500)).status == 200


def test_our_own_client_gets_the_same_reply(picture: Path) -> None:
    sent = Reply("text — 文字 \u2028 \x00", "length", "any-name", Usage(5, 2))
    adapter = Scripted(sent)
    request = Request((Message("user", (Image(str(picture)), Text("?"))),), 0.25, 99)

    async def main(url: str) -> Reply:
        client = OpenAIAdapter(ModelOptions(model="any-name", api_base=(url,)))
        await client.start()
        try:
            return await client.generate(request)
        finally:
            await client.close()

    with served(adapter) as url:
        got = asyncio.run(main(url))
    assert (got.text, got.finish_reason, got.model, got.usage) == (
        sent.text, sent.finish_reason, sent.model, sent.usage,
    )  # fmt: skip
    (asked,) = adapter.requests
    assert (asked.temperature, asked.max_tokens, asked.text) == (0.25, 99, "?")
    assert adapter.sizes == [(40, 30)]


def test_serve_starts_and_closes_the_model() -> None:
    adapter = Scripted()

    async def main() -> None:
        ready = asyncio.Event()
        task = asyncio.create_task(serve(adapter, 0, ready))
        await asyncio.wait_for(ready.wait(), 20)
        assert (adapter.started, adapter.closed) == (1, 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert (adapter.started, adapter.closed) == (1, 1)


def test_a_port_that_is_taken_closes_the_model() -> None:
    adapter = Scripted()
    with served(Scripted()) as url:
        port = int(url.rpartition(":")[2].removesuffix("/v1"))
        with pytest.raises(OSError, match=str(port)):
            asyncio.run(serve(adapter, port))
    assert (adapter.started, adapter.closed) == (1, 1)


def test_only_loopback_can_reach_it() -> None:
    addresses: list[str] = []

    class Site(web.TCPSite):
        def __init__(self, runner: web.AppRunner, host: str, port: int) -> None:
            addresses.append(host)
            super().__init__(runner, host, port)

    async def main() -> None:
        ready = asyncio.Event()
        task = asyncio.create_task(serve(Scripted(), 0, ready))
        await asyncio.wait_for(ready.wait(), 20)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(web, "TCPSite", Site)
        asyncio.run(main())
    assert addresses == ["127.0.0.1"]


def test_a_run_over_the_endpoint_equals_a_run_without_it(tmp_path: Path) -> None:
    # End to end with the real embedded model: the image travels as a data URL and back.
    def per_sample(run: screenmark.Run) -> bytes:
        return orjson.dumps(run.results["per_sample"])

    def reply(run: screenmark.Run) -> Reply:
        (record,) = run.records
        assert record.reply is not None
        return record.reply

    direct = screenmark.run("gui-hallubench", model="ocr", max_samples=1, concurrency=1)
    with served(build_adapter(ModelOptions(model="ocr", concurrency=1))) as url:
        over = screenmark.run(
            "gui-hallubench", model="qwen-vl-max", api_base=[url], max_samples=1, profile="pixel"
        )
    assert over.results["outcomes"] == direct.results["outcomes"] == {"ok": 1}
    assert direct.results["overall_f1"] > 0
    assert reply(over).text == reply(direct).text
    assert per_sample(over) == per_sample(direct)
    assert over.path != direct.path
