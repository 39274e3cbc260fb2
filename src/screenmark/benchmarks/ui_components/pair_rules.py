"""Rules in a model's place where another component says what is looked for.

Blind here is a rule that reads nothing of what the anchor or the candidates show and say.
"""

from __future__ import annotations

import re
from typing import Final

from screenmark.benchmarks.ui_components.rules import (
    COMMON,
    LITTLE,
    SCORERS,
    Scorer,
    Scores,
    each,
    is_matched,
    minilm_matched_scores,
    minilm_scores,
    own_words,
    weighted,
    word_f1,
)
from screenmark.benchmarks.ui_components.samples import Leaf, RetrievalSample

_TOKEN = re.compile(r"[a-z0-9]+")


def _words(leaf: Leaf | None, ocr: str) -> set[str]:
    return own_words(leaf) | set(_TOKEN.findall(ocr.lower()))


def _overlap(sample: RetrievalSample) -> Scores:
    anchor = sample.anchor
    asked = set() if anchor is None else _words(anchor.leaf, anchor.ocr)
    return [word_f1(asked, _words(sample.leaf_of(c), c.ocr)) for c in sample.candidates]


def _same_place(sample: RetrievalSample) -> Scores:
    """Minus the distance of the four sides from the anchor's, in all."""
    if sample.anchor is None:
        return [0.0] * len(sample.candidates)
    sides = sample.anchor.box
    return [
        -sum(abs(one - other) for one, other in zip(candidate.box, sides, strict=True))
        for candidate in sample.candidates
    ]


PAIR_SCORERS: Final[dict[str, Scorer]] = {
    **COMMON,
    "geometry": Scorer(
        "the candidate whose box is nearest to the anchor's own, in place and size; what either "
        "shows or says is not read",
        each(_same_place),
        blind=True,
    ),
    "text-overlap": Scorer(
        "words shared by anchor and candidate (F1), of the view hierarchy and of recognised text "
        "as far as they are used",
        each(_overlap),
    ),
    "text-overlap-matched": Scorer(
        "text-overlap, and of equal ones a candidate that matches a leaf of the view hierarchy",
        weighted((1.0, _overlap), (LITTLE, is_matched)),
        needs="match",
    ),
    "minilm": Scorer(
        "cosine of MiniLM's vectors of the words of anchor and candidate, of the view hierarchy "
        "and of recognised text as far as they are used",
        minilm_scores,
    ),
    "minilm-matched": Scorer(
        "minilm among the candidates that match a leaf of the view hierarchy",
        minilm_matched_scores,
        needs="match",
    ),
}
"""Every rule by the name that ``--model`` gives it."""

PAIR_WHAT: Final = {n.replace("-", "_"): s.what for n, s in PAIR_SCORERS.items() if s.blind}
"""The blind ones, as results name them."""


def known_pair_scorers(*, hierarchy: bool, words: bool) -> dict[str, Scorer]:
    """The rules that a run holds enough for, by name.

    Args:
        hierarchy: whether the view hierarchy is used.
        words: whether it or recognised text is.
    """
    return {
        name: scorer
        for name, scorer in PAIR_SCORERS.items()
        if name not in _lacking(hierarchy=hierarchy, words=words)
    }


def lacking_pair_rules(*, hierarchy: bool, words: bool) -> dict[str, str]:
    """The other rules of component retrieval, and why they make no sense."""
    theirs = "it is a rule of uibert-refexp"
    return {
        **{name: theirs for name in SCORERS if name not in PAIR_SCORERS},
        "expression-only": "there is no expression, another component says what is looked for",
        **_lacking(hierarchy=hierarchy, words=words),
    }


def _lacking(*, hierarchy: bool, words: bool) -> dict[str, str]:
    found = {}
    for name, scorer in PAIR_SCORERS.items():
        if scorer.needs == "match" and not hierarchy:
            found[name] = "no view hierarchy is used here that candidates could match"
        elif not words and name in {"text-overlap", "minilm"}:
            found[name] = "no texts are used here; see --modalities ocr, vh"
    return found
