"""What a model is asked: which of the numbered candidates an expression means."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Final

from screenmark.benchmarks.content_understanding.prompt import replace_all
from screenmark.benchmarks.ui_components.samples import Box, Candidate, Leaf, RetrievalSample
from screenmark.errors import UsageError

MODALITIES: Final = ("img", "ocr", "vh")
"""Screenshot, recognised text, view hierarchy."""

_LONGEST: Final = 80

_TEMPLATE = """\
A screen of an Android app has numbered candidates. Which one does the expression mean?

Expression: {instruction}

{options}

Exactly one candidate is right. Answer with its number and nothing else.
"""
_DRAWN = (
    "The image is a screenshot of it; each candidate's box is drawn over it with the number beside."
)
_LISTED = (
    "Candidates, each with its box in thousandths of the screen's width and height, origin top left"
)
_SAID = {
    "match": ", and with what the view hierarchy says of it, if it is one of its elements:",
    "alone": ":",
}
_UNPLACED = (
    "What the view hierarchy says, in its order and without the places; which candidate is which "
    "of these is for you to tell:"
)


def read_modalities(said: str | None, *, images: bool) -> tuple[str, ...]:
    """The inputs that a run uses, in a fixed order.

    Args:
        said: as on the command line, ``img,vh``; None for what there is.
        images: whether there are screenshots.

    Raises:
        UsageError: an unknown one, none at all, or one that the data does not hold.
    """
    if said is None:
        return ("img", "vh") if images else ("vh",)
    words = [word.strip().lower() for word in said.split(",") if word.strip()]
    unknown = [word for word in words if word not in MODALITIES]
    if unknown or not words:
        known = ", ".join(MODALITIES)
        raise UsageError(f"--modalities {said}: expected one or more of {known}, with commas")
    if "ocr" in words:
        raise UsageError(
            "--modalities ocr: the released data holds no recognised text; use img, vh or both"
        )
    if "img" in words and not images:
        raise UsageError(
            "--modalities img: the released data holds no screenshots; name the folder of Rico's, "
            "NUMBER.jpg each, with --image-dir"
        )
    return tuple(word for word in MODALITIES if word in words)


def template() -> str:
    """The built-in prompt with its places still open."""
    return _TEMPLATE


def fill(text: str, sample: RetrievalSample, modalities: Collection[str], *, placed: bool) -> str:
    """Put the expression and the candidates where the template wants them.

    Args:
        placed: whether it is known which candidate is which element of the view hierarchy.
    """
    options = candidate_list(sample, modalities, placed=placed)
    parts = {
        "{instruction}": sample.expression,
        "{question}": sample.expression,
        "{options}": options,
    }
    return replace_all(text, parts)


def candidate_list(sample: RetrievalSample, modalities: Collection[str], *, placed: bool) -> str:
    """The candidates as a model is told of them."""
    if "vh" not in modalities:
        return f"{_DRAWN}\nNumbers: {', '.join(map(str, sample.numbers))}"
    lines = [_DRAWN] if "img" in modalities else []
    lines.append(_LISTED + _SAID["match" if placed else "alone"])
    lines += [_line(candidate, sample.leaf_of(candidate)) for candidate in sample.candidates]
    if not placed:
        lines += ["", _UNPLACED, *(f"- {_words(leaf)}" for leaf in sample.leaves)]
    return "\n".join(lines)


def _line(candidate: Candidate, leaf: Leaf | None) -> str:
    said = "" if leaf is None else f" {_words(leaf)}"
    return f"{candidate.number}: {_thousandths(candidate.box)}{said}"


def _thousandths(box: Box) -> str:
    # No finer: the last digits tell which boxes were drawn from the view hierarchy.
    return f"[{', '.join(str(round(1000 * value)) for value in box)}]"


def _words(leaf: Leaf) -> str:
    """A leaf's class and texts on one line, quoted: apps write what they like."""
    named = (("", leaf.text), ("description ", leaf.description), ("id ", leaf.resource_id))
    return ", ".join([leaf.class_name, *_quoted(named)])


def _quoted(named: Sequence[tuple[str, str]]) -> list[str]:
    return [name + json.dumps(text[:_LONGEST], ensure_ascii=False) for name, text in named if text]
