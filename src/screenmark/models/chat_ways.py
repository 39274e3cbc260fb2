"""In what an endpoint differs from OpenAI's chat completions: known beforehand, or learned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from screenmark.errors import RejectedError
from screenmark.models.presets import Preset

_ONLY_RESPONSES = re.compile(r"only supported in v1/responses|use (?:the )?/?v1/responses")
_ON_SCHEMAS = re.compile(
    r"response_format|json_schema|json schema|text\.format|structured output|guided|grammar"
)


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    """How an endpoint wants to be asked.

    Attributes:
        max_completion_tokens: that instead of ``max_tokens``.
        temperature: whether it takes one.
        detail: whether images have one.
        raw_base64: images as bare base64 rather than as a data URL.
        system: whether there is a role of that name; else its text opens the user's message.
        responses: the Responses API instead of chat completions.
        schema: whether it holds a model to a JSON schema.
    """

    max_completion_tokens: bool = False
    temperature: bool = True
    detail: bool = True
    raw_base64: bool = False
    system: bool = True
    responses: bool = False
    schema: bool = True


def ways_of(preset: Preset | None) -> Ways:
    """What a provider documents."""
    if preset is None:
        return Ways()
    return Ways(
        max_completion_tokens=preset.max_completion_tokens,
        detail=preset.detail,
        raw_base64=preset.raw_base64,
        responses=preset.responses,
    )


def learned(ways: Ways, error: RejectedError, *, fixed: Iterable[str] = ()) -> Ways:
    """The ways after an endpoint refused a request, the same if its words name none of them.

    Args:
        fixed: names of those that stay as they are, whatever it says.
    """
    return msgspec.structs.replace(ways, **{k: v for k, v in _named(error) if k not in fixed})


def _named(error: RejectedError) -> Iterator[tuple[str, bool]]:
    """What an endpoint's words say about its ways."""
    text = str(error).lower()
    if error.status in {400, 404} and _ONLY_RESPONSES.search(text):
        # Models that only the newer API serves are not found at the older one.
        yield "responses", True
    if error.status not in {400, 422}:
        return
    unsupported = "unsupported" in text or "not support" in text
    if "max_completion_tokens" in text:
        yield "max_completion_tokens", True
    if unsupported and "temperature" in text:
        yield "temperature", False
    if unsupported and "system role" in text:
        yield "system", False
    if _ON_SCHEMAS.search(text):
        yield "schema", False
