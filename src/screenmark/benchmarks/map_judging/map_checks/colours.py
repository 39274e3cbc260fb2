"""Colours as CSS writes them, and what they say about values."""

from __future__ import annotations

import re
from typing import TypeAlias

Rgb: TypeAlias = tuple[int, int, int]

_HEX = re.compile(r"#([0-9a-f]{3,8})$")
_NUMBERS = re.compile(r"[\d.]+%?")


def parse_colour(text: str) -> Rgb | None:
    """Red, green and blue from 0 to 255 of a CSS colour; None of what is none."""
    from PIL import ImageColor

    text = text.strip().lower()
    match = _HEX.match(text)
    if match:
        digits = match[1]
        if len(digits) in {3, 4}:
            digits = "".join(2 * digit for digit in digits)
        if len(digits) not in {6, 8}:
            return None
        return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if text.startswith("rgb"):
        parts = _NUMBERS.findall(text)[:3]
        if len(parts) < 3:
            return None
        try:
            values = [255 * float(p[:-1]) / 100 if p.endswith("%") else float(p) for p in parts]
        except ValueError:
            return None
        red, green, blue = (max(0, min(255, round(value))) for value in values)
        return red, green, blue
    try:
        return ImageColor.getrgb(text)[:3]
    except ValueError:
        return None


def lightness(colour: Rgb) -> float:
    """Relative luminance as WCAG has it, 0 for black and 1 for white."""
    linear = [
        part / 12.92 if (part := value / 255) <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for value in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
