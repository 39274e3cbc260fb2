"""Rules in a model's place: those that never read the expression, and honest ones by its words.

A rule gives each candidate a number. The highest is its answer; of k that share it each counts
1/k, and so with the ranks.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from screenmark.benchmarks.rules import Rule
from screenmark.benchmarks.ui_components.encoding import encoder_scores
from screenmark.benchmarks.ui_components.samples import (
    Box,
    Candidate,
    Leaf,
    RetrievalSample,
    Variant,
)

Scores: TypeAlias = list[float]
ScoreAll: TypeAlias = Callable[[Sequence[RetrievalSample]], list[Scores]]

_STOP_WORDS: Final = frozenset(
    {
        *("click", "on", "the", "select", "a", "an", "of", "to", "in", "at", "which", "is", "that"),
        *("and", "with", "for", "tap", "press", "go", "open", "choose", "it", "this", "by", "from"),
    }
)
_CLASS_WORDS: Final = {
    "text": "TEXT_VIEW",
    "image": "IMAGE_VIEW",
    "icon": "IMAGE_BUTTON",
    "button": "BUTTON",
    "switch": "SWITCH",
    "checkbox": "CHECK_BOX",
    "radio": "RADIO_BUTTON",
}
_TOKEN = re.compile(r"[a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HELD: Final[dict[Variant, tuple[str | None, ...]]] = {
    "released": (None, "match", "boxes"),
    "matched-distractors": (None, "match"),
    "no-vh-boxes": (None,),
}
_NEEDED: Final = {
    "match": "which candidate is which element of the view hierarchy",
    "boxes": "where the elements of the view hierarchy are",
}
LITTLE: Final = 1e-6
_PIXELS: Final = (1080, 1920)


class Scorer(NamedTuple):
    """A rule as numbers.

    Attributes:
        scores: the samples to a number for each candidate of each.
        blind: it never reads the expression.
        needs: ``boxes`` if it has to know where the view hierarchy's leaves are, ``match`` if
            it has to know which candidate is which leaf.
        alone: it looks at one sample at a time.
    """

    what: str
    scores: ScoreAll
    blind: bool = False
    needs: Literal["match", "boxes"] | None = None
    alone: bool = True


def each(score: Callable[[RetrievalSample], Scores]) -> ScoreAll:
    return lambda samples: [score(sample) for sample in samples]


def _by_box(score: Callable[[Box], float]) -> ScoreAll:
    return each(lambda sample: [score(c.box) for c in sample.candidates])


def _at(place: int) -> ScoreAll:
    def score(sample: RetrievalSample) -> Scores:
        scores = [0.0] * len(sample.candidates)
        scores[place] = 1.0
        return scores

    return each(score)


def _prior(samples: Sequence[RetrievalSample]) -> list[Scores]:
    counts = Counter(sample.label for sample in samples)
    return [[float(counts[number]) for number in sample.numbers] for sample in samples]


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _off_grid(box: Box) -> float:
    """How far the sides are from whole pixels, in all."""
    return sum(abs(v * n - round(v * n)) for v, n in zip(box, _PIXELS * 2, strict=True))


def asked_words(expression: str) -> set[str]:
    """The words of an expression that may say which component is meant."""
    return set(_TOKEN.findall(expression.lower())) - _STOP_WORDS


def own_words(leaf: Leaf | None) -> set[str]:
    """The words of a leaf; none without one."""
    if leaf is None:
        return set()
    said = f"{leaf.text} {leaf.description} {leaf.resource_id}"
    return set(_TOKEN.findall(_HUMP.sub(" ", said).replace("_", " ").lower()))


def word_f1(asked: set[str], own: set[str]) -> float:
    return 2 * len(asked & own) / (len(asked) + len(own)) if asked and own else 0.0


def _overlap(sample: RetrievalSample) -> Scores:
    asked = asked_words(sample.expression)
    return [word_f1(asked, own_words(sample.leaf_of(c))) for c in sample.candidates]


def _overlap_inside(sample: RetrievalSample) -> Scores:
    asked = asked_words(sample.expression)
    leaves = [sample.leaf_of(c) or _around(sample, c) for c in sample.candidates]
    return [word_f1(asked, own_words(leaf)) for leaf in leaves]


def _around(sample: RetrievalSample, candidate: Candidate) -> Leaf | None:
    """The smallest leaf that holds a candidate's centre, or None."""
    x1, y1, x2, y2 = candidate.box
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    best, smallest = None, float("inf")
    for leaf in sample.leaves:
        box = leaf.box
        if box is None or not (box[0] <= x <= box[2] and box[1] <= y <= box[3]):
            continue
        if _area(box) < smallest:
            best, smallest = leaf, _area(box)
    return best


