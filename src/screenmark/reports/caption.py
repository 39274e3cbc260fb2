"""Words below a picture, in a font that has them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

SIZE = 14
LINE_HEIGHT = 20
_FOLDERS = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts"),
    *("/System/Library/Fonts", "/Library/Fonts", "C:/Windows/Fonts"),
)
# In this order: sans before serif, and the two that macOS and Windows bring.
_CHINESE = (
    "NotoSansCJK*Regular*",
    "NotoSansCJK*",
    "*SourceHanSans*",
    "wqy-*",
    "PingFang*",
    "msyh*",
    "*CJK*",
)


def font_for(text: str) -> FreeTypeFont | ImageFont | None:
    """A font for a text; None if it is not Latin and no Chinese font is installed."""
    from PIL import ImageFont

    if all(ord(character) < 0x250 for character in text):
        return ImageFont.load_default(SIZE)
    file = _chinese_font()
    return None if file is None else ImageFont.truetype(file, SIZE)


@functools.cache
def _chinese_font() -> str | None:
    for pattern in _CHINESE:
        for folder in _FOLDERS:
            for file in sorted(Path(folder).expanduser().rglob(pattern)):
                if file.suffix.lower() in {".ttc", ".ttf", ".otf"}:
                    return str(file)
    return None


def wrapped(text: str, font: FreeTypeFont | ImageFont, width: float) -> list[str]:
    """A text in lines that are at most so many pixels wide.

    Lines break at spaces, and within what is longer than a line, as Chinese text is.
    """
    lines = [""]
    for word in _pieces(text):
        tried = lines[-1] + word
        if font.getlength(tried.rstrip()) <= width or not lines[-1]:
            lines[-1] = tried
        else:
            lines.append(word.lstrip())
    return [line.rstrip() for line in lines]


def _pieces(text: str) -> list[str]:
    """Words with the space after them; characters that are not Latin, one by one."""
    pieces: list[str] = []
    for character in " ".join(text.split()):
        latin = ord(character) < 0x250
        if pieces and latin and pieces[-1][-1] != " " and ord(pieces[-1][-1]) < 0x250:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
