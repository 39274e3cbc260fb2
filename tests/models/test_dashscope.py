"""The DashScope adapter, through the real SDK, against a local server of its protocol."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import (
    CredentialsError,
    MissingExtra,
    ModelError,
    RejectedError,
    TransientError,
    UnreachableError,
    UsageError,
)
from screenmark.models import ModelOptions, build_adapter
from screenmark.models.dashscope import DashScopeAdapter
from screenmark.types import Image, ImageLimits, Message, Part, Reply, Request, Text, Usage

KEY = "sk-not-for-anyone"
PATH = "/api/v1/services/aigc/multimodal-generation/generation"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DASHSCOPE_API_KEY", "DASHSCOPE_HTTP_BASE_URL", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "page.png"
    PillowImage.new("RGB", (40, 30), "navy").save(path)
    return path


class Service:
    """What came in, and what goes out in turn; the last answer is repeated."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.other_paths: list[str] = []

    async def handle(self, http: web.Request) -> web.StreamResponse:
        if http.path != PATH:
            self.other_paths.append(http.path)
            return web.json_response({"code": "NotFound", "message": "?"}, status=404)
        self.bodies.append(await http.json())
        self.headers.append({name.lower(): value for name, value in http.headers.items()})
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(http)

    async def serve(self) -> tuple[web.AppRunner, str]:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/api/v1"


def says(content: Any, finish: str = "stop", **rest: Any) -> Answer:
    choice = {"finish_reason": finish, "message": {"role": "assistant", "content": content}}
    body = {"output": {"choices": [choice]}, "usage": {}, "request_id": "r-1"} | rest
    return sends(200, body)


def sends(status: int, body: Any, **headers: str) -> Answer:
    async def answer(http: web.Request) -> web.StreamResponse:
        if isinstance(body, str):
            return web.Response(status=status, text=body, headers=headers)
        return web.json_response(body, status=status, headers=headers)

    return answer


async def hangs(http: web.Request) -> web.StreamResponse:
    await asyncio.sleep(30)
    raise AssertionError


async def resets(http: web.Request) -> web.StreamResponse:
    assert http.transport is not None
    http.transport.abort()
    return web.Response()


def ask(service: Service, *parts: Part, limits: ImageLimits | None = None, **options: Any) -> Reply:
    """Ask once about ``parts``."""

    async def once() -> Reply:
        runner, base = await service.serve()
        given: dict[str, Any] = {"api_key": KEY, "api_base": (base,), "timeout": 5.0}
        adapter = DashScopeAdapter(ModelOptions(model="qwen-vl-max", **(given | options)))
        await adapter.start()
        try:
            request = Request((Message("user", parts),), 0.25, 99, image_limits=limits)
            return await adapter.generate(request)
        finally:
            await adapter.close()
            await runner.cleanup()

    return asyncio.run(once())


def test_images_go_out_within_the_limits(picture: Path) -> None:
    service = Service(says([{"text": "[]"}]))
    picture2 = picture.with_name("large.png")
    PillowImage.new("RGB", (400, 200), "navy").save(picture2)
    parts = (Image(str(picture2)), Text("?"), Image(str(picture)))
    reply = ask(service, *parts, limits=ImageLimits(max_pixels=20_000))
    assert [(i.width, i.height, i.original_width) for i in reply.images] == [
        (200, 100, 400),
        (40, 30, None),
    ]
    content = service.bodies[0]["input"]["messages"][0]["content"]
    for part, sent in zip(content[::2], reply.images, strict=True):
        data = base64.b64decode(part["image"].partition(",")[2])
        with PillowImage.open(io.BytesIO(data)) as shown:
            assert shown.size == (sent.width, sent.height)
        assert len(data) == sent.bytes


def test_the_documented_limit_is_its_default() -> None:
    adapter = DashScopeAdapter(ModelOptions(model="m", api_key=KEY))
    assert adapter.image_limits == ImageLimits(max_bytes=7_400_000)


def test_413_says_what_helps(picture: Path) -> None:
    with pytest.raises(RejectedError, match="try --max-image-bytes"):
        ask(Service(sends(413, "too large")), Image(str(picture)))


def test_it_sends_what_the_protocol_asks_for(picture: Path) -> None:
    service = Service(says([{"text": "[]"}]))
    reply = ask(service, Image(str(picture)), Text("List the elements: 元素"))
    (body,), (headers,) = service.bodies, service.headers
    assert body["model"] == "qwen-vl-max"
    assert body["parameters"] == {"temperature": 0.25, "max_tokens": 99}
    (message,) = body["input"]["messages"]
    assert message["role"] == "user"
    image, text = message["content"]
    assert text == {"text": "List the elements: 元素"}
    prefix, _, data = image["image"].partition(",")
    assert prefix == "data:image/png;base64"
    assert base64.b64decode(data) == picture.read_bytes()
    assert headers["authorization"] == f"Bearer {KEY}"
    (sent,) = reply.images
    assert sent.sha256 == hashlib.sha256(picture.read_bytes()).hexdigest()
    assert (sent.width, sent.height, sent.media_type) == (40, 30, "image/png")
    assert sent.bytes == picture.stat().st_size