def _shared(sample: RetrievalSample) -> Scores:
    asked = asked_words(sample.expression)
    return [float(len(asked & own_words(sample.leaf_of(c)))) for c in sample.candidates]


def is_matched(sample: RetrievalSample) -> Scores:
    return [float(candidate.leaf is not None) for candidate in sample.candidates]


def _position(sample: RetrievalSample) -> Scores:
    """How far each candidate lies to the sides of the screen that the expression names."""
    asked = asked_words(sample.expression)
    found = []
    for candidate in sample.candidates:
        x1, y1, x2, y2 = candidate.box
        across, down = (x1 + x2) / 2, (y1 + y2) / 2
        sides = {"top": 1 - down, "bottom": down, "left": 1 - across, "right": across}
        found.append(sum(value for word, value in sides.items() if word in asked))
    return found


def _class(sample: RetrievalSample) -> Scores:
    """Whether each candidate's leaf is of a class that the expression names."""
    asked = asked_words(sample.expression)
    wanted = [name for word, name in _CLASS_WORDS.items() if word in asked]
    leaves = [sample.leaf_of(candidate) for candidate in sample.candidates]
    return [
        float(sum(leaf is not None and n in leaf.class_name for n in wanted)) for leaf in leaves
    ]


def weighted(*parts: tuple[float, Callable[[RetrievalSample], Scores]]) -> ScoreAll:
    def score(sample: RetrievalSample) -> Scores:
        columns = [[weight * value for value in part(sample)] for weight, part in parts]
        return [sum(values) for values in zip(*columns, strict=True)]

    return each(score)


def minilm_scores(samples: Sequence[RetrievalSample]) -> list[Scores]:
    """Cosine of MiniLM's vectors; errors as for `MiniLM`."""
    from screenmark.models.embedded.minilm import shared_minilm

    return encoder_scores(shared_minilm(), samples, "cosine")


def among_matched(sample: RetrievalSample, scores: Scores) -> Scores:
    """The same with -1, less than any cosine, for candidates that match no leaf."""
    return [
        score if candidate.leaf is not None else -1.0
        for candidate, score in zip(sample.candidates, scores, strict=True)
    ]


def minilm_matched_scores(samples: Sequence[RetrievalSample]) -> list[Scores]:
    """`minilm_scores` among the candidates that match a leaf."""
    return list(map(among_matched, samples, minilm_scores(samples)))


COMMON: Final[dict[str, Scorer]] = {
    "random": Scorer(
        "any candidate, all alike; as a model, the one that a hash of the sample's id falls on",
        each(lambda sample: [0.0] * len(sample.candidates)),
        blind=True,
    ),
    "first": Scorer("the first candidate", _at(0), blind=True),
    "last": Scorer("the last candidate", _at(-1), blind=True),
    "largest-box": Scorer("the candidate with the largest box", _by_box(_area), blind=True),
    "prior": Scorer(
        "the number that is right most often in this very data set, of those there are",
        _prior,
        blind=True,
        alone=False,
    ),
}
"""Rules that see nothing but boxes and numbers."""

