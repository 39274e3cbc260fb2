"""The embedded model `ocr`: a baseline that reads a screen without a language model.

It lists the elements of a page, says where to click, and chooses among options. Text comes from
PP-OCR, controls and icons from classical image analysis. It knows nothing of what an application
is for, names an icon with an empty description, and tells a link from other text only by where it
stands; a vision-language model should beat it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from screenmark.images import to_rgb
from screenmark.models.embedded.layout import build_elements
from screenmark.models.embedded.respond import respond
from screenmark.models.embedded.shapes import name_shapes
from screenmark.models.embedded.text_lines import TextLine, TextReader

if TYPE_CHECKING:
    from PIL import Image

# No legible text and no control is lower or narrower than this, in pixels.
_MIN_SIDE = 8
# Time and memory grow with the area; a 4K screen has 8.3 megapixels.
_MAX_PIXELS = 6_000_000
# Ink height of the smaller text of a page at one pixel a point, and lines needed to judge it.
_TEXT_HEIGHT = 11.5
_MIN_LINES = 4


class OcrParser:
    """Parses screenshots into UI elements; the networks load when the first image arrives.

    `threads` is the number of threads of each network. One parser serves one thread at a time.
    """

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        self._reader = TextReader(threads)

    def parse(self, image: Image.Image) -> list[dict[str, Any]]:
        """Return the elements of a page in reading order.

        Each element is {"type", "index", "description", "coordinates"}: index counts from 0,
        coordinates are [x1, y1, x2, y2] in integer pixels of `image`, origin top left, inside
        the image and never empty. Any image size is accepted.
        """
        rgb = to_rgb(image)
        fitted = _fit_to_budget(rgb)
        if min(fitted.size) < _MIN_SIDE:
            return []
        lines = self._reader.read(np.asarray(fitted, dtype=np.uint8))
        zoom = _zoom(lines)
        if zoom > 1:
            fitted = fitted.reduce(zoom)
            lines = [line.shrunk(zoom) for line in lines]
        elements = build_elements(np.asarray(fitted, dtype=np.uint8), lines)
        if fitted.size == rgb.size:
            return elements
        return [_scaled(element, fitted.size, rgb.size) for element in elements]

    def look(self, image: Image.Image) -> list[dict[str, Any]]:
        """As `parse`; blank controls whose drawing is known have its name under ``shape``."""
        rgb = to_rgb(image)
        elements = self.parse(rgb)
        return name_shapes(np.asarray(rgb, dtype=np.uint8), elements)

    def answer(self, prompt: str, seen: list[dict[str, Any]], size: tuple[int, int]) -> str:
        """Answer a prompt about a page of `size` pixels that `look` has seen."""
        return respond(prompt, seen, size)


def _zoom(lines: list[TextLine]) -> int:
    """How many pixels of the image make one pixel of the design, judged by its small text.

    The rules for controls are in pixels of the design; a screen of twice the density has every
    border and icon twice as large.
    """
    heights = sorted(line.box[3] - line.box[1] for line in lines if len(line.text) > 2)
    if len(heights) < _MIN_LINES:
        return 1
    return max(1, int(heights[len(heights) // 4] / _TEXT_HEIGHT + 0.4))


def _fit_to_budget(image: Image.Image) -> Image.Image:
    """Shrink an image of more than six megapixels to that size, keeping its proportions."""
    from PIL.Image import Resampling

    scale = (_MAX_PIXELS / (image.width * image.height)) ** 0.5
    if scale >= 1:
        return image
    size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
    return image.resize(size, Resampling.BOX)


def _scaled(
    element: dict[str, Any], source: tuple[int, int], target: tuple[int, int]
) -> dict[str, Any]:
    """Map an element's box from one image size to another, keeping it inside and not empty."""
    x1, y1, x2, y2 = element["coordinates"]
    left = min(x1 * target[0] // source[0], target[0] - 1)
    top = min(y1 * target[1] // source[1], target[1] - 1)
    right = max(left + 1, min(target[0], -(-x2 * target[0] // source[0])))
    bottom = max(top + 1, min(target[1], -(-y2 * target[1] // source[1])))
    return {**element, "coordinates": [left, top, right, bottom]}
