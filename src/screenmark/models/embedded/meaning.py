"""What an instruction means that names nothing: words in common, and other words for the same."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace

from screenmark.models.embedded.screen import Item, Place, Screen, wrap
from screenmark.models.embedded.words import concepts, tokens

_TYPE_IN = re.compile(
    r"^(?:type|enter|fill|write|rewrite|give|say|repeat|change|filter|put|correct|state|tell)\b"
    r"|输入|填|写"
)
_LONG = 6
_TWO_LINES = 36
_CLICKABLE = {"link": 0.08, "button": 0.08, "input": 0.04}


def meant_candidates(screen: Screen, instruction: str) -> list[tuple[Item, Place, float]]:
    """Items that share meanings or words with an instruction, with boxes and scores 0 to 1."""
    wanted, words = concepts(instruction), tokens(instruction)
    texts = [line for item in screen.items if item.text for line in _lines(item)]
    meanings = Counter(c for text in {item.text for item in texts} for c in concepts(text))
    spoken = Counter(t for text in {item.text for item in texts} for t in tokens(text))
    typing = bool(_TYPE_IN.search(instruction.lower()))
    found = []
    for item in texts:
        own, said = concepts(item.text), tokens(item.text)
        shared = sum(_rarity(meanings[c]) for c in own & wanted)
        common = sum(_rarity(spoken[t]) for t in said & words)
        if not (shared or common):
            continue
        evidence = 0.4 * shared + 0.2 * common
        # Of two with the same in common, the one that says less besides.
        focus = 1 / (1 + 0.12 * len(own - wanted) + 0.04 * max(0, len(said) - _LONG))
        bonus = _CLICKABLE.get(item.kind, 0.0)
        if typing:
            bonus = 0.12 if item.kind == "input" else bonus / 2
        score = (1 - math.exp(-1.3 * evidence)) * focus + bonus
        found.append((item, item.box, score))
    return found


def _lines(item: Item) -> list[Item]:
    """A block of links is several of them, one a line."""
    if item.kind != "link" or item.height < _TWO_LINES:
        return [item]
    spans = wrap(item.text, item.width, item.height)
    step = item.height / len(spans)
    x1, y1, x2, _ = item.box
    return [
        replace(item, text=item.text[a:b], box=(x1, y1 + n * step, x2, y1 + (n + 1) * step))
        for n, (a, b) in enumerate(spans)
    ]


def _rarity(count: int) -> float:
    """The weight of a meaning that `count` texts of a page have."""
    return 1 / (1 + 0.5 * math.log2(max(count, 1)))