SCORERS: Final[dict[str, Scorer]] = {
    **COMMON,
    "random-matched": Scorer(
        "any candidate with an IoU of at least 0.5 with a leaf of the view hierarchy",
        each(is_matched),
        blind=True,
        needs="match",
    ),
    "geometry": Scorer(
        "the candidate with the highest IoU with any leaf of the view hierarchy: targets were "
        "drawn from leaves, the others come from a detector",
        each(lambda sample: [candidate.iou for candidate in sample.candidates]),
        blind=True,
        needs="boxes",
    ),
    "whole-pixels": Scorer(
        "the candidate whose sides are nearest to whole pixels of a screen of 1080 x 1920: those "
        "of targets are, as the view hierarchy has whole numbers; those of the others are not",
        each(lambda sample: [-_off_grid(candidate.box) for candidate in sample.candidates]),
        blind=True,
    ),
    "expression-only": Scorer(
        "the candidate nearest to the sides that the expression names (top, bottom, left, right); "
        "what candidates show or say is not read",
        each(_position),
    ),
    "text-overlap": Scorer(
        "words shared with the matched leaf's text, description and resource id (F1)",
        each(_overlap),
        needs="match",
    ),
    "text-overlap-inside": Scorer(
        "text-overlap, without a match with the smallest leaf around the candidate's centre",
        each(_overlap_inside),
        needs="boxes",
    ),
    "text-overlap-matched": Scorer(
        "text-overlap, and of equal ones a candidate that matches a leaf",
        weighted((1.0, _overlap), (LITTLE, is_matched)),
        needs="match",
    ),
    "shared-words-matched": Scorer(
        "the number of shared words, and of equal ones a candidate that matches a leaf",
        weighted((1.0, _shared), (LITTLE, is_matched)),
        needs="match",
    ),
    "text-position-class": Scorer(
        "shared words (F1), 0.3 for the sides that are named, 0.2 for the class that is named, "
        "0.5 for matching a leaf",
        weighted((1.0, _overlap), (0.3, _position), (0.2, _class), (0.5, is_matched)),
        needs="match",
    ),
    "minilm": Scorer(
        "cosine of MiniLM's vectors of the expression and of the matched leaf's class, text, "
        "description and resource id; without a match, of nothing",
        minilm_scores,
        needs="match",
    ),
    "minilm-matched": Scorer(
        "minilm among the candidates that match a leaf",
        minilm_matched_scores,
        needs="match",
    ),
}
"""Every rule of RefExp by the name that ``--model`` gives it."""

WHAT: Final = {name.replace("-", "_"): s.what for name, s in SCORERS.items() if s.blind}
"""The blind ones, as results name them."""


def known_scorers(variant: Variant) -> dict[str, Scorer]:
    """The rules that a variant of the data holds enough for, by name."""
    held = _HELD[variant]
    return {name: scorer for name, scorer in SCORERS.items() if scorer.needs in held}


def lacking_rules(variant: Variant) -> dict[str, str]:
    """The other rules, and what a variant withholds from them."""
    held = _HELD[variant]
    return {
        name: f"--variant {variant} withholds {_NEEDED[scorer.needs]}"
        for name, scorer in SCORERS.items()
        if scorer.needs is not None and scorer.needs not in held
    }


def reply_rules(scorers: Mapping[str, Scorer]) -> dict[str, Rule]:
    """Rules as models."""
    return {
        name: Rule(
            scorer.what,
            _random_replies if name == "random" else replies(scorer.scores),
            scorer.alone,
        )
        for name, scorer in scorers.items()
    }


def replies(scores: ScoreAll) -> Callable[[Sequence[RetrievalSample]], list[str]]:
    """Scores as the replies of a model that gives them as JSON."""
    return lambda samples: [json.dumps({"scores": row}) for row in scores(samples)]


def _random_replies(samples: Sequence[RetrievalSample]) -> list[str]:
    return [str(_drawn(sample)) for sample in samples]


def _drawn(sample: RetrievalSample) -> int:
    digest = hashlib.sha256(sample.id.encode("utf-8")).digest()
    return sample.numbers[int.from_bytes(digest[:8], "big") % len(sample.candidates)]
