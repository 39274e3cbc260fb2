"""The Anthropic adapter, through the real SDK, against a local server of its protocol."""

from __future__ import annotations

import asyncio
import base64
import gzip
import socket
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import (
    CredentialsError,
    MissingExtra,
    ModelError,
    RejectedError,
    ReplyTimeoutError,
    TransientError,
    UnreachableError,
    UsageError,
)
from screenmark.models import ModelOptions, anthropic_adapter, bounded_response, build_adapter
from screenmark.models.anthropic_adapter import AnthropicAdapter
from screenmark.types import Image, ImageLimits, Message, Part, Reply, Request, Text, Usage
from tests.support.vendors import Answer, Vendor, hangs, resets, sends

KEY = "sk-ant-not-for-anyone"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL", "CUSTOM_HEADERS", "PROFILE"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "page.png"
    PillowImage.new("RGB", (40, 30), "navy").save(path)
    return path


def message(*content: Any, stop: Any = "end_turn", **rest: Any) -> dict[str, Any]:
    """A message as the API sends it."""
    usage = {"input_tokens": 7, "output_tokens": 2}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-1"}
    return body | {"content": [*content], "stop_reason": stop, "usage": usage} | rest


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def error(status: int, kind: str, words: str = "no", **headers: str) -> Answer:
    """An error as the API's reference documents it."""
    said = {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}
    return sends(status, said, **headers)


SAYS = sends(200, message(text("[]")))


def ask(vendor: Vendor, *parts: Part, times: int = 1, path: str = "", **options: Any) -> Reply:
    """Ask about ``parts`` so many times; the last reply."""
    messages = (Message("user", parts or (Text("why?"),)),)
    return ask_all(vendor, Request(messages, 0.25, 99), times=times, path=path, **options)


def ask_all(
    vendor: Vendor, request: Request, *, times: int = 1, path: str = "", **options: Any
) -> Reply:
    async def main() -> Reply:
        async with vendor.serve() as base:
            given: dict[str, Any] = {"api_key": KEY, "api_base": (base + path,), "timeout": 5.0}
            adapter = AnthropicAdapter(ModelOptions(model="claude-x", **(given | options)))
            await adapter.start()
            try:
                for _ in range(times):
                    reply = await adapter.generate(request)
                return reply
            finally:
                await adapter.close()

    return asyncio.run(main())


class TestWhatIsSent:
    @pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
    def test_address(self, path: str) -> None:
        vendor = Vendor(SAYS)
        ask(vendor, path=path)
        assert vendor.paths == ["/v1/messages"]

    def test_a_request(self, picture: Path) -> None:
        vendor = Vendor(SAYS)
        messages = (
            Message("system", (Text("You parse screens."), Text("Be brief."))),
            Message("user", (Text("List the elements: 元素"), Image(str(picture)), Text("now"))),
        )
        config = {"top_k": 1, "metadata": {"user_id": "u"}}
        reply = ask_all(vendor, Request(messages, 0.25, 99, generate_cfg=config))
        (body,) = vendor.bodies
        (turn,) = body.pop("messages")
        assert body == {
            "model": "claude-x",
            "max_tokens": 99,
            "temperature": 0.25,
            "system": "You parse screens.\n\nBe brief.",
            "top_k": 1,
            "metadata": {"user_id": "u"},
        }
        assert turn["role"] == "user"
        image, first, second = turn["content"]
        assert image["type"] == "image"
        assert image["source"].pop("data") == base64.b64encode(picture.read_bytes()).decode()
        assert image["source"] == {"type": "base64", "media_type": "image/png"}
        assert (first, second) == (text("List the elements: 元素"), text("now"))
        (sent,) = reply.images
        assert (sent.width, sent.height, sent.bytes) == (40, 30, picture.stat().st_size)

    def test_turns_keep_their_order_and_empty_texts_stay_away(self) -> None:
        vendor = Vendor(SAYS)
        turns = [("user", "a"), ("assistant", "b"), ("system", " "), ("user", "")]
        messages = tuple(Message(role, (Text(words),)) for role, words in turns)  # type: ignore[arg-type]
        ask_all(vendor, Request(messages))
        (body,) = vendor.bodies
        assert "system" not in body
        assert [(turn["role"], turn["content"]) for turn in body["messages"]] == [
            ("user", [text("a")]),
            ("assistant", [text("b")]),
        ]

    def test_nothing_is_marked_for_the_cache(self, picture: Path) -> None:
        vendor = Vendor(SAYS)
        ask(vendor, Image(str(picture)), Text("?"))
        assert "cache_control" not in str(vendor.bodies)

    def test_images_go_out_within_the_limits(self, tmp_path: Path) -> None:
        path = tmp_path / "large.png"
        PillowImage.new("RGB", (400, 200), "navy").save(path)
        parts = (Message("user", (Image(str(path)),)),)
        limits = ImageLimits(max_pixels=20_000)
        reply = ask_all(Vendor(SAYS), Request(parts, image_limits=limits))
        assert [(i.width, i.height, i.original_width) for i in reply.images] == [(200, 100, 400)]


