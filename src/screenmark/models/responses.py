"""OpenAI's Responses API as JSON, for the models that only it serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from screenmark.errors import ModelError, RejectedError, TransientError
from screenmark.models.chat_completions import IMAGE_URL, options_of
from screenmark.models.chat_ways import Ways
from screenmark.models.wire import call_text, token_count
from screenmark.types import Image, Message, Reply, Request, SentImage, Usage

_INCOMPLETE: Final = {"max_output_tokens": "length"}
_PASSING: Final = frozenset({"server_error", "rate_limit_exceeded"})
"""Codes of failed responses that are worth another try."""


def responses_body(model: str, request: Request, ways: Ways) -> dict[str, Any]:
    """A request, each image a mark. The service is asked to keep no copy."""
    options = options_of(request, ways)
    for name in ("max_tokens", "max_completion_tokens"):
        if (most := options.pop(name, None)) is not None:
            options["max_output_tokens"] = most
    return {
        "model": model,
        "input": [_turn(message, request.image_detail) for message in request.messages],
        "store": False,
        **options,
    }


def _turn(message: Message, detail: str) -> dict[str, Any]:
    kind = "output_text" if message.role == "assistant" else "input_text"
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Image):
            content.append({"type": "input_image", "image_url": IMAGE_URL, "detail": detail})
        else:
            content.append({"type": kind, "text": part.text})
    return {"role": message.role, "content": content}


def responses_reply(data: Any, images: tuple[SentImage, ...]) -> Reply | None:
    """What a response says; None if it is none.

    Raises:
        ModelError: the service says in it that the model failed.
    """
    if not isinstance(data, dict):
        return None
    if data.get("status") == "failed" or isinstance(data.get("error"), dict):
        raise _failed(data.get("error"))
    if not isinstance(data.get("output"), list):
        return None
    parts = list(_parts(data["output"]))
    text = "".join(_texts(parts, "output_text", "text"))
    refusal = "".join(_texts(parts, "refusal", "refusal"))
    finish = _finish(data)
    calls = tuple(_calls(data["output"]))
    if refusal and not text:
        text, finish = refusal, "refusal"
    model = data.get("model")
    return Reply(
        text=text or "\n".join(calls),
        finish_reason=finish,
        model=model if isinstance(model, str) else None,
        usage=_usage(data.get("usage")),
        images=images,
        calls=calls if text else (),
        reasoning="\n".join(_summaries(data["output"])),
    )


def _summaries(output: list[Any]) -> Iterator[str]:
    """What the model lets out of its reasoning."""
    for item in output:
        if isinstance(item, dict) and item.get("type") == "reasoning":
            summary = item.get("summary")
            parts = summary if isinstance(summary, list) else []
            yield from (p["text"] for p in parts if isinstance(p, dict) and _is_text(p, "text"))


def _parts(output: list[Any]) -> Iterator[dict[str, Any]]:
    """The parts of the model's messages; its reasoning and its tools stand beside them."""
    for item in output:
        if isinstance(item, dict) and item.get("type") == "message":
            content = item.get("content")
            for part in content if isinstance(content, list) else []:
                if isinstance(part, dict):
                    yield part


def _calls(output: list[Any]) -> Iterator[str]:
    """The calls of tools; of the vendor's computer with its actions as arguments."""
    for item in output:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "function_call":
            yield call_text(item.get("name"), item.get("arguments"))
        elif kind == "computer_call":
            given = {name: item[name] for name in ("action", "actions") if name in item}
            yield call_text(kind, given)


def _texts(parts: list[dict[str, Any]], kind: str, field: str) -> Iterator[str]:
    for part in parts:
        if part.get("type") == kind and _is_text(part, field):
            yield part[field]


def _is_text(part: dict[str, Any], field: str) -> bool:
    return isinstance(part.get(field), str)


def _finish(data: dict[str, Any]) -> str | None:
    status = data.get("status")
    if status == "completed":
        return "stop"
    details = data.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    if isinstance(reason, str):
        return _INCOMPLETE.get(reason, reason)
    return status if isinstance(status, str) else None


def _failed(error: Any) -> ModelError:
    said = error if isinstance(error, dict) else {}
    message = f"the response failed: {said.get('code')}: {said.get('message')}"[:500]
    kind = TransientError if said.get("code") in _PASSING or not said else RejectedError
    return kind(message)


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    return Usage(token_count(usage.get("input_tokens")), token_count(usage.get("output_tokens")))
