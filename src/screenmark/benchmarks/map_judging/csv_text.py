"""The text of a CSV file in the encodings and with the separators that Excel writes."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NamedTuple

from screenmark.errors import DataError

_MARKS = (
    # The first mark of UTF-32 begins with that of UTF-16.
    *((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_SEPARATORS = ",;\t"


class CsvText(NamedTuple):
    """The text of a file, and what stands between its cells."""

    text: str
    separator: str


def csv_text(path: Path, data: bytes) -> CsvText:
    """Read a file by its byte order mark; without one it is UTF-8, else CP949.

    Raises:
        DataError: it is not text in any of these.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    # What Excel saves as CSV on a Korean machine has no mark.
    encodings = ("utf-8", "cp949") if marked is None else (marked,)
    text = next((text for name in encodings if (text := _decoded(data, name)) is not None), None)
    if text is None and marked is not None:
        name = marked.removesuffix("-sig").upper()
        raise DataError(f"begins as {name} and cannot be read as such to its end", file=path)
    if text is None:
        raise DataError("is neither UTF-8 nor CP949, and no UTF-16 with its mark", file=path)
    if "\0" in text:
        raise DataError(
            "holds NUL characters: UTF-16 without its mark, or no text at all; save it as UTF-8",
            file=path,
        )
    text = text.lstrip("\ufeff")  # a second mark, of a program that added its own
    lines = (line for line in text.splitlines() if any(c in line for c in _SEPARATORS))
    return CsvText(text, max(_SEPARATORS, key=next(lines, "").count))


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
