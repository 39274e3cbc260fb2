"""Where to click for an instruction, judged by words, kinds of controls, and places."""

from __future__ import annotations

from dataclasses import dataclass, replace

from screenmark.models.embedded.drawings import drawn_candidates
from screenmark.models.embedded.meaning import meant_candidates
from screenmark.models.embedded.screen import (
    Item,
    Place,
    Screen,
    box_before,
    field_of,
    part_box,
    switch_after,
)
from screenmark.models.embedded.wishes import Wish, read_wish
from screenmark.models.embedded.words import likeness, part, width_of

# Below these a target counts as absent. Chosen on the development pages for the most right
# answers, present and absent targets together.
_LEAST_QUOTED = 0.8
_LEAST_DRAWN = 0.3
_LEAST_MEANT = 0.3

_BADGE = " 0123456789+%."
_ALIKE = 0.06
_TALL = 40
_GAP = 30
_ROW = 24
_LONGEST_HEADING = 40
_SIDE_BONUS = 0.05
_ANCHOR_BONUS = 0.2


@dataclass(frozen=True)
class Match:
    """A place that may be meant: its box in pixels, and how sure that is, 0 to about 1."""

    box: Place
    score: float
    item: Item | None = None

    @property
    def point(self) -> tuple[int, int]:
        """The middle of the box, in whole pixels."""
        return round((self.box[0] + self.box[2]) / 2), round((self.box[1] + self.box[3]) / 2)


def find(screen: Screen, instruction: str) -> tuple[Match | None, bool]:
    """The best match for an instruction, None on an empty page, and whether it is good enough."""
    wish = read_wish(instruction)
    if wish.target is not None:
        best = _best(screen, wish, _labelled(screen, wish, wish.target))
        return best, best is not None and best.score >= _LEAST_QUOTED
    heading = _meant_heading(screen, instruction) if wish.hinted else None
    drawn = drawn_candidates(screen, replace(wish, anchor=wish.anchor or heading))
    described = [Match(item.box, score, item) for item, score in drawn]
    if wish.drawing and not wish.hinted and described:
        best = max(described, key=lambda m: m.score)
        return best, best.score >= _LEAST_DRAWN
    if wish.anchor is not None:
        placed = _best(screen, replace(wish, target=wish.anchor), _by_anchor(screen, wish))
        if placed is not None:
            return placed, placed.score >= _LEAST_QUOTED
    meant = [
        Match(_control(screen, wish, item, box), score, item)
        for item, box, score in meant_candidates(screen, instruction)
    ]
    best = max([*meant, *described], key=lambda m: m.score, default=None)
    if best is None:
        return None, False
    return best, best.score >= _LEAST_MEANT


def texts_like(screen: Screen, wanted: str, least: float = 0.55) -> list[Match]:
    """Items on which `wanted` is written, alone or as a part, however well it was read."""
    found = []
    for item in screen.items:
        if not item.text:
            continue
        whole = max(
            _closeness(wanted, item.text), 0.98 * _closeness(wanted, item.text.strip(_BADGE))
        )
        box, score = item.box, whole
        if whole < 0.95 and part(wanted, item.text):
            share = min(1.0, width_of(wanted) / max(width_of(item.text.strip(_BADGE)), 0.5))
            inside = 0.8 + 0.15 * share
            if inside > score:
                score = inside
                box = part_box(item, wanted) if share < 0.75 else item.box
        if score >= least:
            found.append(Match(box, score, item))
    return found


def _closeness(wanted: str, text: str) -> float:
    """Likeness that falls off faster: recognition gets a letter in ten wrong, not a third."""
    return max(0.0, 1 - 1.5 * (1 - likeness(wanted, text)))


def _labelled(screen: Screen, wish: Wish, target: str) -> list[Match]:
    """Matches for the target's own words, moved from a label to what it labels."""
    return [
        replace(match, box=_of_kind(screen, wish.kind, match), score=match.score + bonus)
        for match in texts_like(screen, target)
        if match.item is not None
        for bonus in [_kind_bonus(wish, match.item)]
    ]


def _kind_bonus(wish: Wish, item: Item) -> float:
    if wish.kind in {"input", "select"}:
        return 0.03 if item.kind == "input" else 0.0
    low = wish.text.lower()
    if "button" in low or "按钮" in low:
        return 0.03 if item.kind == "button" else 0.0
    return 0.02 if item.kind in {"link", "button"} and item.height <= _TALL * 1.5 else 0.0


def _of_kind(screen: Screen, kind: str | None, match: Match) -> Place:
    item = match.item
    if item is None or kind is None:
        return match.box
    label = replace(item, box=match.box)
    if kind in {"checkbox", "radio"} and item.kind not in {"checkbox", "radio"}:
        return box_before(screen, label)
    if kind == "switch":
        return switch_after(screen, label)
    if kind in {"input", "select"} and item.kind != "input":
        field = field_of(screen, item) or _unseen_field(screen, item)
        return field.box if field is not None else match.box
    return match.box


