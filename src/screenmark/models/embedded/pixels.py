"""Image files and Pillow images of any mode as RGB pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import os

    from PIL import Image

_MAX_PIXELS = 6_000_000
_WIDE_MODES = frozenset({"I", "F", "I;16", "I;16L", "I;16B", "I;16N"})


def open_rgb(path: str | os.PathLike[str]) -> Image.Image:
    """Open an image file as RGB; raises OSError when it is missing, broken or no image."""
    from PIL import Image

    with Image.open(path) as image:
        return to_rgb(image)


def to_rgb(image: Image.Image) -> Image.Image:
    """Convert an image of any mode to RGB; transparency is laid over white."""
    from PIL import Image

    if image.mode == "RGB" and "transparency" not in image.info:
        return image.copy() if getattr(image, "filename", None) else image
    if image.mode in _WIDE_MODES:
        return _eight_bit(image).convert("RGB")
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        page = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(page, rgba).convert("RGB")
    return image.convert("RGB")


def fit_to_budget(image: Image.Image) -> Image.Image:
    """Shrink an image of more than six megapixels to that size, keeping its proportions."""
    from PIL import Image

    scale = (_MAX_PIXELS / (image.width * image.height)) ** 0.5
    if scale >= 1:
        return image
    size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
    return image.resize(size, Image.Resampling.BOX)


def _eight_bit(image: Image.Image) -> Image.Image:
    """Grey levels of more than 8 bits, scaled to 8: plain conversion would clip them."""
    from PIL import Image

    values = np.nan_to_num(np.asarray(image, dtype=np.float64))
    low, high = min(0.0, float(values.min())), float(values.max())
    # Sixteen bits is what PNG and TIFF store; a float image may hold any range.
    top = 255.0 if high <= 255 else 65535.0 if high <= 65535 else high
    span = max(top - low, 1.0)
    return Image.fromarray(np.uint8(np.clip((values - low) / span * 255, 0, 255)))
