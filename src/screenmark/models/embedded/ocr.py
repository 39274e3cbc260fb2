"""The embedded model `ocr`: a baseline that reads a screen without a language model.

Text comes from PP-OCR, controls and icons from classical image analysis. It knows nothing of
what an application is for, names an icon with an empty description, and tells a link from other
text only by where it stands; a vision-language model should beat it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from screenmark.models.embedded.layout import build_elements
from screenmark.models.embedded.pixels import fit_to_budget, open_rgb, to_rgb
from screenmark.models.embedded.text_lines import TextReader

if TYPE_CHECKING:
    import os

    from PIL import Image

# No legible text and no control is lower or narrower than this, in pixels.
_MIN_SIDE = 8


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
        fitted = fit_to_budget(rgb)
        if min(fitted.size) < _MIN_SIDE:
            return []
        pixels = np.asarray(fitted, dtype=np.uint8)
        elements = build_elements(pixels, self._reader.read(pixels))
        if fitted.size == rgb.size:
            return elements
        return [_scaled(element, fitted.size, rgb.size) for element in elements]

    def parse_file(self, path: str | os.PathLike[str]) -> str:
        """Parse an image file and return its elements as a JSON array, as a model would reply.

        Orientation tags are not applied: coordinates are those of the stored pixel matrix.
        Raises OSError (or its subclass PIL.UnidentifiedImageError) when the file cannot be read
        as an image.
        """
        return json.dumps(self.parse(open_rgb(path)), ensure_ascii=False)


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
