"""Letters for names that MapLibre and Mapbox GL draw, in the form that they load them in.

A range of 256 characters is one protocol buffer: for each character a field of distances to its
outline. The typeface is the one that comes with Pillow. Chinese, Japanese and Korean characters
are drawn by the libraries themselves with the system's fonts.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

SIZE = 24
"""Pixels of an em; what both libraries expect."""

_BORDER = 3
_RADIUS = 8.0
_CUTOFF = 0.25
_ASCENDER = 26
_INSIDE = 127


@lru_cache(64)
def glyph_range(stack: str, first: int) -> bytes:
    """Characters ``first`` to ``first + 255`` as a ``glyphs`` message.

    Args:
        stack: the fonts that a style names; only repeated in the message.
        first: code point, a multiple of 256.
    """
    from PIL import ImageFont

    font = ImageFont.load_default(SIZE)
    body = _text(1, stack) + _text(2, f"{first}-{first + 255}")
    missing = bytes(font.getmask("\U0010fffd"))
    for code in range(first, first + 256):
        if chr(code).isprintable() and (glyph := _glyph(font, code, missing)):
            body += _bytes(3, glyph)
    return _bytes(1, body)


def _glyph(font: Any, code: int, missing: bytes) -> bytes:
    """One ``glyph`` message, or nothing where the typeface has no such letter."""
    import numpy as np
    from PIL import Image, ImageDraw

    letter = chr(code)
    if bytes(font.getmask(letter)) == missing:
        letter = plain(letter)  # A letter without its accent can be read; a box cannot.
        if not letter.isascii():
            return b""
    advance = round(font.getlength(letter))
    left, top, right, bottom = (round(v) for v in font.getbbox(letter, anchor="ls"))
    message = _number(1, code)
    width, height = right - left, bottom - top
    if width > 0 and height > 0 and not letter.isspace():
        image = Image.new("L", (width + 2 * _BORDER, height + 2 * _BORDER))
        at = (_BORDER - left, _BORDER - top)
        ImageDraw.Draw(image).text(at, letter, fill=255, font=font, anchor="ls")
        message += _bytes(2, _distances(np.asarray(image)))
    else:
        width = height = 0
    message += _number(3, width) + _number(4, height)
    message += _number(5, _signed(left)) + _number(6, _signed(-top - _ASCENDER))
    return message + _number(7, advance)


def plain(text: str) -> str:
    """Text without accents, which the typeface lacks."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)) or text


def _distances(ink: Any) -> bytes:
    """Distances to the outline, 192 on it, more inside; one byte a pixel, row by row."""
    import numpy as np
    from scipy.ndimage import distance_transform_edt

    inside = ink > _INSIDE
    outer = distance_transform_edt(~inside) if inside.any() else np.full(ink.shape, _RADIUS)
    inner = distance_transform_edt(inside)
    # Half a pixel at the outline itself, by how much of it the letter covers.
    signed = np.where(inside, 0.5 - inner, outer - 0.5) + (0.5 - ink / 255.0) * (
        (outer <= 1) & (inner <= 1)
    )
    values = 255 - 255 * (signed / _RADIUS + _CUTOFF)
    return bytes(np.clip(np.round(values), 0, 255).astype(np.uint8).tobytes())


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _signed(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())
