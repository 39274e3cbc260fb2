"""Where a reply points: the numbers of a point or a box, in whatever form they are written.

A *mark* is two or four numbers, x before y, without a coordinate space: that is a matter of
the model's profile. Each form is a *syntax*, read by a function of its own from the text alone;
a profile lists the ones that its family writes. All of them take time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from screenmark.answers.absence import says_absent
from screenmark.answers.json_marks import json_marks
from screenmark.answers.mark import (
    Finding,
    Mark,
    NotAClick,
    is_click,
    is_other_action,
    is_word_too,
)

Reader: TypeAlias = Callable[[str, bool], list[Finding]]

# A number is not part of a word, of a longer number or of a version, and is never long.
_BARE_N = r"([+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20}))(?!\.?\d)"
_N = rf"(?<![\w.]){_BARE_N}(?:px)?"
_SEP = r"(?:\s{0,20}[,，;；]\s{0,20}|\s{1,20})"
_OPEN, _CLOSE = r"[\[(（【{]", r"[\])）】}]"
# A bracket right behind a word is a function's, "rgb(255, 0)", but for words of places.
_WORD_BEFORE = re.compile(r"([A-Za-z_]\w{0,20})(\s?)\Z")
_OF_PLACES: Final = frozenset(
    {"at", "point", "points", "position", "pos", "location", "coordinate", "coordinates", "coords"}
    | {"center", "centre", "box", "bbox", "target", "to", "on", "is", "answer"}
)
_OF_NUMBERS: Final = frozenset(
    {"format", "figure", "fig", "range", "size", "resolution", "dimensions", "section", "rgb"}
)
_GROUP = re.compile(
    rf"{_OPEN}\s{{0,20}}{_N}{_SEP}{_N}(?:{_SEP}{_N}{_SEP}{_N})?\s{{0,20}}[,，]?\s{{0,20}}{_CLOSE}"
)
_PERCENT_GROUP = re.compile(rf"(?<![\w.]){_BARE_N}\s?[%％]{_SEP}{_BARE_N}\s?[%％]")
_PAIR = rf"{_OPEN}\s{{0,20}}{_N}{_SEP}{_N}\s{{0,20}}{_CLOSE}"
_CORNER = re.compile(_PAIR)
_NEXT_CORNER = re.compile(r"\s{0,20}[,，;]?\s{0,20}")
_IS = r"\"?\s{0,5}[:=：]\s{0,5}\*{0,2}\s?"
_NAMED = re.compile(
    rf"(?<!\w)x{_IS}{_BARE_N}(?:\s?px)?\s{{0,5}}[,，;]?[\s*•-]{{0,8}}(?:and\s{{1,5}})?"
    rf"\"?y{_IS}{_BARE_N}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"{_BARE_N}(?:px)?{_SEP}{_BARE_N}(?:px)?(?:{_SEP}{_BARE_N}{_SEP}{_BARE_N})?")
_POINT_TAG = re.compile(
    r"<(?:point|coordinates?)>([^<>]{0,200})</(?:point|coordinates?)>|<\|point_start\|>([^<>]{0,200})<\|point_end\|>",
    re.IGNORECASE,
)
_BOX_TAG = re.compile(
    r"<\|box_start\|>([^<]{0,200})<\|box_end\|>|<\|begin_of_box\|>([^<]{0,200})<\|end_of_box\|>"
    r"|<(?:box|bbox)>([^<]{0,200})</(?:box|bbox)>",
    re.IGNORECASE,
)
_MOLMO = re.compile(r"<points?\s([^<>]{1,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([A-Za-z]{1,20})(\d{0,3})\s?=\s?(\"[^\"]*\"|'[^']*'|[^\s\"']+)")
_ONE_NUMBER = re.compile(_BARE_N)
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
# All that a tag may hold beside its numbers: brackets, separators, names of axes in order.
_BETWEEN = re.compile(r"[\s,，;；()（）\[\]【】{}\"']+")
_AXES = re.compile(r"\A\s*\(?x1?\s?[=:]([^a-z]+)y1?\s?[=:]([^a-z]+)\Z", re.IGNORECASE)
_TOKEN = re.compile(rf"{_BARE_N}(?:px|([%％]))?")
_DENIED = re.compile(
    r"(?:\b(?:not|cannot|never|avoid|instead of|rather than)|n't):?\s?"
    r"(?:[a-z]{1,20}\s){0,3}(?:[a-z]{1,20})?[`\"'*]{0,2}\Z"
    r"|(?:不要|不是|不在|别|而非|并非|而不是)\w{0,4}\s?[`\"'*]{0,2}\Z",
    re.IGNORECASE,
)
_OR = re.compile(r"\s?(?:,|，|、|or|nor|或|或者|和)\s?(?:at\s)?", re.IGNORECASE)
_TAG_OR_AXIS = re.compile(r"<[^<>]{1,40}>|\b[xy]\d?(?=\s?[=:])|px\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]")
_QUOTED = re.compile(r"[\"']([^\"']{2,200})[\"']")


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
    found = [*_GROUP.finditer(text)]
    percent = not found
    if percent:
        found = [*_PERCENT_GROUP.finditer(text)]
    return [
        Mark(_numbers(*m.groups()), "brackets", percent=percent)
        for m in _not_denied(text, found)
        if percent or _stands_alone(text, m)
    ]


def _stands_alone(text: str, group: re.Match[str]) -> bool:
    """Whether brackets are a place, and not the arguments of ``rgb(255, 0)`` or a range."""
    before = _WORD_BEFORE.search(text, max(0, group.start() - 30), group.start())
    if before is None:
        return True
    word, space = before[1].lower(), before[2]
    if space:
        return word not in _OF_NUMBERS
    return word in _OF_PLACES or is_click(word)


def _not_denied(text: str, places: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The places that the words right before them do not deny: "not (3, 4) or (5, 6)"."""
    end = -1  # of the last place, if it was denied
    for place in places:
        between = text[end : place.start()] if end >= 0 else ""
        if (end >= 0 and _OR.fullmatch(between)) or is_denied(text, place.start()):
            end = place.end()
        else:
            end = -1
            yield place


