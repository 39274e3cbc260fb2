"""Which images a provider takes, and the limits that a run sends them within."""

from __future__ import annotations

from collections.abc import Sequence

from screenmark.errors import UsageError
from screenmark.models.base import BaseLLMAdapter, ModelOptions
from screenmark.models.presets import preset_at
from screenmark.types import ImageLimits


def limits_at(url: str) -> ImageLimits:
    """What the provider behind an address takes; no limits if it is unknown."""
    preset = preset_at(url)
    return preset.limits if preset else ImageLimits()


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
