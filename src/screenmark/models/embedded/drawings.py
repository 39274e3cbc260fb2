"""Controls without words: told by their drawing where it is known, else by where they stand."""

from __future__ import annotations

from screenmark.models.embedded.screen import Item, Screen
from screenmark.models.embedded.wishes import Wish
from screenmark.models.embedded.words import likeness, part

_TOP = 70
_SEEN, _IN_ROW, _SUPPOSED = 0.9, 0.8, 0.5
_HINTED = 0.6

# Where in the group at the right end of a top bar a drawing is mostly found, 0 first, 1 last.
_IN_BAR = {
    "lens": 0.0,
    "speech": 0.25,
    "bell": 0.5,
    "expand": 0.75,
    "gear": 0.9,
    "person": 0.9,
    "grid": 1.0,
    "dots": 1.0,
}
_FIRST_OF_ROW = {"minus", "previous"}
_LAST_OF_ROW = {"cross", "next", "plus", "dots"}


def drawn_candidates(screen: Screen, wish: Wish) -> list[tuple[Item, float]]:
    """Blank controls that may show the wish's drawing, with scores from 0 to about 1."""
    if wish.drawing is None:
        return []
    blanks = screen.blanks
    scale = _HINTED if wish.hinted and wish.anchor is None else 1.0
    if wish.anchor is not None:
        row = _beside_anchor(screen, blanks, wish)
        place = _pick_of_row(row, wish.drawing, wish.relation)
    else:
        place = _usual_place(screen, blanks, wish)
        row = blanks
    seen = [item for item in row if item.shape == wish.drawing]
    found = [(item, scale * (_SEEN + (0.05 if item is place else 0.0))) for item in seen]
    if wish.order is not None and -1 <= wish.order < len(seen):
        found.append((seen[wish.order], scale))
    if place is not None:
        found.append((place, scale * (_IN_ROW if wish.anchor else _SUPPOSED)))
    return found


def _beside_anchor(screen: Screen, blanks: list[Item], wish: Wish) -> list[Item]:
    """Blank controls that belong to the quoted neighbour: of its row, or below or above it."""
    anchor = _anchor(screen, wish.anchor or "")
    if anchor is None:
        return []
    if wish.relation in {"below", "above"}:
        sign = 1 if wish.relation == "below" else -1
        there = [b for b in blanks if sign * (b.y - anchor.y) > 8]
        if not there:
            return []
        first = min(there, key=lambda b: abs(b.y - anchor.y) + abs(b.x - anchor.x) / 4)
        return sorted((b for b in there if abs(b.y - first.y) < 12), key=lambda b: b.x)
    reach = max(anchor.height, 20.0)
    row = [b for b in blanks if abs(b.y - anchor.y) <= reach]
    if wish.relation == "before":
        return sorted((b for b in row if b.x < anchor.box[0] + 8), key=lambda b: b.x)
    right = [b for b in row if b.x > anchor.box[0] and b is not anchor]
    wall = min(
        (
            i.box[0]
            for i in screen.items
            if i.kind == "text"
            and len(i.text) > 2
            and abs(i.y - anchor.y) <= reach
            and any(b.x < i.box[0] for b in right)
            and i.box[0] > anchor.box[2]
        ),
        default=screen.width,
    )
    return sorted((b for b in right if b.x < wall), key=lambda b: b.x)


def _anchor(screen: Screen, words: str) -> Item | None:
    best, score = None, 0.7
    for item in screen.items:
        like = likeness(words, item.text) if item.text else 0.0
        if like < 0.95 and item.text and part(words, item.text):
            like = max(like, 0.75 + 0.2 * len(words) / len(item.text))
        if like > score:
            best, score = item, like
    return best


def _pick_of_row(row: list[Item], drawing: str, relation: str) -> Item | None:
    if not row:
        return None
    if relation == "before" or drawing in _LAST_OF_ROW:
        return row[-1]
    return row[0] if drawing in _FIRST_OF_ROW or len(row) < 3 else row[len(row) // 2]


def _usual_place(screen: Screen, blanks: list[Item], wish: Wish) -> Item | None:
    """Where applications usually have a drawing."""
    drawing = wish.drawing or ""
    bar = sorted((b for b in blanks if b.y <= _TOP and not _is_logo(screen, b)), key=lambda b: b.x)
    if drawing == "bars":
        left = [b for b in bar if b.x < screen.width / 2]
        return left[0] if left else (bar[-1] if bar else None)
    if drawing == "lens":
        near = bar if "top" in wish.sides else blanks
        attached = [b for b in near if _after_field(screen, b)]
        if attached:
            return attached[0]
    if drawing in _IN_BAR:
        if "bottom" in wish.sides:
            low = sorted(blanks, key=lambda b: (-round(b.y / 40), b.x))
            return low[0] if low else None
        right = [b for b in bar if b.x > screen.width / 3]
        return right[round(_IN_BAR[drawing] * (len(right) - 1))] if right else None
    if "top" in wish.sides and bar:
        return bar[0] if drawing in _FIRST_OF_ROW else bar[-1]
    groups = [b for b in blanks if b.y > _TOP and b.x > screen.width / 3]
    if not groups or drawing not in _FIRST_OF_ROW | _LAST_OF_ROW:
        return None
    row = sorted((b for b in groups if abs(b.y - groups[0].y) < 12), key=lambda b: b.x)
    return _pick_of_row(row, drawing, wish.relation)


def _is_logo(screen: Screen, blank: Item) -> bool:
    """True for a drawing right before a name at the left end of the bar."""
    return blank.x < 60 and any(
        i.kind == "text" and abs(i.y - blank.y) < 12 and 0 <= i.box[0] - blank.box[2] <= 14
        for i in screen.items
    )


def _after_field(screen: Screen, blank: Item) -> bool:
    return any(
        i.kind in {"input", "button"}
        and i.width > 100
        and abs(i.y - blank.y) < 8
        and abs(blank.box[0] - i.box[2]) <= 6
        for i in screen.items
    )
