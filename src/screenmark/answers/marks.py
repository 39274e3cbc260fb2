"""Where a reply points: the numbers of a point or a box, in whatever form they are written.

A *mark* is two or four numbers, x before y, without a coordinate space: that is a matter of
the model's profile. Each form is a *syntax*, read by a function of its own from the text alone;
a profile lists the ones that its family writes. All of them take time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from screenmark.answers.json_marks import json_marks
from screenmark.answers.mark import Finding, Mark, NotAClick, is_click, is_other_action

Reader: TypeAlias = Callable[[str, bool], list[Finding]]

# A number is not part of a word, of a longer number or of a version, and is never long.
_BARE_N = r"([+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20}))(?!\.?\d)"
_N = rf"(?<![\w.]){_BARE_N}(?:px)?"
_SEP = r"(?:\s{0,20}[,，;；]\s{0,20}|\s{1,20})"
_OPEN, _CLOSE = r"[\[(（【{]", r"[\])）】}]"
_GROUP = re.compile(
    rf"{_OPEN}\s{{0,20}}{_N}{_SEP}{_N}(?:{_SEP}{_N}{_SEP}{_N})?\s{{0,20}}[,，]?\s{{0,20}}{_CLOSE}"
)
_PERCENT_GROUP = re.compile(rf"(?<![\w.]){_BARE_N}\s?[%％]{_SEP}{_BARE_N}\s?[%％]")
_PAIR = rf"{_OPEN}\s{{0,20}}{_N}{_SEP}{_N}\s{{0,20}}{_CLOSE}"
_CORNER = re.compile(_PAIR)
_NEXT_CORNER = re.compile(r"\s{0,20}[,，;]?\s{0,20}")
_NAMED = re.compile(
    rf"(?<!\w)x\"?\s{{0,5}}[:=：]\s{{0,5}}{_BARE_N}(?:px)?\s{{0,5}}[,，;]?\s{{0,5}}(?:and\s{{1,5}})?"
    rf"\"?y\"?\s{{0,5}}[:=：]\s{{0,5}}{_BARE_N}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"{_BARE_N}(?:px)?{_SEP}{_BARE_N}(?:px)?(?:{_SEP}{_BARE_N}{_SEP}{_BARE_N})?")
_POINT_TAG = re.compile(
    r"<point>(?:[^<>]{0,200})</point>|<\|point_start\|>(?:[^<>]{0,200})<\|point_end\|>",
    re.IGNORECASE,
)
_BOX_TAG = re.compile(
    r"<\|box_start\|>([^<]{0,200})<\|box_end\|>|<\|begin_of_box\|>([^<]{0,200})<\|end_of_box\|>"
    r"|<(?:box|bbox)>([^<]{0,200})</(?:box|bbox)>",
    re.IGNORECASE,
)
_MOLMO = re.compile(r"<points?\s([^<>]{1,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(rf"\b([xy])(\d{{0,3}})\s?=\s?[\"']?{_BARE_N}", re.IGNORECASE)
# "click (3, 4)" with a space is prose: its numbers are read as any others in brackets.
_CALL = re.compile(r"(?<![\w])([A-Za-z_]\w{0,30})\(")
_LONGEST_CALL = 400
_MOST_CALLS = 64  # more are no answer, and reading the arguments of each takes its time
_LOOSE: Final = frozenset({"corner_pairs", "brackets", "named", "bare"})
_AXIS = re.compile(rf"(?<!\w)([xy])\s?=\s?['\"]?{_BARE_N}", re.IGNORECASE)
_FAILURE = re.compile(r"=\s?['\"](?:failure|fail|failed|infeasible)['\"]", re.IGNORECASE)
_BOX_OPEN = re.compile(r"<\|box_start\|>|<\|begin_of_box\|>|<(?:box|bbox)>", re.IGNORECASE)
# A second corner was to come.
_CUT_OFF = re.compile(rf"{_CLOSE}\s{{0,5}}[,，;]\s{{0,5}}(?:{_OPEN}[\d.,，\s]{{0,40}})?\Z")
_ANY_NUMBERS = re.compile(_BARE_N)


def find_marks(text: str, syntaxes: tuple[str, ...], *, y_first: bool = False) -> list[Finding]:
    """What the first of ``syntaxes`` that occurs in ``text`` finds, in the order of the text.

    Actions that are not clicks count only where no click is found.
    """
    others: list[Finding] = []
    for name in syntaxes:
        if others and name in _LOOSE:
            break  # numbers that an object has under other names are no place
        found = SYNTAXES[name](text, y_first)
        marks = [finding for finding in found if isinstance(finding, Mark)]
        if marks:
            return list(marks)
        others = others or found
        if any(isinstance(finding, NotAClick) and finding.action for finding in found):
            return found  # an action of the family's own language: its numbers are no click
    return others


def _numbers(*texts: str | None) -> tuple[float, ...]:
    return tuple(float(text) for text in texts if text is not None)


def _brackets(text: str, y_first: bool) -> list[Finding]:
    if _CUT_OFF.search(text, max(0, len(text) - 80)):
        return []
    found: list[Finding] = [Mark(_numbers(*m.groups()), "brackets") for m in _GROUP.finditer(text)]
    if not found:
        found = [
            Mark(_numbers(*m.groups()), "brackets", percent=True)
            for m in _PERCENT_GROUP.finditer(text)
        ]
    return found


def _corner_pairs(text: str, y_first: bool) -> list[Finding]:
    """Two pairs side by side; three and more in a row are points and no box."""
    runs: list[list[re.Match[str]]] = []
    for pair in _CORNER.finditer(text):
        if runs and _NEXT_CORNER.fullmatch(text, runs[-1][-1].end(), pair.start()):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    return [
        Mark(_numbers(*run[0].groups(), *run[1].groups()), "corner_pairs")
        for run in runs
        if len(run) == 2
    ]


def _named(text: str, y_first: bool) -> list[Finding]:
    return [Mark(_numbers(*m.groups()), "named") for m in _NAMED.finditer(text)]


def _bare(text: str, y_first: bool) -> list[Finding]:
    """Nothing but numbers, with or without quotes and a fence around them."""
    inner = text.strip().strip("`'\"*").rstrip("。.").strip()
    if found := _BARE.fullmatch(inner):
        return [Mark(_numbers(*found.groups()), "bare")]
    if found := _PERCENT_GROUP.fullmatch(inner):
        return [Mark(_numbers(*found.groups()), "bare", percent=True)]
    return []


def _point_tags(text: str, y_first: bool) -> list[Finding]:
    return list(_inside(match[0] for match in _POINT_TAG.finditer(text)))


def _box_tags(text: str, y_first: bool) -> list[Finding]:
    inner = (next(filter(None, m.groups()), "") for m in _BOX_TAG.finditer(text))
    found = list(_inside(inner))
    if not found and len(_BOX_OPEN.findall(text)) > len(_BOX_TAG.findall(text)):
        return [NotAClick("")]  # a box that was cut off
    return found


def _inside(texts: Iterator[str]) -> Iterator[Finding]:
    """The numbers within tags, however they are grouped."""
    for text in texts:
        numbers = _numbers(*_ANY_NUMBERS.findall(text))
        if len(numbers) in {2, 4}:
            yield Mark(numbers, "tag")


def _molmo_tags(text: str, y_first: bool) -> list[Finding]:
    found: list[Finding] = []
    for tag in _MOLMO.finditer(text):
        points: dict[str, dict[str, float]] = {}
        for axis, number, value in _ATTRIBUTE.findall(tag[1]):
            points.setdefault(number, {})[axis.lower()] = float(value)
        found += [Mark((p["x"], p["y"]), "molmo_tag") for p in points.values() if len(p) == 2]
    return found


def _calls(text: str, y_first: bool) -> list[Finding]:
    """``click(start_box='(1,2)')``, ``pyautogui.click(x=1, y=2)``, ``CLICK(box=[[1,2,3,4]])``."""
    found: list[Finding] = []
    for call in _CALL.finditer(text):
        name = call[1]
        if is_click(name):
            inside = _arguments(text, call.end())
            numbers = None if inside is None else _first_numbers(inside)
            found.append(Mark(numbers, "call") if numbers else NotAClick(f"{name} without a point"))
        elif is_other_action(name):
            failed = _FAILURE.search(_arguments(text, call.end()) or "")
            found.append(NotAClick(f"{name} failure" if failed else name))
        if len(found) >= _MOST_CALLS:
            break
    return found


def _arguments(text: str, start: int) -> str | None:
    """The text up to the bracket that closes a call, a stretch of it, or None at its cut end."""
    depth = 1
    for position in range(start, min(len(text), start + _LONGEST_CALL)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth == 0:
                return text[start:position]
    return text[start : start + _LONGEST_CALL] if start + _LONGEST_CALL <= len(text) else None


def _first_numbers(arguments: str) -> tuple[float, ...] | None:
    """The mark among a call's arguments: named axes, a group, a tag, or the first two numbers."""
    axes = [(axis.lower(), float(value)) for axis, value in _AXIS.findall(arguments)]
    if sorted(axis for axis, _ in axes) == ["x", "y"]:
        return tuple(value for _, value in sorted(axes))
    for read in (_point_tags, _box_tags, _corner_pairs, _named, _brackets):
        if found := read(arguments, False):
            first = found[0]
            return first.numbers if isinstance(first, Mark) else None
    start = re.match(rf"\s*{_BARE_N}{_SEP}{_BARE_N}", arguments)
    if start is None:
        start = re.match(rf"\s*\w{{1,20}}\s?=\s?['\"]{_BARE_N}{_SEP}{_BARE_N}['\"]", arguments)
    return None if start is None else _numbers(*start.groups())


SYNTAXES: Final[dict[str, Reader]] = {
    "json": json_marks,
    "call": _calls,
    "point_tag": _point_tags,
    "molmo_tag": _molmo_tags,
    "box_tag": _box_tags,
    "corner_pairs": _corner_pairs,
    "brackets": _brackets,
    "named": _named,
    "bare": _bare,
}
"""Every syntax by the name that profiles use."""
