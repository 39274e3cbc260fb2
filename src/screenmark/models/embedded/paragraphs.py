"""Joining wrapped lines into paragraphs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from screenmark.models.embedded.ink import Box
from screenmark.models.embedded.typography import is_ideograph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from screenmark.models.embedded.typography import SetLine

_ALIGNED = 4
_MAX_PITCH_EMS = 1.75
_EM_TOLERANCE = 0.15
_FORCED_SHARE = 0.5
_SPACE_EMS = 0.28
_MARK_GAP_EMS = 1.5
# A figure centred over its caption looks like a wrapped line, but is short.
_CENTRED_WORDS = 3


@dataclass(frozen=True)
class Paragraph:
    """A block of text: the union box of its lines in pixels and the text on one line."""

    box: Box
    text: str
    lines: tuple[SetLine, ...]


def find_paragraphs(lines: Sequence[SetLine], marks: Sequence[Box]) -> list[Paragraph]:
    """Join lines that were broken for want of room; a list of short lines stays apart.

    `marks` are boxes of icons and check boxes: a line behind one starts a new paragraph.
    """
    paragraphs = []
    for run in _runs(lines, marks):
        room = max(line.box[2] for line in run)
        breaks = list(pairwise(run))
        forced = sum(_had_to_break(upper, lower, room) for upper, lower in breaks)
        blocks = [run] if forced >= _FORCED_SHARE * len(breaks) else [[line] for line in run]
        paragraphs += [_paragraph(block) for block in blocks]
    return paragraphs


def _runs(lines: Sequence[SetLine], marks: Sequence[Box]) -> list[list[SetLine]]:
    """Group lines set one below the other with one left edge, one size and a tight pitch."""
    runs: list[list[SetLine]] = []
    for line in sorted(lines, key=lambda item: (item.box[1], item.box[0])):
        for run in runs:
            if _continues(run[-1], line) and not any(_leads(mark, line) for mark in marks):
                run.append(line)
                break
        else:
            runs.append([line])
    return runs


def _continues(upper: SetLine, lower: SetLine) -> bool:
    em = max(upper.em, lower.em)
    left = abs(upper.box[0] - lower.box[0])
    centre = abs(upper.box[0] + upper.box[2] - lower.box[0] - lower.box[2]) / 2
    return (
        (left <= _ALIGNED or (centre <= _ALIGNED / 2 and len(upper.text.split()) >= _CENTRED_WORDS))
        and abs(upper.em - lower.em) <= _EM_TOLERANCE * em
        and 0.8 * em < lower.middle - upper.middle <= _MAX_PITCH_EMS * em
    )


def _leads(mark: Box, line: SetLine) -> bool:
    gap = line.box[0] - mark[2]
    return mark[1] <= line.middle <= mark[3] and -0.2 * line.em <= gap <= _MARK_GAP_EMS * line.em


def _had_to_break(upper: SetLine, lower: SetLine, room: int) -> bool:
    """True where the first word of `lower` would not have fitted behind `upper`."""
    width = lower.box[2] - lower.box[0]
    # Ideographs may break anywhere.
    first = 1 if is_ideograph(lower.text[0]) else len(lower.text.split()[0])
    word = width * first / len(lower.text)
    return upper.box[2] + _SPACE_EMS * upper.em + word > room


def _paragraph(lines: Sequence[SetLine]) -> Paragraph:
    boxes = [line.box for line in lines]
    box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    return Paragraph(box, _joined([line.text for line in lines]), tuple(lines))


def _joined(texts: Sequence[str]) -> str:
    """Join lines with spaces, but for two ideographs, between which there is none."""
    text = texts[0]
    for following in texts[1:]:
        glued = is_ideograph(text[-1]) and is_ideograph(following[0])
        text += following if glued else f" {following}"
    return text