def is_denied(text: str, start: int) -> bool:
    """Whether the words right before ``start`` say that what follows is not the one."""
    return _DENIED.search(text[max(0, start - 60) : start]) is not None


def _corner_pairs(text: str, y_first: bool) -> list[Finding]:
    """Two pairs side by side; three and more places are points and no box."""
    runs: list[list[re.Match[str]]] = []
    for pair in _not_denied(text, _CORNER.finditer(text)):
        if runs and _NEXT_CORNER.fullmatch(text, runs[-1][-1].end(), pair.start()):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    if not any(len(run) == 2 for run in runs):
        return []
    marks: list[Finding] = []
    for run in runs:
        if len(run) == 2:
            marks.append(Mark(_numbers(*run[0].groups(), *run[1].groups()), "corner_pairs"))
        else:
            marks += [Mark(_numbers(*pair.groups()), "corner_pairs") for pair in run]
    return marks


def _named(text: str, y_first: bool) -> list[Finding]:
    found = _not_denied(text, _NAMED.finditer(text))
    return [Mark(_numbers(*m.groups()), "named") for m in found]


def _bare(text: str, y_first: bool) -> list[Finding]:
    """Nothing but numbers, with or without quotes and a fence around them."""
    inner = text.strip().strip("`'\"*").rstrip("。.").strip()
    if found := _BARE.fullmatch(inner):
        return [Mark(_numbers(*found.groups()), "bare")]
    if found := _PERCENT_GROUP.fullmatch(inner):
        return [Mark(_numbers(*found.groups()), "bare", percent=True)]
    return []


def _point_tags(text: str, y_first: bool) -> list[Finding]:
    return list(_inside(_POINT_TAG.finditer(text)))


def _box_tags(text: str, y_first: bool) -> list[Finding]:
    found = list(_inside(_BOX_TAG.finditer(text)))
    if not found and len(_BOX_OPEN.findall(text)) > len(_BOX_TAG.findall(text)):
        return [NotAClick("")]  # a box that was cut off
    return found


def _inside(tags: Iterator[re.Match[str]]) -> Iterator[Finding]:
    """The numbers within tags, however they are grouped; a tag with other words has none."""
    for tag in tags:
        text = next(filter(None, tag.groups()), "")
        axes = _AXES.match(text)
        parts = [part for part in _BETWEEN.split(" ".join(axes.groups()) if axes else text) if part]
        tokens = [_TOKEN.fullmatch(part) for part in parts]
        read = [token for token in tokens if token is not None]
        signs = {token[2] is not None for token in read}
        if len(read) == len(parts) and len(read) in {2, 4} and len(signs) == 1:
            yield Mark(tuple(float(token[1]) for token in read), "tag", percent=signs == {True})