class TestTheKey:
    @pytest.mark.parametrize(
        ("option", "variable", "header"),
        [
            pytest.param("sk-a", "sk-b", "Bearer sk-a", id="the option wins"),
            pytest.param(None, "sk-b\n", "Bearer sk-b", id="environment"),
            pytest.param(None, None, None, id="none, at an address of the user's own"),
        ],
    )
    def test_where_it_comes_from(
        self,
        monkeypatch: pytest.MonkeyPatch,
        option: str | None,
        variable: str | None,
        header: str | None,
    ) -> None:
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-secret")
        if variable is not None:
            monkeypatch.setenv("ANTHROPIC_API_KEY", variable)
        vendor = Vendor(SAYS)
        ask(vendor, api_key=option)
        (headers,) = vendor.headers
        assert headers.get("authorization") == header
        assert "another-secret" not in str(headers)

    def test_the_vendor_is_not_asked_without_one(self) -> None:
        with pytest.raises(CredentialsError, match="set ANTHROPIC_API_KEY or pass --api-key"):
            AnthropicAdapter(ModelOptions(model="m"))

    def test_a_broken_one(self) -> None:
        with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
            AnthropicAdapter(ModelOptions(model="m", api_key="a\nb"))

    @pytest.mark.parametrize("status", [400, 401, 429, 500])
    def test_it_is_in_no_message(self, status: int) -> None:
        with pytest.raises(ModelError) as caught:
            ask(Vendor(error(status, "odd_error", f"you sent {KEY}")))
        assert "you sent ***" in str(caught.value)
        assert KEY not in str(caught.value)

    def test_it_is_in_no_reply(self) -> None:
        assert ask(Vendor(sends(200, message(text(f"<{KEY}>"))))).text == "<***>"


def test_address_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/v1")
    adapter = AnthropicAdapter(ModelOptions(model="m"))
    assert vars(adapter)["_base"] == "http://127.0.0.1:9"


def test_it_is_chosen_by_name_and_asks_the_vendor_unless_told_otherwise() -> None:
    adapter = build_adapter(ModelOptions(model="m", adapter="anthropic", api_key=KEY))
    assert vars(adapter)["_base"] == "https://api.anthropic.com"


def test_it_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anthropic_adapter, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"screenmark\[anthropic\]"):
        build_adapter(ModelOptions(model="m", adapter="anthropic", api_key=KEY))


