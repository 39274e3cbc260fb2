"""Answers held to a schema: how each protocol is asked, and what happens where it refuses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import screenmark
from screenmark.engine.requests import request_hash
from screenmark.errors import RejectedError
from screenmark.models import ModelOptions, build_adapter
from screenmark.types import Message, Reply, Request, Text
from tests.support.vendors import Answer, Vendor, sends

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["A", "B"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
PLAIN = Request((Message("user", (Text("?"),)),))
REQUEST = msgspec.structs.replace(PLAIN, schema=SCHEMA)
B = '{"answer":"B"}'


def chat(text: str) -> Answer:
    return sends(200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})


def response(text: str) -> Answer:
    said = {"type": "message", "content": [{"type": "output_text", "text": text}]}
    return sends(200, {"status": "completed", "output": [said]})


def claude(*content: Any, stop: str = "end_turn") -> Answer:
    return sends(200, {"type": "message", "content": [*content], "stop_reason": stop})


def claude_says(text: str) -> Answer:
    return claude({"type": "text", "text": text})


TOOL = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {"answer": "B"}}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def ask(vendor: Vendor, preset: str, *requests: Request, **options: Any) -> list[Reply]:
    async def main() -> list[Reply]:
        async with vendor.serve() as base:
            given: dict[str, Any] = {"api_base": (base + "/v1",), "structured": "auto"}
            made = ModelOptions(model="m", preset=preset, **(given | options))
            adapter = build_adapter(made)
            await adapter.start()
            try:
                return [await adapter.generate(request) for request in requests]
            finally:
                await adapter.close()

    return asyncio.run(main())


HELD = [
    pytest.param("vllm", chat(B), id="chat completions"),
    pytest.param("openai-responses", response(B), id="responses"),
    pytest.param("anthropic", claude(TOOL, stop="tool_use"), id="anthropic"),
]


@pytest.mark.parametrize(("preset", "answer"), HELD)
def test_a_reply_that_was_held(preset: str, answer: Answer) -> None:
    (reply,) = ask(Vendor(answer), preset, REQUEST)
    assert (reply.text, reply.finish_reason, reply.structured) == (B, "stop", True)


@pytest.mark.parametrize(("preset", "answer"), HELD)
def test_a_request_without_a_schema_is_as_ever(preset: str, answer: Answer) -> None:
    vendor = Vendor(answer)
    (reply,) = ask(vendor, preset, PLAIN)
    assert reply.structured is None
    assert not {"response_format", "text", "tools", "tool_choice"} & set(vendor.bodies[0])


class TestHowItIsAsked:
    def body(self, preset: str, answer: Answer) -> Any:
        vendor = Vendor(answer)
        ask(vendor, preset, REQUEST)
        return vendor.bodies[0]

    def test_chat_completions(self) -> None:
        body = self.body("vllm", chat(B))
        assert body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        }

    def test_responses(self) -> None:
        body = self.body("openai-responses", response(B))
        form = {"type": "json_schema", "name": "answer", "strict": True, "schema": SCHEMA}
        assert body["text"] == {"format": form}

    def test_anthropic(self) -> None:
        body = self.body("anthropic", claude(TOOL))
        (tool,) = body["tools"]
        assert (tool["name"], tool["input_schema"]) == ("answer", SCHEMA)
        assert body["tool_choice"] == {"type": "tool", "name": "answer"}


REFUSALS = [
    pytest.param(
        "vllm",
        sends(400, {"error": {"message": "'response_format' of type 'json_schema' is not "
                                         "supported with this model."}}),
        chat("B"), id="chat completions",
    ),
    pytest.param(
        "vllm",
        sends(422, {"detail": [{"loc": ["body", "response_format"], "msg": "extra"}]}),
        chat("B"), id="chat completions, 422",
    ),
    pytest.param(
        "openai-responses",
        sends(400, {"error": {"message": "Unsupported parameter: 'text.format'"}}),
        response("B"), id="responses",
    ),
    pytest.param(
        "anthropic",
        sends(400, {"type": "error", "error": {
            "type": "invalid_request_error",
            "message": "Thinking may not be enabled when tool_choice forces tool use.",
        }}),
        claude_says("B"), id="anthropic",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("preset", "refusal", "answer"), REFUSALS)
class TestAnEndpointThatRefusesIt:
    def test_is_asked_without_from_then_on(
        self, preset: str, refusal: Answer, answer: Answer
    ) -> None:
        vendor = Vendor(refusal, answer)
        replies = ask(vendor, preset, REQUEST, REQUEST)
        assert [(reply.text, reply.structured) for reply in replies] == [("B", False)] * 2
        asked = [bool({"response_format", "text", "tools"} & set(b)) for b in vendor.bodies]
        assert asked == [True, False, False]

    def test_is_an_error_with_on(self, preset: str, refusal: Answer, answer: Answer) -> None:
        vendor = Vendor(refusal, answer)
        with pytest.raises(RejectedError):
            ask(vendor, preset, REQUEST, structured="on")
        assert len(vendor.bodies) == 1


def test_a_call_that_was_cut_off() -> None:
    cut = claude({**TOOL, "input": {}}, stop="max_tokens")
    (reply,) = ask(Vendor(cut), "anthropic", REQUEST)
    assert (reply.text, reply.finish_reason) == ("{}", "length")


def test_a_refusal_instead_of_the_call() -> None:
    refused = claude({"type": "text", "text": "No."}, stop="refusal")
    (reply,) = ask(Vendor(refused), "anthropic", REQUEST)
    assert (reply.text, reply.finish_reason) == ("No.", "refusal")


def test_it_is_part_of_what_tells_requests_apart() -> None:
    assert request_hash(REQUEST) != request_hash(PLAIN)


class TestARun:
    def run(self, vendor: Vendor, folder: Path, **options: Any) -> Any:
        async def main() -> Any:
            async with vendor.serve() as base:
                return await asyncio.to_thread(
                    screenmark.run,
                    "mmbench-gui-l1",
                    model="m",
                    api_base=[base + "/v1"],
                    max_samples=3,
                    concurrency=1,
                    runs_dir=folder,
                    **options,
                )

        return asyncio.run(main())

    def test_counts_the_replies_that_were_held(self, tmp_path: Path) -> None:
        later = sends(400, {"error": {"message": "json_schema is not supported"}})
        vendor = Vendor(chat(B), later, chat("B"))
        run = self.run(vendor, tmp_path, structured="auto")
        assert run.results["structured"] == {"held": 1, "fell_back": 2}
        assert run.results["outcomes"] == {"ok": 3}
        assert run.manifest.identity["structured"] == "auto"
        enum = vendor.bodies[0]["response_format"]["json_schema"]["schema"]
        assert json.dumps(enum).count('"enum"') == 1

    def test_says_nothing_without(self, tmp_path: Path) -> None:
        vendor = Vendor(chat("B"))
        run = self.run(vendor, tmp_path)
        assert "structured" not in run.results
        assert "response_format" not in vendor.bodies[0]