def _unseen_field(screen: Screen, label: Item) -> Item | None:
    """The text right below a label, set in like the content of a field without a frame."""
    below = [
        i
        for i in screen.items
        if 0 <= i.box[1] - label.box[3] <= _GAP and 4 <= i.box[0] - label.box[0] <= _GAP
    ]
    return min(below, key=lambda i: i.box[1], default=None)


def _control(screen: Screen, wish: Wish, item: Item, box: Place) -> Place:
    """What to click of something meant: a label's field or check box where one is seen."""
    if item.kind != "text":
        return box
    before = box_before(screen, item)
    if any(blank.box == before and blank.kind in {"checkbox", "radio"} for blank in screen.blanks):
        return before
    field = field_of(screen, item)
    return field.box if field is not None and field.kind == "input" else box


def _meant_heading(screen: Screen, instruction: str) -> str | None:
    """The text with blank controls behind it on its row that an instruction fits best."""
    found = [
        (score, item.text)
        for item, _, score in meant_candidates(screen, instruction)
        if item.kind == "text"
        and len(item.text) < _LONGEST_HEADING
        and any(
            abs(b.y - item.y) <= _ROW and item.box[2] < b.x and b.kind != "input"
            for b in screen.blanks
        )
    ]
    return max(found)[1] if found else None


def _by_anchor(screen: Screen, wish: Wish) -> list[Match]:
    """Fields and boxes that are described only by how they lie to something quoted."""
    matches = []
    for anchor in texts_like(screen, wish.anchor or ""):
        if anchor.item is None:
            continue
        if wish.kind in {"checkbox", "radio"}:
            box: Place | None = box_before(screen, replace(anchor.item, box=anchor.box))
        elif wish.kind == "switch":
            box = switch_after(screen, anchor.item)
        else:
            box = _field_at(screen, anchor.item, wish.relation)
        if box is not None:
            matches.append(replace(anchor, box=box))
    return matches


def _field_at(screen: Screen, item: Item, relation: str) -> Place | None:
    fields = [i for i in screen.items if i.kind in {"input", "button"} and i is not item]
    if relation == "before":
        row = [f for f in fields if f.box[1] <= item.y <= f.box[3] and f.x < item.box[0]]
        return max(row, key=lambda f: f.x).box if row else None
    if relation == "above":
        over = [f for f in fields if f.kind == "input" and f.y < item.y]
        return max(over, key=lambda f: f.y).box if over else None
    field = field_of(screen, item)
    if field is not None:
        return field.box
    below = [
        i
        for i in screen.items
        if i.box[1] >= item.box[3] - 4 and i.box[0] < item.box[2] and i.box[2] > item.box[0]
    ]
    return min(below, key=lambda i: i.box[1]).box if below else None


def _best(screen: Screen, wish: Wish, matches: list[Match]) -> Match | None:
    """The best match; among several alike, the one on the named side, near the anchor, in turn."""
    if not matches:
        return None
    anchors = [m.box for m in texts_like(screen, wish.anchor, 0.75)] if wish.anchor else []
    ranked = [(m.score + _place_bonus(screen, wish, m.box, anchors), m) for m in matches]
    top = max(score for score, _ in ranked)
    if wish.order is not None:
        alike = [m for score, m in ranked if m.score >= max(x.score for x in matches) - _ALIKE]
        alike.sort(key=lambda m: (round(m.box[1] / 20), m.box[0]))
        if -1 <= wish.order < len(alike):
            return alike[wish.order]
    return next(m for score, m in ranked if score == top)


def _place_bonus(screen: Screen, wish: Wish, box: Place, anchors: list[Place]) -> float:
    x, y = (box[0] + box[2]) / 2 / screen.width, (box[1] + box[3]) / 2 / screen.height
    sides = {"top": 1 - y, "bottom": y, "left": 1 - x, "right": x}
    bonus = sum(_SIDE_BONUS * sides[side] for side in wish.sides)
    if "breadcrumb" in wish.text.lower():
        bonus += _SIDE_BONUS * (sides["top"] + (box[2] - box[0] < 160))
    column = "column" in wish.text.lower() or "列" in wish.text
    near = 0.0
    for anchor in anchors:
        if anchor == box:
            continue
        across = abs((anchor[0] + anchor[2] - box[0] - box[2]) / 2)
        down = (box[1] + box[3] - anchor[1] - anchor[3]) / 2
        if wish.relation == "above":
            down = -down
        # What belongs to a heading stands below it.
        if abs(down) < _ROW:
            across /= 5
        away = across * (3 if column else 1) + (abs(down) if down >= -12 else 3 * abs(down))
        near = max(near, 1 / (1 + away / (600 if column else 150)))
    return bonus + _ANCHOR_BONUS * near
