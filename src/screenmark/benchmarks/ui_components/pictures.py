"""What a model is shown: boxes and numbers over a screenshot, or the components cut out of it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from screenmark.benchmarks.ui_components.samples import Box, RetrievalSample
from screenmark.images import open_rgb

if TYPE_CHECKING:
    from PIL.Image import Image

_COLOURS: Final = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#e07b00", "#0e8a8a")
_CELL: Final = (300, 150)
_COLUMNS: Final = 4
_AROUND: Final = 4
_LABEL: Final = 22


class Pictures:
    """Draws into a folder of its own, which goes when this does; each picture is drawn once."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="screenmark-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def of(self, sample: RetrievalSample, how: str) -> list[Path]:
        """The sample's pictures as PNG: the anchor's, if it has one, and the candidates'.

        Args:
            how: ``boxes`` over whole screenshots of the same size, or ``crops``.

        Raises:
            ImageError: a screenshot cannot be read.
        """
        crops = how == "crops"
        found = []
        if sample.anchor is not None:
            anchor = _anchor_crop if crops else _marked
            found.append(self._drawn(sample, f"anchor {how}", anchor))
        found.append(self._drawn(sample, how, _sheet if crops else _numbered))
        return found

    def _drawn(
        self, sample: RetrievalSample, what: str, draw: Callable[[RetrievalSample], Image]
    ) -> Path:
        name = hashlib.sha256(f"{what} {sample.id}".encode()).hexdigest()[:24]
        path = Path(self._folder) / f"{name}.png"
        if not path.exists():
            draw(sample).save(path, compress_level=1)
        return path


def _numbered(sample: RetrievalSample) -> Image:
    """The screenshot with every candidate's box and number."""
    from PIL import ImageDraw

    canvas = open_rgb(sample.file)
    width, height = canvas.size
    pen = ImageDraw.Draw(canvas)
    font = _font(max(12, height // 70))
    for candidate in sample.candidates:
        colour = _COLOURS[candidate.number % len(_COLOURS)]
        x1, y1, x2, y2 = _pixels(candidate.box, canvas)
        pen.rectangle((x1, y1, x2, y2), outline=colour, width=max(2, width // 400))
        label = str(candidate.number)
        right, bottom = pen.textbbox((0, 0), label, font=font)[2:]
        # Beside the box where there is room, so that small icons stay visible.
        x = x1 - right - 6 if x1 > right + 6 else min(x2 + 2, width - right - 4)
        y = min(max(y1, 0), height - bottom - 2)
        pen.rectangle((x, y, x + right + 4, y + bottom + 2), fill=colour)
        pen.text((x + 2, y), label, fill="white", font=font)
    return canvas


def _marked(sample: RetrievalSample) -> Image:
    """The anchor's screenshot with a box around the anchor."""
    from PIL import ImageDraw

    anchor = sample.anchor
    if anchor is None:
        raise ValueError(f"{sample.id} has no anchor")
    canvas = open_rgb(anchor.file)
    x1, y1, x2, y2 = _pixels(anchor.box, canvas)
    width = max(3, canvas.size[0] // 300)
    # Around it and not over it: some are no larger than the line is wide.
    around = (x1 - width, y1 - width, x2 + width, y2 + width)
    ImageDraw.Draw(canvas).rectangle(around, outline=_COLOURS[0], width=width)
    return canvas


def _anchor_crop(sample: RetrievalSample) -> Image:
    if sample.anchor is None:
        raise ValueError(f"{sample.id} has no anchor")
    return _cut(open_rgb(sample.anchor.file), sample.anchor.box)


def _sheet(sample: RetrievalSample) -> Image:
    """The candidates cut out, in rows, each below its number."""
    from PIL import Image, ImageDraw

    screen = open_rgb(sample.file)
    count = len(sample.candidates)
    columns = min(_COLUMNS, count)
    wide, high = _CELL[0] + 8, _CELL[1] + _LABEL + 8
    canvas = Image.new("RGB", (columns * wide, -(-count // columns) * high), "#dddddd")
    pen, font = ImageDraw.Draw(canvas), _font(16)
    for place, candidate in enumerate(sample.candidates):
        left, top = place % columns * wide + 4, place // columns * high + 4
        colour = _COLOURS[candidate.number % len(_COLOURS)]
        label = str(candidate.number)
        pen.rectangle((left, top, left + 12 + 10 * len(label), top + _LABEL - 2), fill=colour)
        pen.text((left + 5, top), label, fill="white", font=font)
        crop = _cut(screen, candidate.box)
        crop.thumbnail(_CELL)
        canvas.paste(crop, (left, top + _LABEL))
    return canvas


def _cut(screen: Image, box: Box) -> Image:
    """A component with some pixels around it, at least 8 pixels wide and high."""
    width, height = screen.size
    x1, y1, x2, y2 = _pixels(box, screen)
    left, top = (
        max(0, int(min(x1, width - 8)) - _AROUND),
        max(0, int(min(y1, height - 8)) - _AROUND),
    )
    right = min(width, max(left + 8, round(x2) + _AROUND))
    return screen.crop((left, top, right, min(height, max(top + 8, round(y2) + _AROUND))))


def _pixels(box: Box, image: Image) -> Box:
    width, height = image.size
    x1, y1, x2, y2 = box
    return (
        min(x1, x2) * width,
        min(y1, y2) * height,
        max(x1, x2) * width,
        max(y1, y2) * height,
    )


def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
