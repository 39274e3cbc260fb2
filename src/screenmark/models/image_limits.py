"""Which images a provider takes, and the limits that a run sends them within."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from screenmark.errors import UsageError
from screenmark.models.base import BaseLLMAdapter, ModelOptions
from screenmark.types import ImageLimits

# As the providers' guides say, November 2026; none was tried out, and DashScope's figure is
# from memory of its guide. Where one leaves open whether it counts an image or its base64
# text (an image of n bytes is 4 / 3 n characters of it), the text is taken.
#   OpenAI     20 MB an image, 50 MB a request    platform.openai.com/docs/guides/images-vision
#   DashScope  10 MB of base64 an image           help.aliyun.com/zh/model-studio/vision
#   Anthropic  5 MB an image, 32 MB a request     docs.anthropic.com/en/docs/vision
#              and no side above 8000 pixels
PROVIDER_LIMITS: Final = {
    "openai": ImageLimits(max_bytes=14_900_000),
    "dashscope": ImageLimits(max_bytes=7_400_000),
    "anthropic": ImageLimits(max_bytes=3_700_000),
}
"""Limits by provider, with a little room for the head of a data URL."""

_HOSTS: Final = {
    "api.openai.com": "openai",
    "dashscope.aliyuncs.com": "dashscope",
    "dashscope-intl.aliyuncs.com": "dashscope",
    "api.anthropic.com": "anthropic",
}


def limits_at(url: str) -> ImageLimits:
    """What the provider behind an address takes; no limits if it is unknown."""
    return PROVIDER_LIMITS.get(_HOSTS.get(urlsplit(url).hostname or "", ""), ImageLimits())


def limits_of_run(options: ModelOptions, replicas: Sequence[BaseLLMAdapter]) -> ImageLimits | None:
    """The limits of all requests of a run; None if images go out as they are.

    An option takes the place of what the providers document; of several replicas, the
    strictest counts for all.

    Raises:
        UsageError: there is an option, but the model is handed image files as they are.
    """
    theirs = [replica.image_limits for replica in replicas]
    if any(limits is None for limits in theirs):
        for flag in ("max_image_pixels", "max_image_bytes", "max_image_edge"):
            if getattr(options, flag) is not None:
                name = "--" + flag.replace("_", "-")
                raise UsageError(f"{name}: {replicas[0].name} reads image files as they are")
        return None
    limits = ImageLimits(
        options.max_image_pixels or _least([one.max_pixels for one in theirs if one]),
        options.max_image_bytes or _least([one.max_bytes for one in theirs if one]),
        options.max_image_edge or _least([one.max_edge for one in theirs if one]),
    )
    return None if limits == ImageLimits() else limits


def _least(values: Sequence[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)
