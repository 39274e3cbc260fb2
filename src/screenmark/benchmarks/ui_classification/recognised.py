"""The text on a screenshot, read by the embedded text recognition when a prompt asks for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from screenmark.errors import MissingExtra
from screenmark.images import open_rgb
from screenmark.models.encoders import Component


class RecognisedText:
    """Reads every screenshot once; the networks load with the first."""

    def __init__(self) -> None:
        self._reader: Any = None
        self._known: dict[str, tuple[Component, ...]] = {}

    def lines(self, file: str) -> tuple[Component, ...]:
        """The lines of a screenshot from top to bottom, boxes in fractions of it.

        Raises:
            MissingExtra: text recognition is not installed.
            ImageError: the image cannot be read.
        """
        if file not in self._known:
            self._known[file] = self._read(file)
        return self._known[file]

    def _read(self, file: str) -> tuple[Component, ...]:
        from screenmark.models.embedded.text_lines import TextReader

        pixels = np.asarray(open_rgb(file), dtype=np.uint8)
        self._reader = self._reader or TextReader()
        try:
            lines = self._reader.read(pixels)
        except ImportError:
            raise MissingExtra("--modalities ocr", "ocr") from None
        height, width = pixels.shape[:2]
        return tuple(
            Component(
                box=(
                    line.box[0] / width,
                    line.box[1] / height,
                    line.box[2] / width,
                    line.box[3] / height,
                ),
                ocr=line.text,
            )
            for line in lines
            if line.text
        )
