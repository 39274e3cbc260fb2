"""Chat completions as JSON: what is asked, and what a response says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from screenmark.errors import TransientError
from screenmark.models.chat_ways import Ways
from screenmark.models.wire import call_text, token_count
from screenmark.types import Image, Message, Reply, Request, SentImage, Text, Usage

IMAGE: Final = b"\0"
"""Where an image goes, between quotes; JSON escapes the null bytes of texts."""

IMAGE_URL: Final = orjson.Fragment(b'"%b"' % IMAGE)


def messages_of(request: Request, ways: Ways) -> list[dict[str, Any]]:
    """The messages, each image a mark."""
    messages = request.messages if ways.system else without_system(request.messages)
    detail = request.image_detail if ways.detail else None
    return [_message(message, detail) for message in messages]


def options_of(request: Request, ways: Ways) -> dict[str, Any]:
    """The options of generation, the user's own last."""
    options = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        **_format(request, ways),
        **(request.generate_cfg or {}),
    }
    if not ways.temperature:
        options.pop("temperature", None)
    if ways.max_completion_tokens and (most := options.pop("max_tokens", None)) is not None:
        options["max_completion_tokens"] = most
    return options


def _format(request: Request, ways: Ways) -> dict[str, Any]:
    """The request's schema, if it has one and the endpoint takes it."""
    if request.schema is None or not ways.schema:
        return {}
    named = {"name": "answer", "strict": True, "schema": request.schema}
    if ways.responses:
        return {"text": {"format": {"type": "json_schema", **named}}}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages with what the system says at the head of the user's next one."""
    told: list[Text | Image] = []
    kept = []
    for message in messages:
        if message.role == "system":
            told += message.parts
        elif message.role == "user" and told:
            kept.append(Message("user", (*told, *message.parts)))
            told = []
        else:
            kept.append(message)
    return (*kept, Message("user", tuple(told))) if told else tuple(kept)


def _message(message: Message, detail: str | None) -> dict[str, Any]:
    if all(not isinstance(part, Image) for part in message.parts):
        return {"role": message.role, "content": "\n".join(p.text for p in message.parts)}  # type: ignore[union-attr]
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Image):
            url: dict[str, Any] = {"url": IMAGE_URL}
            if detail is not None:
                url["detail"] = detail
            content.append({"type": "image_url", "image_url": url})
        else:
            content.append({"type": "text", "text": part.text})
    return {"role": message.role, "content": content}


def reply_of(data: Any, images: tuple[SentImage, ...]) -> Reply | None:
    """What a response says; None if it is not a chat completion.

    A reply without text that calls tools is their calls as JSON, a line each; beside a text they
    stand apart.

    Raises:
        TransientError: the message's content has no form that holds text.
    """
    try:
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    finish = choice.get("finish_reason")
    refusal = message.get("refusal")
    if refusal and not content:
        content, finish = refusal, "refusal"
    if content is not None and not isinstance(content, str | list):
        kind = "an object" if isinstance(content, dict) else type(content).__name__
        raise TransientError(f"choices[0].message.content is {kind}, expected a text")
    text, calls = _text(content), tuple(_calls(message))
    return Reply(
        text=text or "\n".join(calls),
        finish_reason=finish if isinstance(finish, str) else None,
        model=data.get("model") if isinstance(data.get("model"), str) else None,
        usage=_usage(data.get("usage")),
        images=images,
        calls=calls if text else (),
        reasoning=_reasoning(message),
    )


def _reasoning(message: dict[str, Any]) -> str:
    """Thinking that a server has taken out of the text; its name depends on the server."""
    said = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return next((text for text in said if isinstance(text, str)), "")


def _calls(message: dict[str, Any]) -> Iterator[str]:
    """The calls of tools in a message."""
    tools = message.get("tool_calls")
    tools = tools if isinstance(tools, list) else []
    functions = [tool.get("function") for tool in tools if isinstance(tool, dict)]
    for function in (*functions, message.get("function_call")):
        if isinstance(function, dict):
            yield call_text(function.get("name"), function.get("arguments"))


def _text(content: Any) -> str:
    """The text of a message: a string, a list of parts, or null."""
    if isinstance(content, list):
        texts = (p.get("text") for p in content if isinstance(p, dict))
        return "".join(t for t in texts if isinstance(t, str))
    return content if isinstance(content, str) else ""


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    return Usage(
        token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))
    )
