from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from screenmark.rendering.picture import measure


def png(filled: float) -> bytes:
    """A white picture of which a share is covered with stripes of other colours."""
    image = Image.new("RGB", (200, 100), "white")
    draw = ImageDraw.Draw(image)
    columns = round(200 * filled)
    for column in range(columns):
        draw.line((column, 0, column, 99), fill=((column * 40) % 200, 90, 30))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("filled", "verdict"),
    [(0.0, "blank"), (0.02, "nearly_blank"), (0.2, "drawn"), (0.9, "drawn")],
)
def test_blankness(filled: float, verdict: str) -> None:
    found = measure(png(filled))
    assert found.verdict == verdict
    assert (found.width, found.height) == (200, 100)


def test_two_encodings_of_the_same_pixels_are_the_same() -> None:
    image = Image.open(io.BytesIO(png(0.3)))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=0)
    assert measure(file.getvalue()).sha256 == measure(png(0.3)).sha256 != measure(png(0.4)).sha256
