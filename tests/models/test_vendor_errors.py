"""Error bodies as the vendors' references have them, through the adapters that meet them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from screenmark.errors import CredentialsError, ModelError, RejectedError, TransientError
from screenmark.models import ModelOptions, build_adapter
from screenmark.types import Message, Reply, Request, Text
from tests.support.vendors import Vendor, sends


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def ask(preset: str, status: int, body: Any) -> Reply:
    async def main() -> Reply:
        async with Vendor(sends(status, body)).serve() as base:
            options = ModelOptions(
                model="m", preset=preset, api_base=(base + "/v1",), api_key="sk-not-for-anyone"
            )
            adapter = build_adapter(options)
            await adapter.start()
            try:
                return await adapter.generate(Request((Message("user", (Text("?"),)),)))
            finally:
                await adapter.close()

    return asyncio.run(main())


def openai(message: str, code: str | None, type: str = "invalid_request_error") -> Any:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def anthropic(type: str, message: str) -> Any:
    return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}


@pytest.mark.parametrize(
    ("preset", "status", "body", "kind", "words"),
    [
        pytest.param(
            "openai", 401, openai("Incorrect API key provided: sk-***", "invalid_api_key"),
            CredentialsError, "key was not accepted; set OPENAI_API_KEY", id="openai, key",
        ),
        pytest.param(
            "openai", 429, openai("You exceeded your current quota", "insufficient_quota"),
            CredentialsError, "the account has no credit", id="openai, quota",
        ),
        pytest.param(
            "openai", 429, openai("Rate limit reached for gpt-x", "rate_limit_exceeded", "tokens"),
            TransientError, "Rate limit reached", id="openai, rate",
        ),
        pytest.param(
            "openai", 404, openai("The model `m` does not exist", "model_not_found"),
            RejectedError, "does not exist", id="openai, model",
        ),
        pytest.param(
            "openrouter", 402, {"error": {"code": 402, "message": "Insufficient credits"}},
            CredentialsError, "has no credit", id="openrouter, credit",
        ),
        pytest.param(
            "openrouter", 502, {"error": {"code": 502, "message": "Provider returned error"}},
            TransientError, "Provider returned error", id="openrouter, provider",
        ),
        pytest.param(
            "dashscope", 400, openai("Access denied, please make sure your account is in good "
                                     "standing.", "Arrearage", "Arrearage"),
            CredentialsError, "has no credit", id="dashscope, credit",
        ),
        pytest.param(
            "dashscope", 401, openai("Incorrect API key provided.", "invalid_api_key"),
            CredentialsError, "set DASHSCOPE_API_KEY", id="dashscope, key",
        ),
        pytest.param(
            "zhipu", 429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}},
            CredentialsError, "has no credit", id="zhipu, credit",
        ),
        pytest.param(
            "zhipu", 429, {"error": {"code": "1302", "message": "您当前使用该API的并发数过高"}},
            TransientError, '"1302"', id="zhipu, rate",
        ),
        pytest.param(
            "volcengine", 403, {"error": {"code": "AccountOverdueError", "message": "overdue",
                                          "param": "", "type": "Forbidden"}},
            CredentialsError, "has no credit", id="volcengine, credit",
        ),
        pytest.param(
            "volcengine", 404,
            {"error": {"code": "InvalidEndpointOrModel.NotFound", "message": "no such model"}},
            RejectedError, "no such model", id="volcengine, model",
        ),
        pytest.param(
            "gemini", 400, [{"error": {"code": 400, "message": "Invalid JSON payload received.",
                                       "status": "INVALID_ARGUMENT"}}],
            RejectedError, "Invalid JSON payload", id="gemini, request",
        ),
        pytest.param(
            "gemini", 429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
                                       "message": "Resource has been exhausted"}}],
            TransientError, "RESOURCE_EXHAUSTED", id="gemini, rate",
        ),
        pytest.param(
            "ollama", 404, openai('model "m" not found, try pulling it first', None, "api_error"),
            RejectedError, "try pulling it first", id="ollama, model",
        ),
        pytest.param(
            "vllm", 400, {"object": "error", "type": "BadRequestError", "param": None, "code": 400,
                          "message": "At most 1 image(s) may be provided in one prompt."},
            RejectedError, "At most 1 image", id="vllm, images",
        ),
        pytest.param(
            "vllm", 404, {"error": {"message": "The model `m` does not exist.", "code": 404,
                                    "type": "NotFoundError"}},
            RejectedError, "does not exist", id="vllm, model",
        ),
        pytest.param(
            "sglang", 503, {"error": {"message": "Service is overloaded", "code": 503}},
            TransientError, "overloaded", id="sglang, load",
        ),
    ],
)  # fmt: skip
def test_errors(preset: str, status: int, body: Any, kind: type[ModelError], words: str) -> None:
    with pytest.raises(ModelError) as caught:
        ask(preset, status, body)
    assert type(caught.value) is kind
    assert caught.value.status == status
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("preset", "status", "body"),
    [
        pytest.param(
            "openai", 400, openai("The response was filtered", "content_filter"), id="azure"
        ),
        pytest.param(
            "openai", 400, openai("Your request was rejected", "content_policy_violation"),
            id="openai",
        ),
        pytest.param(
            "anthropic", 400,
            anthropic("invalid_request_error", "Output blocked by content filtering policy"),
            id="anthropic",
        ),
        pytest.param(
            "dashscope", 400, openai("Input data may contain inappropriate content.",
                                     "data_inspection_failed", "data_inspection_failed"),
            id="dashscope",
        ),
        pytest.param(
            "zhipu", 400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含"
                                                                "不安全或敏感内容"}},
            id="zhipu",
        ),
    ],
)  # fmt: skip
def test_a_filter_is_a_policy_not_a_fault(preset: str, status: int, body: Any) -> None:
    reply = ask(preset, status, body)
    assert (reply.text, reply.finish_reason) == ("", "content_filter")
