"""How many pixels a processor of Qwen's kind brings an image to."""

from __future__ import annotations

from typing import Any

from screenmark.errors import UsageError


def with_pixel_limits(processor: Any, least: int | None, most: int | None) -> Any:
    """The processor with other limits of its own resize; None leaves one as it is.

    Raises:
        UsageError: its resize knows no such limits, or the two exclude each other.
    """
    if least is None and most is None:
        return processor
    images: Any = getattr(processor, "image_processor", None)
    size: Any = getattr(images, "size", None)
    known = getattr(getattr(images, "valid_kwargs", None), "__annotations__", {})
    if size is None or not {"min_pixels", "max_pixels"} <= set(known):
        flag = "--min-pixels" if most is None else "--max-pixels"
        raise UsageError(
            f"{flag}: {type(images or processor).__name__} has no such limit; --max-image-pixels "
            "scales images down before any model sees them"
        )
    low = size["shortest_edge"] if least is None else least
    high = size["longest_edge"] if most is None else most
    if low > high:
        raise UsageError(f"--min-pixels {low} is above --max-pixels {high}")
    images.size = {"shortest_edge": low, "longest_edge": high}  # of an area, for all their names
    if getattr(images, "max_pixels", None) is not None:  # older names, which would win
        images.min_pixels, images.max_pixels = low, high
    return processor
