"""In what an endpoint differs from OpenAI's chat completions: known beforehand, or learned."""

from __future__ import annotations

import re

import msgspec

from screenmark.errors import RejectedError
from screenmark.models.presets import Preset

_ONLY_RESPONSES = re.compile(r"only supported in v1/responses|use (?:the )?/?v1/responses")


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    """How an endpoint wants to be asked.

    Attributes:
        max_completion_tokens: that instead of ``max_tokens``.
        temperature: whether it takes one.
        detail: whether images have one.
        raw_base64: images as bare base64 rather than as a data URL.
        system: whether there is a role of that name; else its text opens the user's message.
        responses: the Responses API instead of chat completions.
    """

    max_completion_tokens: bool = False
    temperature: bool = True
    detail: bool = True
    raw_base64: bool = False
    system: bool = True
    responses: bool = False


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


def learned(ways: Ways, error: RejectedError, *, responses: bool = True) -> Ways:
    """The ways after an endpoint refused a request, the same if its words name none of them.

    Args:
        responses: whether the Responses API is one of them.
    """
    text = str(error).lower()
    if responses and error.status in {400, 404} and _ONLY_RESPONSES.search(text):
        # Models that only the newer API serves are not found at the older one.
        return msgspec.structs.replace(ways, responses=True)
    if error.status != 400:
        return ways
    unsupported = "unsupported" in text or "not support" in text
    changes: dict[str, bool] = {}
    if "max_completion_tokens" in text:
        changes["max_completion_tokens"] = True
    if unsupported and "temperature" in text:
        changes["temperature"] = False
    if unsupported and "system role" in text:
        changes["system"] = False
    return msgspec.structs.replace(ways, **changes)
