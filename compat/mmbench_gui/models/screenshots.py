"""Where the screenshot of a row of data is, and what size a model of Qwen's kind gives it."""

from __future__ import annotations

import os
from pathlib import Path

from PIL import Image

from screenmark.benchmarks import bundled_pages, content_understanding
from screenmark.geometry import Size, smart_resize

_BUNDLED = (
    bundled_pages.FOLDER / "images",
    Path(content_understanding.__file__).parent / "data" / "images",
)
FACTOR = 28
"""Sides become multiples of it: patches of 14 pixels, merged two by two."""


def find_image(image_path: str) -> str:
    """The file of a row's ``image_path``, as ``os_windows/0b08….png``.

    Looked for in ``IMAGE_ROOT_DIR``, else in ``$LMUData/MMBench-GUI/offline_images`` and
    ``~/LMUData/MMBench-GUI/offline_images``, else among the bundled sample, whose images lie in
    two folders.
    """
    if given := os.environ.get("IMAGE_ROOT_DIR"):
        return str(Path(given) / image_path)
    roots = [os.environ.get("LMUData"), "~/LMUData"]  # noqa: SIM112 - spelt like this everywhere
    tried = [
        Path(root).expanduser() / "MMBench-GUI" / "offline_images" / image_path
        for root in roots
        if root
    ]
    tried += [folder / Path(image_path).name for folder in _BUNDLED]
    # A file that is missing everywhere is reported under the first of these names.
    return str(next((path for path in tried if path.is_file()), tried[0]))


def resized(path: str, min_pixels: int, max_pixels: int) -> Image.Image:
    """The image as the model's own resize would make it, so that no other resize changes it."""
    with Image.open(path) as opened:
        image = opened.convert("RGB")
    size = smart_resize(Size(*image.size), FACTOR, min_pixels, max_pixels)
    if (size.width, size.height) == image.size:
        return image
    return image.resize((size.width, size.height), Image.Resampling.BICUBIC)