def _molmo_tags(text: str, y_first: bool) -> list[Finding]:
    found: list[Finding] = []
    for tag in _MOLMO.finditer(text):
        points: dict[str, dict[str, float]] = {}
        for name, number, value in _ATTRIBUTE.findall(tag[1]):
            digits = _ONE_NUMBER.fullmatch(value.strip("\"' "))
            if digits and name.lower() in {"x", "y"}:
                points.setdefault(number, {})[name.lower()] = float(digits[1])
        found += [Mark((p["x"], p["y"]), "molmo_tag") for p in points.values() if len(p) == 2]
    return found


def _calls(text: str, y_first: bool) -> list[Finding]:
    """``click(start_box='(1,2)')``, ``pyautogui.click(x=1, y=2)``, ``CLICK(box=[[1,2,3,4]])``."""
    found: list[Finding] = []
    end = 0
    for call in _CALL.finditer(text):
        name = call[1]
        if call.start() < end:
            continue  # what another action types is no action
        if is_click(name):
            if is_denied(text, call.start()):
                continue
            inside = _arguments(text, call.end())
            numbers = None if inside is None else _place(inside)
            found.append(Mark(numbers, "call") if numbers else NotAClick(f"{name} without a point"))
        elif is_other_action(name):
            inside = _arguments(text, call.end())
            end = len(text) if inside is None else call.end() + len(inside)
            found.append(NotAClick(f"{name} failure" if _fails(name, inside or "") else name))
        if len(found) >= _MOST_CALLS:
            break
    return found


def _fails(action: str, arguments: str) -> bool:
    """Whether an action that ends a task says that there was nothing to do it with."""
    if _FAILURE.search(arguments):
        return True
    said = _QUOTED.findall(arguments) if is_word_too(action) else []
    return any(says_absent(words) for words in said)


def _arguments(text: str, start: int) -> str | None:
    """The text up to the bracket that closes a call, a stretch of it, or None at its cut end."""
    depth = 1
    position = start
    last = min(len(text), start + _LONGEST_CALL)
    while position < last:
        char = text[position]
        if char in "'\"" and text[position - 1] in "(=[, ":
            position = _end_of_string(text, position, last)
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return text[start:position]
        position += 1
    return text[start : start + _LONGEST_CALL] if start + _LONGEST_CALL <= len(text) else None


def _end_of_string(text: str, start: int, last: int) -> int:
    """Where the string that opens at ``start`` ends; ``start`` itself if it does not."""
    quote = text[start]
    end = text.find(quote, start + 1, last)
    while end != -1 and text[end - 1] == "\\":
        end = text.find(quote, end + 1, last)
    return start if end == -1 else end


def _place(arguments: str) -> tuple[float, ...] | None:
    """The one place among a call's arguments: named axes, a group, a tag, or two numbers."""
    arguments = _QUOTED.sub(lambda found: "" if has_words(found[1]) else found[0], arguments)
    axes = [(axis.lower(), float(value)) for axis, value in _AXIS.findall(arguments)]
    if sorted(axis for axis, _ in axes) == ["x", "y"]:
        return tuple(value for _, value in sorted(axes))
    for read in (_point_tags, _box_tags, _corner_pairs, _named, _brackets):
        if found := read(arguments, False):
            places = {mark.numbers for mark in found if isinstance(mark, Mark)}
            return places.pop() if len(places) == 1 else None
    start = re.match(rf"\s*{_BARE_N}{_SEP}{_BARE_N}(?!{_SEP}{_BARE_N})", arguments)
    if start is None:
        start = re.match(rf"\s*\w{{1,20}}\s?=\s?['\"]{_BARE_N}{_SEP}{_BARE_N}['\"]", arguments)
    return None if start is None else _numbers(*start.groups())


def has_words(text: str) -> bool:
    """Whether a text is a description rather than a place, tags and names of axes aside."""
    return _WORDS.search(_TAG_OR_AXIS.sub(" ", text)) is not None


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
