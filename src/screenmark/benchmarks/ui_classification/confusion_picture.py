"""The confusion matrix as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

_LONGEST: Final = 24
_MARGIN: Final = 10
_RIGHT: Final = (0, 114, 178)
_WRONG: Final = (213, 94, 0)
_LINE: Final = (222, 222, 222)
_HALF: Final = 0.55


def confusion_png(classes: Sequence[str], counts: Sequence[Sequence[int]], title: str) -> bytes:
    """A PNG: rows are true classes, columns answered ones, shaded by the share of the row.

    What is right is blue, what is wrong orange; numbers stand in the cells.

    Args:
        counts: shape (n, n), as `confusion_matrix` returns them.
    """
    from PIL import Image, ImageDraw, ImageFont

    cell = 20 if len(classes) > 12 else 40
    font = ImageFont.load_default(11 if cell == 20 else 14)
    names = [name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…" for name in classes]
    words = max((int(font.getlength(name)) for name in names), default=0)
    left = top = words + 3 * _MARGIN
    top += 4 * _MARGIN
    side = cell * len(classes)
    heading = ImageFont.load_default(14)
    width = max(left + side + _MARGIN, int(heading.getlength(title)) + 2 * _MARGIN)
    canvas = Image.new("RGB", (width, top + side + _MARGIN), "white")
    pen = ImageDraw.Draw(canvas)
    pen.text((_MARGIN, _MARGIN), title, fill="black", font=heading)
    for row, line in enumerate(counts):
        total = sum(line)
        y = top + row * cell
        _beside(pen, names[row], left, y + cell / 2, font)
        for column, count in enumerate(line):
            x = left + column * cell
            if count:
                colour = _RIGHT if row == column else _WRONG
                _fill(pen, (x, y), cell, count, count / total, colour, font)
    for number in range(len(classes) + 1):
        at = number * cell
        pen.line((left, top + at, left + side, top + at), fill=_LINE)
        pen.line((left + at, top, left + at, top + side), fill=_LINE)
    for column, name in enumerate(names):
        label = Image.new("L", (words + 2 * _MARGIN, cell), 0)
        draw = ImageDraw.Draw(label)
        draw.text((2, cell / 2), name, fill=255, font=font, anchor="lm")
        upright = label.rotate(90, expand=True)
        canvas.paste("black", (left + column * cell, top - upright.height), upright)
    pen.text((_MARGIN, 3 * _MARGIN), "true \\ answered", fill=(110, 110, 110), font=font)
    buffer = io.BytesIO()
    canvas.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _beside(
    pen: ImageDraw, name: str, right: float, y: float, font: FreeTypeFont | ImageFont
) -> None:
    pen.text((right - _MARGIN / 2, y), name, fill="black", font=font, anchor="rm")


def _fill(
    pen: ImageDraw,
    corner: tuple[int, int],
    cell: int,
    count: int,
    share: float,
    colour: tuple[int, int, int],
    font: FreeTypeFont | ImageFont,
) -> None:
    x, y = corner
    # So that a single mistake among many can be seen too.
    strength = 0.15 + 0.85 * share
    shade = tuple(round(255 - (255 - part) * strength) for part in colour)
    pen.rectangle((x, y, x + cell, y + cell), fill=shade)
    ink = "white" if strength > _HALF else "black"
    pen.text((x + cell / 2, y + cell / 2), str(count), fill=ink, font=font, anchor="mm")
