"""What a model is asked: which of the numbered candidates is meant, or is like another one."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from screenmark.benchmarks.content_understanding.prompt import replace_all
from screenmark.benchmarks.ui_components.samples import (
    Anchor,
    Box,
    Candidate,
    Leaf,
    RetrievalSample,
)
from screenmark.errors import UsageError

MODALITIES: Final = ("img", "ocr", "vh")
"""Screenshot, recognised text, view hierarchy."""

_LONGEST: Final = 80

EXPRESSION: Final = """\
A screen of an Android app has numbered candidates. Which one does the expression mean?

Expression: {instruction}

{options}

Exactly one candidate is right. Answer with its number and nothing else.
"""
"""The template where words say what is looked for."""

ANCHOR: Final = """\
One component of screen A is marked. Screen B has numbered candidates. Which of them is most like \
the marked one in what it is and what it is for?

Screen A: {instruction}

Screen B: {options}

Exactly one candidate is right. Answer with its number and nothing else.
"""
"""The template where another component says it."""

_SHOWN = {
    "boxes": (
        "The image is a screenshot of it; each candidate's box is drawn over it with the number "
        "beside."
    ),
    "crops": "The image shows the candidates cut out of the screen, each below its number.",
}
_SHOWN_SECOND = {how: text.replace("The image", "The second image") for how, text in _SHOWN.items()}
_MARKED = {
    "boxes": "The first image is a screenshot of it; the marked component has a red box.",
    "crops": "The first image is the marked component, cut out of it.",
}
_LISTED = (
    "Candidates, each with its box in thousandths of the screen's width and height, origin top left"
)
_SAID = {
    "match": ", and with what the view hierarchy says of it, if it is one of its elements:",
    "read": ", and with the text that was recognised in it:",
    "both": ", and with what the view hierarchy says of it and the text recognised in it:",
    "alone": ":",
}
_UNPLACED = (
    "What the view hierarchy says, in its order and without the places; which candidate is which "
    "of these is for you to tell:"
)


def read_modalities(said: str | None, lacking: Mapping[str, str]) -> tuple[str, ...]:
    """The inputs that a run uses, in a fixed order.

    Args:
        said: as on the command line, ``img,vh``; None for all that there is.
        lacking: what the data does not hold, and why or what to do about it.

    Raises:
        UsageError: an unknown one, none at all, or one that the data does not hold.
    """
    if said is None:
        found = tuple(word for word in MODALITIES if word not in lacking)
        if not found:
            raise UsageError(f"nothing to show a model: {'; '.join(lacking.values())}")
        return found
    words = [word.strip().lower() for word in said.split(",") if word.strip()]
    unknown = [word for word in words if word not in MODALITIES]
    if unknown or not words:
        known = ", ".join(MODALITIES)
        raise UsageError(f"--modalities {said}: expected one or more of {known}, with commas")
    for word in words:
        if word in lacking:
            raise UsageError(f"--modalities {word}: {lacking[word]}")
    return tuple(word for word in MODALITIES if word in words)


def fill(
    text: str,
    sample: RetrievalSample,
    modalities: Collection[str],
    *,
    placed: bool = True,
    how: str = "boxes",
) -> str:
    """Put what is looked for and the candidates where the template wants them.

    Args:
        placed: whether it is known which candidate is which element of the view hierarchy.
        how: what the images show, ``boxes`` or ``crops``.
    """
    options = candidate_list(sample, modalities, placed=placed, how=how)
    asked = sample.expression
    if sample.anchor is not None:
        asked = _anchor_words(sample.anchor, modalities, how)
    return replace_all(text, {"{instruction}": asked, "{question}": asked, "{options}": options})


def candidate_list(
    sample: RetrievalSample, modalities: Collection[str], *, placed: bool, how: str
) -> str:
    """The candidates as a model is told of them."""
    shown = (_SHOWN if sample.anchor is None else _SHOWN_SECOND)[how]
    if not {"vh", "ocr"} & set(modalities):
        return f"{shown}\nNumbers: {', '.join(map(str, sample.numbers))}"
    lines = [shown] if "img" in modalities else []
    lines.append(_LISTED + _SAID[_what_is_said(modalities, placed)])
    lines += [_line(candidate, sample.leaf_of(candidate)) for candidate in sample.candidates]
    if not placed and "vh" in modalities:
        lines += ["", _UNPLACED, *(f"- {_words(leaf)}" for leaf in sample.leaves)]
    return "\n".join(lines)


def _what_is_said(modalities: Collection[str], placed: bool) -> str:
    if "vh" in modalities and placed:
        return "both" if "ocr" in modalities else "match"
    return "read" if "ocr" in modalities else "alone"


def _anchor_words(anchor: Anchor, modalities: Collection[str], how: str) -> str:
    lines = [_MARKED[how]] if "img" in modalities else []
    if {"vh", "ocr"} & set(modalities):
        said = _described(anchor.box, anchor.leaf, anchor.ocr)
        lines.append(f"The marked component, as the candidates below: {said}")
    return "\n".join(lines)


def _line(candidate: Candidate, leaf: Leaf | None) -> str:
    return f"{candidate.number}: {_described(candidate.box, leaf, candidate.ocr)}"


def _described(box: Box, leaf: Leaf | None, ocr: str) -> str:
    parts = [_thousandths(box)]
    if leaf is not None:
        parts.append(_words(leaf))
    if ocr:
        parts.append("reads " + _quote(ocr))
    return " ".join(parts)


def _thousandths(box: Box) -> str:
    # No finer: the last digits tell which boxes were drawn from the view hierarchy.
    return f"[{', '.join(str(round(1000 * value)) for value in box)}]"


def _words(leaf: Leaf) -> str:
    """A leaf's class and texts on one line, quoted: apps write what they like."""
    named = (("", leaf.text), ("description ", leaf.description), ("id ", leaf.resource_id))
    return ", ".join([leaf.class_name, *_quoted(named)])


def _quoted(named: Sequence[tuple[str, str]]) -> list[str]:
    return [name + _quote(text) for name, text in named if text]


def _quote(text: str) -> str:
    return json.dumps(text[:_LONGEST], ensure_ascii=False)
