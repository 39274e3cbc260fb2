"""A screenshot with the candidates' boxes and numbers drawn over it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from pathlib import Path

from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.images import open_rgb

_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#e07b00", "#0e8a8a")


class NumberedBoxes:
    """Draws into a folder of its own, which goes when this does."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="screenmark-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def draw(self, sample: RetrievalSample) -> Path:
        """A PNG of the sample's screenshot, of the same size; drawn once.

        Raises:
            ImageError: the screenshot cannot be read.
        """
        name = hashlib.sha256(sample.id.encode("utf-8")).hexdigest()[:24]
        path = Path(self._folder) / f"{name}.png"
        if not path.exists():
            self._draw(sample, path)
        return path

    @staticmethod
    def _draw(sample: RetrievalSample, path: Path) -> None:
        from PIL import ImageDraw, ImageFont

        canvas = open_rgb(sample.file)
        width, height = canvas.size
        pen = ImageDraw.Draw(canvas)
        font = ImageFont.load_default(max(12, height // 70))
        for candidate in sample.candidates:
            colour = _COLOURS[candidate.number % len(_COLOURS)]
            x1, y1, x2, y2 = candidate.box
            left, top = min(x1, x2) * width, min(y1, y2) * height
            corners = (left, top, max(x1, x2) * width, max(y1, y2) * height)
            pen.rectangle(corners, outline=colour, width=max(2, width // 400))
            label = str(candidate.number)
            right, bottom = pen.textbbox((0, 0), label, font=font)[2:]
            # Beside the box where there is room, so that small icons stay visible.
            x = left - right - 6 if left > right + 6 else min(corners[2] + 2, width - right - 4)
            y = min(max(top, 0), height - bottom - 2)
            pen.rectangle((x, y, x + right + 4, y + bottom + 2), fill=colour)
            pen.text((x + 2, y), label, fill="white", font=font)
        canvas.save(path, compress_level=1)