@pytest.mark.parametrize(
    ("body", "words", "finish"),
    [
        pytest.param(message(text("[1"), text("]")), "[1]", "stop", id="texts are joined"),
        pytest.param(
            message({"type": "thinking", "thinking": "hm", "signature": "s"}, text("x")),
            "x", "stop", id="thinking is left out",
        ),
        pytest.param(message(text("[{"), stop="max_tokens"), "[{", "length", id="cut off"),
        pytest.param(
            message(text("[{"), stop="model_context_window_exceeded"), "[{", "length", id="full"
        ),
        pytest.param(message(stop="refusal"), "", "refusal", id="refusal"),
        pytest.param(message(text("a"), stop="stop_sequence"), "a", "stop", id="stop sequence"),
        pytest.param(message(text("a"), stop="pause_turn"), "a", "pause_turn", id="another word"),
        pytest.param(message(text("a"), stop=None), "a", None, id="no word"),
        pytest.param(message(text("a"), stop=[1]), "a", None, id="no word but a list"),
        pytest.param(message(), "", "stop", id="nothing"),
        pytest.param(message(3, {"text": "a"}, {"type": "text"}), "", "stop", id="odd blocks"),
    ],
)  # fmt: skip
def test_replies(body: Any, words: str, finish: str | None) -> None:
    reply = ask(Vendor(sends(200, body)))
    assert (reply.text, reply.finish_reason) == (words, finish)
    assert reply.model == "claude-x-1"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 7, "output_tokens": 2}, Usage(7, 2)),
        (
            {"input_tokens": 7, "output_tokens": 2, "cache_read_input_tokens": 3,
             "cache_creation_input_tokens": 4}, Usage(14, 2),
        ),
        ({"input_tokens": None, "output_tokens": -3}, Usage(0, 0)),
        (None, None),
    ],
)  # fmt: skip
def test_usage(usage: Any, expected: Usage | None) -> None:
    assert ask(Vendor(sends(200, message(usage=usage)))).usage == expected


DEEP = b"[" * 3000
BOMB = gzip.compress(b" " * (bounded_response.MOST_BYTES + 1))


@pytest.mark.parametrize(
    ("answer", "kind", "status", "words"),
    [
        pytest.param(
            error(400, "invalid_request_error", "messages: at least one message is required"),
            RejectedError, 400, "at least one message", id="400",
        ),
        pytest.param(
            error(400, "billing_error", "credit balance is too low"), CredentialsError, 400,
            "the account has no credit", id="no credit",
        ),
        pytest.param(
            error(401, "authentication_error", "invalid x-api-key"), CredentialsError, 401,
            "the key was not accepted; set ANTHROPIC_API_KEY", id="401",
        ),
        pytest.param(
            error(402, "billing_error"), CredentialsError, 402, "has no credit", id="402"
        ),
        pytest.param(
            error(403, "permission_error"), CredentialsError, 403, "not accepted", id="403"
        ),
        pytest.param(
            error(404, "not_found_error", "model: claude-x"), RejectedError, 404,
            "model: claude-x", id="404",
        ),
        pytest.param(
            error(413, "request_too_large", "Request exceeds the maximum size"), RejectedError,
            413, "try --max-image-bytes", id="413",
        ),
        pytest.param(
            error(400, "invalid_request_error", "…base64.data: image exceeds 5 MB maximum"),
            RejectedError, 400, "try --max-image-bytes", id="400, an image too large",
        ),
        pytest.param(error(429, "rate_limit_error"), TransientError, 429, "rate", id="429"),
        pytest.param(error(500, "api_error"), TransientError, 500, "api_error", id="500"),
        pytest.param(error(504, "timeout_error"), TransientError, 504, "timeout", id="504"),
        pytest.param(
            error(529, "overloaded_error", "Overloaded"), TransientError, 529, "Overloaded",
            id="529",
        ),
        pytest.param(sends(502, "<html>"), TransientError, 502, "<html>", id="502 in HTML"),
        pytest.param(sends(503, ""), TransientError, 503, "(empty body)", id="503, empty"),
        pytest.param(sends(400, [1]), RejectedError, 400, "[1]", id="400 with a list"),
        pytest.param(
            sends(400, {"error": {"type": [1]}}), RejectedError, 400, "type", id="odd type"
        ),
        pytest.param(
            sends(301, "", Location="http://127.0.0.1:1/"), RejectedError, 301, "301", id="moved"
        ),
        pytest.param(sends(200, "<html>"), TransientError, None, "not JSON", id="200 in HTML"),
        pytest.param(sends(200, DEEP), TransientError, None, "not JSON", id="deep"),
        pytest.param(sends(200, [1]), TransientError, None, "no message", id="a list"),
        pytest.param(sends(200, {}), TransientError, None, "no message", id="no content"),
        pytest.param(
            sends(200, {"content": "hi"}), TransientError, None, "no message", id="a string"
        ),
        pytest.param(
            sends(200, BOMB, **{"Content-Encoding": "gzip"}), RejectedError, None,
            "larger than 32 MB", id="much out of little",
        ),
        pytest.param(
            sends(200, b"not gzip at all", **{"Content-Encoding": "gzip"}), TransientError, None,
            "broke", id="not what it says",
        ),
        pytest.param(resets, TransientError, None, "broke", id="reset"),
    ],
)  # fmt: skip
def test_errors(answer: Answer, kind: type[ModelError], status: int | None, words: str) -> None:
    vendor = Vendor(answer)
    with pytest.raises(ModelError) as caught:
        ask(vendor)
    assert type(caught.value) is kind
    assert caught.value.status == status
    assert words in str(caught.value)
    assert len(vendor.bodies) == 1, "the SDK tried again"


