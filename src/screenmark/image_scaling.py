"""Bring an image within limits: the fewest pixels away, and the same every time.

Both sides are scaled by one factor with Lanczos. A limit on pixels or on the longer side gives
the size at once. A limit on bytes is searched for, in at most six encodings: the first one keeps
all pixels, and the search ends with the largest size that was seen to fit, as a rule within 4 %
of the pixels that would just fit. Nothing in it depends on time or chance; with the same version
of Pillow the bytes are the same too.
"""

from __future__ import annotations

import io
import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import msgspec

from screenmark.errors import ImageError
from screenmark.geometry import Size, largest_within
from screenmark.types import ImageLimits

if TYPE_CHECKING:
    from PIL import Image as PillowImage

SMALLEST_SIDE: Final = 32
"""The shorter side of an image is never scaled below so many pixels: nobody could read it."""

QUALITY: Final = 90
"""Quality of a JPEG or WebP that is encoded anew; JPEG keeps its colours at full resolution."""

THREADS: Final = ThreadPoolExecutor(min(4, os.cpu_count() or 1), "screenmark-images")
"""Where images are decoded and scaled: a 4K screenshot takes 80 MB meanwhile, so few at a time.

Threads of its own rather than the callers', since each thread that ever did this keeps memory.
"""

_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "PNG": {},
    "JPEG": {"quality": QUALITY, "subsampling": "4:4:4"},
    "WEBP": {"quality": QUALITY},
}
_MOST_ENCODINGS: Final = 6
_CLOSE_ENOUGH: Final = 1.04
_CAUTION: Final = (0.95, 0.85, 0.7, 0.5)
"""Scaling blurs edges, so that a pixel costs more bytes after it: aim lower each time."""


class Fitted(msgspec.Struct, frozen=True):
    """An encoded image and its size in pixels."""

    data: bytes
    size: Size


def fit(image: PillowImage.Image, format: str, limits: ImageLimits, name: str) -> Fitted:
    """Encode ``image`` as ``format`` (PNG, JPEG or WEBP) within ``limits``.

    Raises:
        ImageError: it does not fit unless a side falls below `SMALLEST_SIDE`; ``name`` says
            which image that is.
    """
    full = Size(*image.size)
    start = largest_within(full, limits.max_pixels, limits.max_edge)
    too_thin = min(start.width, start.height) < min(SMALLEST_SIDE, full.width, full.height)
    if too_thin or start.width * start.height > (limits.max_pixels or math.inf):
        raise _cannot(name, full, _words(limits))
    first = _encoded(image, start, format)
    if limits.max_bytes is None or len(first.data) <= limits.max_bytes:
        return first
    found = _search(image, format, limits.max_bytes, first)
    if found is None:
        raise _cannot(name, full, f"{limits.max_bytes:,} bytes")
    return found


def _search(image: PillowImage.Image, format: str, max_bytes: int, first: Fitted) -> Fitted | None:
    """The largest encoding below ``first`` that was seen to fit into ``max_bytes``."""
    full = Size(*image.size)
    least = _least_pixels(full)
    best: Fitted | None = None
    over = first
    for tries in range(_MOST_ENCODINGS - 1):
        if best is None:
            share = max_bytes / len(over.data)
            target = int(_pixels(over) * share * _CAUTION[min(tries, len(_CAUTION) - 1)])
            if tries == _MOST_ENCODINGS - 2:
                target = least
        else:
            target = _between(best, over, max_bytes)
        tried = _encoded(image, largest_within(full, max(target, least)), format)
        if tried.size in {over.size, best.size if best else None}:
            break
        if len(tried.data) <= max_bytes:
            best = tried
        else:
            over = tried
        if best is not None and _pixels(over) < _CLOSE_ENOUGH * _pixels(best):
            break
    return best


def _between(best: Fitted, over: Fitted, max_bytes: int) -> int:
    """Pixels between one that fits and one that does not, where a line says it just fits."""
    low, high = _pixels(best), _pixels(over)
    part = (0.99 * max_bytes - len(best.data)) / max(1, len(over.data) - len(best.data))
    return low + int((high - low) * min(0.9, max(0.1, part)))


def _pixels(fitted: Fitted) -> int:
    return fitted.size.width * fitted.size.height


def _least_pixels(full: Size) -> int:
    """Pixels at which the shorter side is `SMALLEST_SIDE`; all of a smaller image's."""
    shorter = min(full.width, full.height)
    if shorter <= SMALLEST_SIDE:
        return full.width * full.height
    return -(-full.width * full.height * SMALLEST_SIDE**2 // shorter**2)


def _encoded(image: PillowImage.Image, size: Size, format: str) -> Fitted:
    from PIL import Image

    if size != Size(*image.size):
        image = image.resize((size.width, size.height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, format, **_OPTIONS[format])
    return Fitted(buffer.getvalue(), size)


def _words(limits: ImageLimits) -> str:
    pixels = "" if limits.max_pixels is None else f"{limits.max_pixels:,} pixels"
    edge = "" if limits.max_edge is None else f"{limits.max_edge:,} pixels a side"
    return " and ".join(words for words in (pixels, edge) if words)


def _cannot(name: str, full: Size, limit: str) -> ImageError:
    return ImageError(
        f"{name}: {full} pixels do not fit into {limit} with a shorter side of at least "
        f"{min(SMALLEST_SIDE, full.width, full.height)} pixels"
    )
