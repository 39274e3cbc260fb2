"""Reply text to the point or the box that the model means, under its profile."""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.absence import declares_absent, denies_target, gives_up, says_absent
from screenmark.answers.ending import ending_of, is_refusal
from screenmark.answers.mark import Mark, NotAClick
from screenmark.answers.marks import find_marks, has_words
from screenmark.answers.profiles import Profile
from screenmark.answers.thinking import strip_thinking
from screenmark.geometry import PERCENT, UNIT, Box, Point, Size, Space, SpaceError
from screenmark.types import TARGET_ABSENT, Answer, Outcome

# Where the answer begins in a reply that leads up to it; the last such place counts.
_DECLARATION = re.compile(
    r"<(?:answer|action|click)>|(?:^|[.!?。！？][ \t])[ \t#*]{0,8}(?:final answer|answer|action|"
    r"actions|code|coordinates?|position|location|最终答案|答案|动作|操作|坐标|位置)"
    r"[ \t*]{0,4}(?:[:：]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(r"</(?:answer|action|click)>", re.IGNORECASE)
_BOUNDED: Final = {"unit": 1.0, "permille": 1000.0, "percent": 100.0}
_WIDE: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_LISTED: Final = frozenset({"call", "molmo_tag"})
_ACTION = re.compile(r"action|click|动作|操作", re.IGNORECASE)
_PROSE: Final = frozenset({"brackets", "corner_pairs", "named"})
_DIGITS = re.compile(r"[\d.]+")
_MINUS_ONE: Final = (-1.0, -1.0)

LONGEST_REPLY: Final = 100_000
"""Of a longer reply only so many characters at its end are read."""


class Unreadable(ValueError):
    """A reply holds no single mark; the message says what it holds instead."""


def parse_point(
    text: str,
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    finish_reason: str | None = None,
) -> Answer:
    """The point that a reply means, a box's being its centre.

    Args:
        text: the reply.
        profile: the forms and the space that the model writes.
        size: of the original image in pixels.
        space: in place of the profile's, where the image was scaled before it was sent.
        finish_reason: the provider's word for how the reply ended.

    Returns:
        ``ok`` with ``[x, y]`` as fractions of the image's width and height, which may lie
        outside it where the space has no bounds of its own; ``refused`` with the reason
        ``target_absent`` if the model says that there is no such thing on the screen;
        otherwise the outcome that the reply's end or its text calls for, with the reason.
    """
    answer = _read(text, profile, size, space, finish_reason)
    if answer.outcome is not Outcome.OK or len(answer.value) == 2:
        return answer
    x1, y1, x2, y2 = answer.value
    return Answer(Outcome.OK, [(x1 + x2) / 2, (y1 + y2) / 2], repair=answer.repair)


def parse_box(
    text: str,
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    finish_reason: str | None = None,
) -> Answer:
    """The box that a reply means, ``[x1, y1, x2, y2]``; as `parse_point` otherwise."""
    answer = _read(text, profile, size, space, finish_reason)
    if answer.outcome is Outcome.OK and len(answer.value) == 2:
        return Answer(Outcome.UNPARSEABLE, reason="a point, expected a box")
    return answer


def _read(
    text: str, profile: Profile, size: Size, space: Space | None, finish_reason: str | None
) -> Answer:
    stripped = strip_thinking(text)
    ended = ending_of(stripped, finish_reason)
    if ended is not None:
        return ended
    reply = stripped.text[-LONGEST_REPLY:].translate(_WIDE)
    try:
        mark = read_mark(reply, profile)
        if mark is None:
            return Answer(Outcome.REFUSED, reason=TARGET_ABSENT)
        value, repair = _placed(mark, space or profile.coordinates, size)
    except (Unreadable, SpaceError) as error:
        if is_refusal(reply):
            return Answer(Outcome.REFUSED, reason="policy")
        return Answer(Outcome.UNPARSEABLE, reason=str(error))
    return Answer(Outcome.OK, value, repair=repair)


def read_mark(text: str, profile: Profile) -> Mark | None:
    """The one mark of a reply without its thinking; None if it says that there is no target.

    The numbers are the model's own, in no space yet; an audit tries them in several.

    Raises:
        Unreadable: there is no mark, there are several, or the action is no click.
    """
    found, part = [], text
    for part in _parts(text):
        if declares_absent(part):
            return None
        found = find_marks(part, profile.syntaxes, y_first=profile.y_first)
        if found:
            break
    marks = list(dict.fromkeys(f for f in found if isinstance(f, Mark)))
    if len({mark.numbers for mark in marks}) > 1:
        marks = _on_last_line(text, marks, profile)
    if marks:
        mark = marks[0]
        if "minus_one" in profile.refusals and mark.numbers in {_MINUS_ONE, _MINUS_ONE * 2}:
            return None
        if mark.syntax in _PROSE:
            _check_prose(part, mark)
        return mark
    for action in [f.action for f in found if isinstance(f, NotAClick) and f.action]:
        if gives_up(action):
            return None
        raise Unreadable(f"not a click: {action}")
    if says_absent(text):
        return None
    raise Unreadable(f"no point or box in a form of this profile; got {text[:80]!r}")


def _check_prose(text: str, mark: Mark) -> None:
    """A place in a sentence is none if another sentence says that there is none."""
    if denies_target(text):
        place = _shown(mark.numbers)
        raise Unreadable(f"says that there is no such thing, and names a place, {place}")
    if is_refusal(text):
        raise Unreadable("a refusal that names a place")


def _parts(text: str) -> list[str]:
    """What follows the last declaration of an answer, up to a closing tag; the whole reply.

    Answers are corrected by later ones, while two actions are two: of several actions in a
    row the part begins at the first.
    """
    declared = [*_DECLARATION.finditer(text)]
    if not declared:
        return [text]
    start = len(declared) - 1
    while start and all(_ACTION.search(declared[n][0]) for n in (start, start - 1)):
        start -= 1
    part = text[declared[start].end() :]
    return [part if start < len(declared) - 1 else _CLOSING.split(part, maxsplit=1)[0], text]


def _on_last_line(text: str, marks: list[Mark], profile: Profile) -> list[Mark]:
    """The mark that the last line consists of, where prose leads up to it."""
    before, _, line = text.rstrip().rpartition("\n")
    found = find_marks(line, profile.syntaxes, y_first=profile.y_first)
    last = [finding for finding in found if isinstance(finding, Mark)]
    shape = _DIGITS.sub("0", line.strip())
    if (
        len({mark.numbers for mark in last}) != 1
        or any(mark.syntax in _LISTED or mark.syntax.startswith("json") for mark in marks)
        or has_words(line)
        or any(_DIGITS.sub("0", other.strip()).endswith(shape) for other in before.splitlines())
    ):
        several = len({mark.numbers for mark in marks})
        raise Unreadable(f"{several} different places, the first at {_shown(marks[0].numbers)}")
    return last


def _placed(mark: Mark, space: Space, size: Size) -> tuple[list[float], str | None]:
    """The mark as fractions of the image's sides."""
    numbers, repair = mark.numbers, None
    if mark.percent and space != PERCENT:
        space, repair = PERCENT, "percent signs"
    most = _BOUNDED.get(space.kind)
    if most is not None and not all(0 <= number <= most for number in numbers):
        raise Unreadable(f"{_shown(numbers)} is not within 0 to {most:g}, as {space} is")
    if len(numbers) == 2:
        point = Point(numbers[0], numbers[1], space).to(UNIT, size)
        return [point.x, point.y], repair
    x1, y1, x2, y2 = numbers
    if x2 < x1 or y2 < y1:
        raise Unreadable(f"{_shown(numbers)} is no box [x1, y1, x2, y2]: its corners are reversed")
    return list(Box(x1, y1, x2, y2, space).to(UNIT, size).corners), repair


def _shown(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:g}' for number in numbers)})"