def test_a_long_error_is_shown_in_part() -> None:
    with pytest.raises(RejectedError, match="status 400") as caught:
        ask(Vendor(sends(400, b"x" * (bounded_response.MOST_OF_AN_ERROR + 9))))
    assert len(str(caught.value)) < 800


def test_the_wait_that_it_asks_for_is_handed_on() -> None:
    with pytest.raises(TransientError) as caught:
        ask(Vendor(error(429, "rate_limit_error", **{"Retry-After": "17"})))
    assert caught.value.retry_after == 17


def test_no_reply_in_time() -> None:
    with pytest.raises(ReplyTimeoutError, match=r"no reply within 0\.2 s \(0 images\)"):
        ask(Vendor(hangs), timeout=0.2)


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{taken.getsockname()[1]}"
        adapter = AnthropicAdapter(ModelOptions(model="m", api_base=(base,), api_key=KEY))
        with pytest.raises(UnreachableError, match=f"cannot connect to {base}"):
            asyncio.run(once(adapter))


async def once(adapter: AnthropicAdapter) -> Reply:
    await adapter.start()
    try:
        return await adapter.generate(Request((Message("user", (Text("?"),)),)))
    finally:
        await adapter.close()


NO_TEMPERATURE = error(400, "invalid_request_error", "`temperature` is deprecated for this model.")


class TestSamplingOptionsThatAModelRefuses:
    def test_are_left_out_from_then_on(self) -> None:
        vendor = Vendor(NO_TEMPERATURE, SAYS)
        assert ask(vendor, times=3).text == "[]"
        assert ["temperature" in body for body in vendor.bodies] == [True, False, False, False]

    def test_are_left_out_one_after_the_other(self) -> None:
        top = error(400, "invalid_request_error", "top_k: not supported by this model")
        vendor = Vendor(NO_TEMPERATURE, top, SAYS)
        request = Request((Message("user", (Text("?"),)),), generate_cfg={"top_k": 3, "top_p": 1})
        ask_all(vendor, request)
        assert {"temperature", "top_k", "top_p"} & set(vendor.bodies[-1]) == {"top_p"}

    @pytest.mark.parametrize(
        ("answer", "requests"),
        [
            pytest.param(NO_TEMPERATURE, 2, id="still not content"),
            pytest.param(
                error(400, "invalid_request_error", "temperature: must be at most 1"), 1,
                id="out of range",
            ),
            pytest.param(
                error(404, "not_found_error", "temperature is deprecated"), 1, id="another status"
            ),
        ],
    )  # fmt: skip
    def test_are_not_tried_for_ever(self, answer: Answer, requests: int) -> None:
        vendor = Vendor(answer)
        with pytest.raises(RejectedError):
            ask(vendor)
        assert len(vendor.bodies) == requests


def test_a_run(tmp_path: Path) -> None:
    async def main() -> Any:
        async with vendor.serve() as base:
            return await asyncio.to_thread(
                screenmark.run,
                "gui-hallubench",
                model="claude-x",
                adapter="anthropic",
                api_base=[base],
                api_key=KEY,
                max_samples=2,
                runs_dir=tmp_path,
            )

    refused = sends(200, message(stop="refusal"))
    vendor = Vendor(NO_TEMPERATURE, SAYS, refused)
    run = asyncio.run(main())
    assert run.results["outcomes"]["refused"] == 1
    assert KEY not in (run.folder.path / "manifest.json").read_text(encoding="utf-8")
    assert run.manifest.adapter == "anthropic"
