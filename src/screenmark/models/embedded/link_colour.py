"""Links inside running text, told by their colour."""

from __future__ import annotations

import colorsys
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from screenmark.models.embedded.ink import Box, ink_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from screenmark.models.embedded.typography import SetLine

# Browsers and most designs colour links blue to violet, as parts of a full turn of hue.
_LINK_HUES = (0.5, 0.78)
# Least difference of the channels: dark slate text is blue as well, but hardly coloured.
_MIN_CHROMA = 90
_MIN_WIDTH_EMS = 1.0


def is_link_coloured(pixels: NDArray[np.uint8], box: Box) -> bool:
    """True where the ink in `box` is a saturated blue or violet on a background that is not."""
    x1, y1, x2, y2 = box
    region = pixels[y1:y2, x1:x2]
    mask = ink_mask(pixels, box)
    if not mask.any() or mask.all():
        return False
    ink = region[mask].astype(np.float64)
    background = np.median(region[~mask].astype(np.float64), axis=0)
    # Edges of letters mix with the background; the strongest quarter shows the colour itself.
    distance = np.abs(ink - background).max(axis=1)
    core = np.median(ink[distance >= np.quantile(distance, 0.75)], axis=0)
    return _is_blue(core) and not _is_blue(background)


def _is_blue(colour: NDArray[np.float64]) -> bool:
    red, green, blue = (float(v) for v in colour)
    hue, _, _ = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
    chroma = max(red, green, blue) - min(red, green, blue)
    return _LINK_HUES[0] <= hue <= _LINK_HUES[1] and chroma >= _MIN_CHROMA


def inline_links(pixels: NDArray[np.uint8], line: SetLine) -> list[tuple[Box, str]]:
    """Runs of link-coloured words in a line that also has words of another colour."""
    marked = [(word, is_link_coloured(pixels, word[0])) for word in line.words]
    if all(is_link for _, is_link in marked) or not any(is_link for _, is_link in marked):
        return []
    links = []
    for is_link, run in groupby(marked, key=lambda item: item[1]):
        if is_link:
            words = [word for word, _ in run]
            box = (words[0][0][0], line.box[1], words[-1][0][2], line.box[3])
            text = "".join(text for _, text in words).strip()
            if len(text) > 2 and box[2] - box[0] >= _MIN_WIDTH_EMS * line.em:
                links.append((box, text))
    return links
