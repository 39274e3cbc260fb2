"""What the pixels of a screenshot say about the page."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING

from screenmark.rendering.record import Picture, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLANK_SHARE = 0.999
"""One colour on more than this share of a picture: nothing is drawn."""

NEARLY_BLANK_SHARE = 0.97
"""Above this share, hardly anything is drawn. Measured: right maps have 0.45 to 0.90, right
maps that look away from their data 0.99."""


def measure(png: bytes) -> Picture:
    """Size, digest and blankness of a screenshot.

    Args:
        png: the encoded picture, as Playwright gives it.
    """
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB"))
    dominant, colours = colour_shares(pixels)
    return Picture(
        width=pixels.shape[1],
        height=pixels.shape[0],
        sha256=hashlib.sha256(pixels.tobytes()).hexdigest(),
        dominant=round(dominant, 5),
        colours=colours,
        verdict=_verdict(dominant),
    )


def colour_shares(pixels: NDArray[np.uint8]) -> tuple[float, int]:
    """The share of the most frequent colour, and the number of colours, at 4 bits a channel.

    Args:
        pixels: height x width x 3, red, green, blue.
    """
    import numpy as np

    coarse = (pixels >> 4).astype(np.uint16)
    keys = (coarse[..., 0] << 8) | (coarse[..., 1] << 4) | coarse[..., 2]
    counts = np.bincount(keys.ravel(), minlength=1)
    return float(counts.max() / keys.size), int(np.count_nonzero(counts))


def _verdict(dominant: float) -> Verdict:
    if dominant > BLANK_SHARE:
        return "blank"
    return "nearly_blank" if dominant > NEARLY_BLANK_SHARE else "drawn"