@pytest.mark.parametrize(
    ("answer", "text", "finish", "usage"),
    [
        pytest.param(
            says([{"text": "[1"}, {"text": "]"}], usage={"input_tokens": 7, "output_tokens": 2}),
            "[1]",
            "stop",
            Usage(7, 2),
            id="parts are joined",
        ),
        pytest.param(says("plain"), "plain", "stop", None, id="a string"),
        pytest.param(says([{"text": "[{"}], "length"), "[{", "length", None, id="cut off"),
        pytest.param(says([{"image": "x"}, 3]), "", "stop", None, id="no text part"),
        pytest.param(says([]), "", "stop", None, id="no part"),
        pytest.param(says(None), "", "stop", None, id="null"),
        pytest.param(
            sends(400, {"code": "DataInspectionFailed", "message": "Input data may be bad"}),
            "",
            "content_filter",
            None,
            id="inspection",
        ),
        pytest.param(
            sends(400, {"code": "data_inspection_failed", "message": "Output data may be bad"}),
            "",
            "content_filter",
            None,
            id="inspection, the other spelling",
        ),
    ],
)
def test_replies(
    picture: Path, answer: Answer, text: str, finish: str, usage: Usage | None
) -> None:
    reply = ask(Service(answer), Image(str(picture)), Text("?"))
    assert (reply.text, reply.finish_reason, reply.usage) == (text, finish, usage)
    assert len(reply.images) == 1


@pytest.mark.parametrize(
    ("answer", "kind", "status"),
    [
        pytest.param(
            sends(429, {"code": "Throttling.RateQuota", "message": "slow"}),
            TransientError,
            429,
            id="429",
        ),
        pytest.param(
            sends(500, {"code": "InternalError", "message": "oops"}), TransientError, 500, id="500"
        ),
        pytest.param(sends(502, "<html>bad gateway"), TransientError, 502, id="502 in HTML"),
        pytest.param(sends(503, {}), TransientError, 503, id="503 with an empty object"),
        pytest.param(
            sends(408, {"code": "RequestTimeOut", "message": "late"}), TransientError, 408, id="408"
        ),
        pytest.param(
            sends(400, {"code": "InvalidParameter", "message": "max_tokens"}),
            RejectedError,
            400,
            id="400",
        ),
        pytest.param(
            sends(404, {"code": "ModelNotFound", "message": "no"}), RejectedError, 404, id="404"
        ),
        pytest.param(sends(413, "too large"), RejectedError, 413, id="413"),
        pytest.param(
            sends(401, {"code": "InvalidApiKey", "message": f"Invalid: {KEY}"}),
            CredentialsError,
            401,
            id="401",
        ),
        pytest.param(
            sends(403, {"code": "Model.AccessDenied", "message": "no"}),
            CredentialsError,
            403,
            id="403",
        ),
        pytest.param(
            sends(400, {"code": "InvalidApiKey", "message": "no"}),
            CredentialsError,
            400,
            id="a bad key under another status",
        ),
        pytest.param(
            sends(400, {"code": "Arrearage", "message": "overdue"}),
            CredentialsError,
            400,
            id="unpaid",
        ),
        pytest.param(sends(200, "<html>hello"), TransientError, None, id="200 in HTML"),
        pytest.param(sends(200, {"output": None}), TransientError, None, id="no output"),
        pytest.param(sends(200, {"output": {}}), TransientError, None, id="no choices"),
        pytest.param(
            sends(200, {"output": {"choices": []}}), TransientError, None, id="empty choices"
        ),
        pytest.param(
            sends(200, {"output": {"choices": [{"message": None}]}}),
            TransientError,
            None,
            id="no message",
        ),
        pytest.param(sends(200, [1]), TransientError, None, id="a list"),
        pytest.param(resets, TransientError, None, id="reset"),
    ],
)
def test_errors(answer: Answer, kind: type[ModelError], status: int | None) -> None:
    with pytest.raises(ModelError) as caught:
        ask(Service(answer), Text("?"))
    assert type(caught.value) is kind
    assert caught.value.status == status
    assert KEY not in str(caught.value)


def test_the_service_says_how_long_to_wait() -> None:
    answer = sends(429, {"code": "Throttling", "message": "slow"}, **{"Retry-After": "7"})
    with pytest.raises(TransientError, match="Throttling: slow") as caught:
        ask(Service(answer), Text("?"))
    assert caught.value.retry_after == 7


def test_a_slow_reply_is_given_up() -> None:
    with pytest.raises(TransientError, match=r"no reply within 0\.2 s \(0 images\)"):
        ask(Service(hangs), Text("?"), timeout=0.2)


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}/api/v1"
        with pytest.raises(UnreachableError, match=r"cannot connect to 127\.0\.0\.1"):
            ask(Service(says("")), Text("?"), api_base=(base,))


