"""Title and legend of pictures, by optical character recognition."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from screenmark.benchmarks.map_judging.samples import Check

if TYPE_CHECKING:
    from screenmark.models.embedded.text_lines import TextLine

_TOP: Final = 0.2
_DEGREES: Final = re.compile(r"^[\d\s.,'\"°º○oO]+[NSEWnsew]?$")
_NUMBER: Final = re.compile(r"^[<>≤≥~\-–—+]?\s*[\d.,]+\s*(?:[-–—~]\s*[\d.,]+)?\s*[%kKMB]?$")
_LEGEND_WORDS: Final = re.compile(r"legend|범례", re.IGNORECASE)
_FEWEST_NUMBERS: Final = 3
_LETTERS: Final = 4
_COLUMN: Final = 12  # Pixels by which the left or right edges of a legend's numbers may differ.
_lock = threading.Lock()


def picture_words(file: str, title: bool, legend: bool) -> list[Check]:
    """What recognised text says about the title and the legend of a picture.

    It passes what is surely there and fails what cannot be there, which is so where a picture
    has no text at all; otherwise it leaves the matter open.

    Args:
        file: path of the picture.
        title, legend: whether they are wanted.
    """
    names = [name for name, wanted in (("title", title), ("legend", legend)) if wanted]
    if not names:
        return []
    try:
        lines, height = _lines(file)
    except ImportError:
        why = "text in pictures needs the extra ocr"
        return [Check(name, "not_extracted", why) for name in names]
    judged = {"title": title_of(lines, height), "legend": legend_of(lines)}
    return [judged[name] for name in names]


def _lines(file: str) -> tuple[list[TextLine], int]:
    import numpy as np

    from screenmark.images import open_rgb

    pixels = np.asarray(open_rgb(Path(file)))
    with _lock:  # The libraries are loaded, and used, by one thread at a time.
        return _reader().read(pixels), pixels.shape[0]


@cache
def _reader() -> Any:
    from screenmark.models.embedded.text_lines import TextReader

    return TextReader()


def title_of(lines: Sequence[TextLine], height: int) -> Check:
    """Whether one of the lines is a title: words at the top of a picture of this height."""
    if not lines:
        return Check("title", "failed", "there is no text in the picture")
    for line in lines:
        words = line.text.strip()
        letters = sum(c.isalpha() for c in words)
        if line.box[1] < _TOP * height and letters >= _LETTERS and not _DEGREES.match(words):
            return Check("title", "passed", f"recognised at the top: “{words[:80]}”")
    return Check("title", "not_extracted", "no title was recognised at the top of the picture")


def legend_of(lines: Sequence[TextLine]) -> Check:
    """Whether the lines hold a legend: the word, or numbers below each other."""
    if not lines:
        return Check("legend", "failed", "there is no text in the picture")
    named = next((line.text for line in lines if _LEGEND_WORDS.search(line.text)), None)
    if named:
        return Check("legend", "passed", f"recognised: “{named[:80]}”")
    numbers = [line for line in lines if _NUMBER.match(line.text.strip())]
    for edge in (0, 2):
        for first in numbers:
            column = [n for n in numbers if abs(n.box[edge] - first.box[edge]) <= _COLUMN]
            if len(column) >= _FEWEST_NUMBERS:
                said = ", ".join(line.text for line in column[:6])
                return Check("legend", "passed", f"recognised numbers below each other: {said}")
    return Check("legend", "not_extracted", "no legend was recognised in the picture")
