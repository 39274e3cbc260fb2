"""Which option of a question the words on a screen speak for.

An option is worth what of it can be read on the screen, and more if that stands near what the
question mentions. Nothing is known of letters: equal evidence goes to the option listed first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from screenmark.models.embedded.counting import count_of, nth_text, ordinal_of
from screenmark.models.embedded.screen import Place, Screen, part_box
from screenmark.models.embedded.words import (
    concepts,
    coverage,
    letters,
    likeness,
    normal,
    part,
    tokens,
    width_of,
)

_NEGATIVE = re.compile(
    r"\b(?:not|cannot|can't|isn't|doesn't|no longer|missing|absent|lacks?|except)\b"
    r"|没有出现|不能|无法|不可|不包括|不属于|不在|没有提供"
)
_PARTS = re.compile(r"\s*(?:[,;，；、。]|\band\b|\bor\b|和|与|及)\s*")
_QUOTED = re.compile(r"[\"“”「」]([^\"“”「」]+)[\"“”「」]")
_NEAR_WEIGHT = 1.0
_LEAST_PART = 0.5
_ROW = 14
_LEAST_ANCHOR = 1.5


@dataclass(frozen=True)
class Sighting:
    """A place where some words were read, and how surely these were the words, 0 to 1."""

    box: Place
    score: float


def choose(screen: Screen, question: str, options: dict[str, str]) -> str:
    """The letter of the option with the most evidence; of the least if the question negates.

    `options` maps at least one letter to its text.
    """
    counted = _by_counting(screen, question, options)
    if counted is not None:
        return counted
    scores = [_evidence(screen, question, text) for text in options.values()]
    pick = min if _NEGATIVE.search(normal(question)) and len(set(scores)) > 1 else max
    return list(options)[scores.index(pick(scores))]


def _by_counting(screen: Screen, question: str, options: dict[str, str]) -> str | None:
    """The option that a count or an ordinal comes to, where the question is about one."""
    number = count_of(screen, question)
    if number is not None:
        for letter, text in options.items():
            if ordinal_of(text) == number:
                return letter
    wanted = nth_text(screen, question)
    if wanted:
        scores = {letter: likeness(text, wanted) for letter, text in options.items()}
        letter = max(scores, key=lambda key: scores[key])
        return letter if scores[letter] >= 0.8 else None
    return None


def _evidence(screen: Screen, question: str, option: str) -> float:
    """How much of an option is on the screen, and how near to what the question is about."""
    pieces = [p for p in _PARTS.split(option) if letters(p)] or [option]
    if sightings(screen, option) and max(s.score for s in sightings(screen, option)) > 0.9:
        pieces = [option]
    anchors = _anchors(screen, question, option)
    total = 0.0
    for piece in pieces:
        seen = sightings(screen, piece)
        total += max(
            (s.score * (1 + _NEAR_WEIGHT * nearness(s.box, anchors)) for s in seen), default=0.0
        )
    return total / len(pieces)


def sightings(screen: Screen, words: str) -> list[Sighting]:
    """Where words were read: whole, as a part of a text, or some of them."""
    found = []
    for item in screen.items:
        if not item.text:
            continue
        whole = likeness(words, item.text)
        if whole >= 0.8:
            found.append(Sighting(item.box, whole))
        elif part(words, item.text):
            # A digit inside of a long text says little, a phrase much.
            share = min(1.0, (width_of(words) + 2) / (width_of(item.text) + 2))
            found.append(Sighting(part_box(item, words), 0.7 + 0.25 * share))
        else:
            shared = coverage(words, item.text)
            alike = len(concepts(words) & concepts(item.text))
            score = 0.6 * shared + 0.15 * min(alike, 2)
            if score >= _LEAST_PART * 0.4:
                found.append(Sighting(item.box, score))
    return found


def _anchors(screen: Screen, question: str, option: str) -> list[tuple[Place, float]]:
    """Texts that the question speaks of, with weights; what the option says too is no anchor."""
    quoted = _QUOTED.findall(question)
    spoken = tokens(question) - tokens(option)
    named = _names(question)
    found = []
    for item in screen.items:
        if not item.text or likeness(option, item.text) >= 0.8:
            continue
        weight = 0.0
        if part(item.text, question) and width_of(item.text) >= _LEAST_ANCHOR:
            # All of it stands in the question: the longer, the less by chance.
            weight = 1.0 if len(tokens(item.text)) > 1 else 0.8
            weight = weight if item.text in question else 0.4
        elif any(likeness(q, item.text) > 0.8 or part(q, item.text) for q in quoted):
            weight = 1.0
        elif any(part(name, item.text) for name in named):
            weight = 0.7
        elif said := tokens(item.text):
            weight = len(said & spoken) / (len(said) + 1)
        if weight >= 0.3:
            found.append((item.box, weight))
    return found


def _names(question: str) -> list[str]:
    """Names in a question: runs of capitalised words and numbers after its first word."""
    runs = re.findall(r"(?<=\s)(?:[A-Z$¥][\w.,:$-]*\s?|\d[\w.,:%-]*\s?)+", question)
    return [run.strip(" .,:?") for run in runs if len(run.strip(" .,:?")) > 1]


def nearness(box: Place, anchors: Sequence[tuple[Place, float]]) -> float:
    """How near a box is to the nearest anchor, 0 to 1; on its row or below it counts most."""
    return max((weight * _close(box, anchor) for anchor, weight in anchors), default=0.0)


def _close(box: Place, anchor: Place) -> float:
    across = max(0.0, box[0] - anchor[2], anchor[0] - box[2])
    down = (box[1] + box[3] - anchor[1] - anchor[3]) / 2
    if abs(down) <= _ROW:
        return 1 / (1 + across / 400)
    away = across + (abs(down) if down > 0 else 1.5 * abs(down))
    return 0.9 / (1 + away / 60)
