"""The icon that is asked about, cut out of its image and enlarged."""

from __future__ import annotations

import functools
import hashlib
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Final

from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.images import open_rgb

_SIDE: Final = 192


class Crops:
    """Draws into a folder of its own, which goes when this does."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="screenmark-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        # Samples that follow each other are often of one screen, or one sheet of icons.
        self._image = functools.lru_cache(maxsize=1)(open_rgb)

    def draw(self, sample: ClassSample) -> Path:
        """A PNG of the sample's box whose longer side has 192 pixels; drawn once.

        Raises:
            ImageError: the image cannot be read.
        """
        name = hashlib.sha256(sample.id.encode("utf-8")).hexdigest()[:24]
        path = Path(self._folder) / f"{name}.png"
        if not path.exists():
            from PIL import Image

            part = self._image(sample.file).crop(sample.box)
            scale = _SIDE / max(part.size)
            size = (max(1, round(part.width * scale)), max(1, round(part.height * scale)))
            part.resize(size, Image.Resampling.LANCZOS).save(path, compress_level=1)
        return path