@pytest.mark.parametrize("base", ["localhost", "ftp://127.0.0.1/x", "http://host/x?key=1"])
def test_not_an_address(base: str) -> None:
    with pytest.raises(UsageError, match="--api-base"):
        DashScopeAdapter(ModelOptions(model="m", api_key=KEY, api_base=(base,)))


def test_a_key_that_no_header_can_hold() -> None:
    with pytest.raises(UsageError, match=r"^--api-key: .*DASHSCOPE_API_KEY"):
        DashScopeAdapter(ModelOptions(model="m", api_key="sk-1\nX: 2"))


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 7, "output_tokens": True}, Usage(7, 0)),
        ({"input_tokens": 2**64 - 1, "output_tokens": -1}, Usage(2**40, 0)),
        ({"input_tokens": "7"}, None),
    ],
)
def test_counts_of_tokens_that_are_none(usage: Any, expected: Usage | None) -> None:
    assert ask(Service(says("ok", usage=usage)), Text("?")).usage == expected


@pytest.mark.parametrize("form", [KEY, "".join(f"\\u{ord(c):04x}" for c in KEY)])
def test_the_key_is_in_no_reply_and_no_message(form: str) -> None:
    assert ask(Service(says([{"text": f"a {form} b"}], form)), Text("?")).text == "a *** b"
    with pytest.raises(RejectedError) as caught:
        ask(Service(sends(400, {"code": "Bad", "message": form})), Text("?"))
    assert "***" in str(caught.value)
    assert form not in str(caught.value)


def test_a_reply_without_end() -> None:
    with pytest.raises(RejectedError, match="larger than 32 MB"):
        ask(Service(sends(200, " " * (33 << 20))), Text("?"))


def test_a_long_error_keeps_its_status() -> None:
    with pytest.raises(RejectedError, match="status 400") as caught:
        ask(Service(sends(400, "好" * (1 << 20))), Text("?"))
    assert caught.value.status == 400


def test_passwords_in_netrc_are_sent_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password p\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    service = Service(says("ok"))
    ask(service, Text("?"))
    assert service.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_text_that_names_a_file_stays_a_text(tmp_path: Path, form: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("of this machine", encoding="utf-8")
    service = Service(says("ok"))
    text = form.format(secret)
    assert ask(service, Text(text)).text == "ok"
    assert service.bodies[0]["input"]["messages"][0]["content"] == [{"text": text}]
    assert service.other_paths == []


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", "sk-from-the-environment")
    service = Service(says("ok"))
    ask(service, Text("?"), api_key=None)
    assert service.headers[0]["authorization"] == "Bearer sk-from-the-environment"


def test_no_key_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    import dashscope

    monkeypatch.setattr(dashscope, "api_key", None)
    monkeypatch.setattr(dashscope, "api_key_file_path", "/nonexistent/key")
    with pytest.raises(CredentialsError, match="DASHSCOPE_API_KEY"):
        DashScopeAdapter(ModelOptions(model="qwen-vl-max"))


def test_the_module_globals_of_the_sdk_are_left_alone() -> None:
    import dashscope

    before = (dashscope.api_key, dashscope.base_http_api_url)
    ask(Service(says("ok")), Text("?"))
    assert (dashscope.api_key, dashscope.base_http_api_url) == before


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("screenmark.models.dashscope.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"screenmark\[dashscope\]"):
        build_adapter(ModelOptions(model="qwen-vl-max", adapter="dashscope", api_key=KEY))


def _with_service(service: Service, use: Callable[[str], Any]) -> Any:
    """Call ``use`` with the address of a server that runs in this thread's loop."""

    async def both() -> Any:
        runner, base = await service.serve()
        try:
            return await asyncio.to_thread(use, base)
        finally:
            await runner.cleanup()

    return asyncio.run(both())


@pytest.fixture
def page(tmp_path: Path, picture: Path) -> Path:
    element = {"type": "text", "index": 0, "description": "Hi", "coordinates": [1, 2, 30, 20]}
    file = tmp_path / "pages.json"
    item = {"image_path": picture.name, "elements": [element]}
    file.write_text(json.dumps([item]), encoding="utf-8")
    return file


def test_a_whole_run(tmp_path: Path, page: Path) -> None:
    elements = json.loads(page.read_text(encoding="utf-8"))[0]["elements"]
    service = Service(says([{"text": json.dumps(elements)}]))

    def use(base: str) -> Any:
        return screenmark.run(
            "gui-hallubench",
            model="qwen-vl-max",
            adapter="dashscope",
            api_base=[base],
            api_key=KEY,
            annotation=page,
            runs_dir=tmp_path / "runs",
        )

    done = _with_service(service, use)
    assert done.results["overall_f1"] == 1.0
    for file in done.path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
