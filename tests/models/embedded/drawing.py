"""Screens drawn with Pillow, so that a test knows what stands where."""

from __future__ import annotations

from typing import Any

from PIL import Image, ImageDraw, ImageFont

INK = (33, 37, 41)
GREY = (108, 117, 125)
BORDER = (206, 212, 218)
BLUE = (0, 123, 255)

Box = tuple[int, int, int, int]


def blank(width: int = 640, height: int = 400) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A white page and the pen for it."""
    image = Image.new("RGB", (width, height), "white")
    return image, ImageDraw.Draw(image)


def write(
    pen: ImageDraw.ImageDraw,
    at: tuple[int, int],
    text: str,
    size: int = 16,
    fill: tuple[int, int, int] = INK,
) -> Box:
    """Write `text` with its top left corner at `at`; return the box of its ink."""
    font = ImageFont.load_default(size)
    pen.text(at, text, font=font, fill=fill)
    left, top, right, bottom = pen.textbbox(at, text, font=font)
    return int(left), int(top), int(right), int(bottom)


def rectangle(pen: ImageDraw.ImageDraw, box: Box, **style: Any) -> Box:
    """Draw a rectangle whose box is half open, as the boxes of elements are."""
    pen.rectangle((box[0], box[1], box[2] - 1, box[3] - 1), **style)
    return box


def button(pen: ImageDraw.ImageDraw, box: Box, label: str) -> Box:
    """A blue button with a white label in its middle."""
    rectangle(pen, box, fill=BLUE)
    pen.text(
        ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2),
        label,
        font=ImageFont.load_default(16),
        fill="white",
        anchor="mm",
    )
    return box


def text_input(pen: ImageDraw.ImageDraw, box: Box, hint: str) -> Box:
    """A white field with a grey border and a hint at its left end."""
    rectangle(pen, box, fill="white", outline=BORDER)
    write(pen, (box[0] + 12, (box[1] + box[3]) // 2 - 10), hint, fill=GREY)
    return box


def magnifier(pen: ImageDraw.ImageDraw, at: tuple[int, int]) -> Box:
    """An icon of about 20 pixels a side."""
    x, y = at
    pen.ellipse((x, y, x + 14, y + 14), outline=INK, width=3)
    pen.line((x + 12, y + 12, x + 19, y + 19), fill=INK, width=3)
    return x, y, x + 20, y + 20
