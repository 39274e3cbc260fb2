"""The Responses API: asked when a preset or the endpoint says so."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

from screenmark.errors import ModelError, RejectedError, TransientError, UsageError
from screenmark.models import ModelOptions, build_adapter
from screenmark.types import Image, Message, Reply, Request, Text, Usage
from tests.support.vendors import Answer, Vendor, sends

QUESTION = Request((Message("user", (Text("why?"),)),), 0.25, 99)
ONLY = "This model is only supported in v1/responses and not in v1/chat/completions."


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def error(status: int, message: str, **more: Any) -> Answer:
    """An error as the API's reference documents it."""
    said = {"message": message, "type": "invalid_request_error", "param": "model", "code": None}
    return sends(status, {"error": said | more})


def part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def response(*content: Any, **rest: Any) -> dict[str, Any]:
    """A response as the API sends it, a reasoning item before the message."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "content": [*content]}
    body = {"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-x-1"}
    usage = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    return body | {"error": None, "output": [reasoning, said], "usage": usage} | rest


SAYS = sends(200, response(part("[]")))


def ask(
    vendor: Vendor, request: Request = QUESTION, *, times: int = 1, **options: Any
) -> list[Reply]:
    async def main() -> list[Reply]:
        async with vendor.serve() as base:
            given: dict[str, Any] = {"api_base": (base + "/v1",), "preset": "openai-responses"}
            adapter = build_adapter(ModelOptions(model="gpt-x", **(given | options)))
            await adapter.start()
            try:
                return [await adapter.generate(request) for _ in range(times)]
            finally:
                await adapter.close()

    return asyncio.run(main())


def test_a_request(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    PillowImage.new("RGB", (40, 30), "navy").save(path)
    messages = (
        Message("system", (Text("Be brief."),)),
        Message("user", (Text("List:"), Image(str(path)))),
        Message("assistant", (Text("so far"),)),
    )
    config = {"reasoning": {"effort": "low"}}
    vendor = Vendor(SAYS)
    (reply,) = ask(vendor, Request(messages, 0.25, 99, generate_cfg=config))
    assert vendor.paths == ["/v1/responses"]
    (body,) = vendor.bodies
    system, user, assistant = body.pop("input")
    assert body == {
        "model": "gpt-x",
        "store": False,
        "temperature": 0.25,
        "max_output_tokens": 99,
        "reasoning": {"effort": "low"},
    }
    assert system == {"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]}
    text, image = user["content"]
    assert text == {"type": "input_text", "text": "List:"}
    head, _, data = image.pop("image_url").partition(",")
    assert (head, base64.b64decode(data)) == ("data:image/png;base64", path.read_bytes())
    assert image == {"type": "input_image", "detail": "high"}
    assert assistant["content"] == [{"type": "output_text", "text": "so far"}]
    (sent,) = reply.images
    assert (sent.width, sent.height) == (40, 30)


@pytest.mark.parametrize(
    ("body", "text", "finish"),
    [
        pytest.param(response(part("[1"), part("]")), "[1]", "stop", id="texts are joined"),
        pytest.param(
            response(output=[{"type": "function_call", "name": "f", "arguments": '{"x": 1}'}]),
            '{"name":"f","arguments":{"x":1}}', "stop", id="a call",
        ),
        pytest.param(
            response(
                part("[{"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
            ),
            "[{", "length", id="cut off",
        ),
        pytest.param(
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "", "content_filter", id="withheld",
        ),
        pytest.param(
            response({"type": "refusal", "refusal": "No."}), "No.", "refusal", id="refusal"
        ),
        pytest.param(response(output=[]), "", "stop", id="nothing"),
        pytest.param(response(output=[3, {"type": "message", "content": 3}]), "", "stop", id="odd"),
        pytest.param(response(3, {"type": "output_text", "text": 3}), "", "stop", id="odd parts"),
        pytest.param(response(part("a"), status=3), "a", None, id="no status"),
    ],
)  # fmt: skip
def test_replies(body: Any, text: str, finish: str | None) -> None:
    (reply,) = ask(Vendor(sends(200, body)))
    assert (reply.text, reply.finish_reason) == (text, finish)
    assert (reply.model, reply.usage) == ("gpt-x-1", Usage(7, 2))


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        pytest.param(
            sends(200, response(status="failed", error={"code": "server_error", "message": "oh"})),
            TransientError, "server_error: oh", id="failed",
        ),
        pytest.param(
            sends(200, response(error={"code": "invalid_image_format", "message": "PNG?"})),
            RejectedError, "invalid_image_format: PNG?", id="an image",
        ),
        pytest.param(
            sends(200, response(status="failed", error=None)), TransientError, "failed", id="mute"
        ),
        pytest.param(sends(200, {"output": None}), TransientError, "no output", id="no output"),
        pytest.param(sends(200, [1]), TransientError, "no output", id="a list"),
        pytest.param(error(400, "Invalid 'input'"), RejectedError, "Invalid 'input'", id="400"),
        pytest.param(
            error(429, "slow", type="tokens"), TransientError, "/v1/responses", id="429"
        ),
    ],
)  # fmt: skip
def test_errors(answer: Answer, kind: type[ModelError], words: str) -> None:
    with pytest.raises(ModelError) as caught:
        ask(Vendor(answer))
    assert type(caught.value) is kind
    assert words in str(caught.value)


class TestAModelThatAsksForIt:
    @pytest.mark.parametrize("status", [400, 404])
    def test_is_asked_there_from_then_on(self, status: int) -> None:
        vendor = Vendor(error(status, ONLY), SAYS)
        replies = ask(vendor, times=2, preset=None)
        assert [reply.text for reply in replies] == ["[]", "[]"]
        assert vendor.paths == ["/v1/chat/completions", "/v1/responses", "/v1/responses"]

    def test_what_is_learnt_there_counts_too(self) -> None:
        warm = error(400, "Unsupported parameter: 'temperature' is not supported with this model.")
        vendor = Vendor(error(404, ONLY), warm, SAYS)
        ask(vendor, preset=None)
        assert ["temperature" in body for body in vendor.bodies] == [True, True, False]

    def test_is_not_asked_for_ever(self) -> None:
        vendor = Vendor(error(404, ONLY))
        with pytest.raises(RejectedError):
            ask(vendor, preset=None)
        assert vendor.paths == ["/v1/chat/completions", "/v1/responses"]

    @pytest.mark.parametrize(
        "message",
        ["The model `gpt-x` does not exist", "see /v1/responses for more", "not v1/responses"],
    )
    def test_other_words_say_no_such_thing(self, message: str) -> None:
        vendor = Vendor(error(404, message))
        with pytest.raises(RejectedError):
            ask(vendor, preset=None)
        assert vendor.paths == ["/v1/chat/completions"]


def test_a_function_that_writes_chat_messages_cannot_be_asked_there(tmp_path: Path) -> None:
    (tmp_path / "mine_for_chat.py").write_text(
        "def pre(message, model, processor):\n    return [{'role': 'user', 'content': 'hi'}]\n",
        encoding="utf-8",
    )
    own: dict[str, Any] = {"preprocess": "mine_for_chat.pre", "code_dir": tmp_path}
    with pytest.raises(UsageError, match="--preset openai-responses"):
        ask(Vendor(SAYS), **own)
    vendor = Vendor(error(404, ONLY))
    with pytest.raises(RejectedError):
        ask(vendor, preset=None, **own)
    assert vendor.paths == ["/v1/chat/completions"]
