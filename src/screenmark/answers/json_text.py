"""The JSON in a reply: strict where it can be, and never more of it than was written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import msgspec

from screenmark.answers.loose_json import Damage, LooseReader, parse_int
from screenmark.types import Json

# One fenced block: from a line that begins with ``` to a line that ends with it, or to the end.
_FENCE = re.compile(
    r"^[ \t]*+```[ \t]*+[\w.+-]*+[ \t]*+(.*?)(?:```[ \t\r]*+$|\Z)", re.DOTALL | re.MULTILINE
)
# Where a value can begin in prose. A list of bare numbers or words is a quotation or an
# interval, "{x}" a placeholder, "[ ]" an empty tick box.
_START = re.compile(
    r"""[\[【] \s*+ (?=[\[{【｛"'“]) | [{｛] \s*+ (?=["'“] | [^\W\d]\w{0,40}+\s*+[:：])""",
    re.VERBOSE,
)
# The empty list in prose: on a line of its own, or as the last word but for closing tags.
_EMPTY = re.compile(
    r"^[ \t]*+\[[ \t]*+\][ \t\r]*+$|\[\][\s.。]*+(?:<[^<>\n]{1,40}>\s*+)*+\Z", re.MULTILINE
)
_GLUE = re.compile(r"[\s,，;；]*+")


class JsonText(msgspec.Struct, frozen=True):
    """What JSON a text holds.

    Attributes:
        values: the values in the order of the text; of a text with prose, only containers.
        repairs: what had to be done, in order, out of ``fenced``, ``prose``, ``repaired``,
            ``truncated``; empty if the whole text is one strict JSON value.
        truncated: True if the text ends, or nesting becomes too deep, inside a value.
        damage: the containers that are not complete, for ``damage_of``.
        set_aside: parts of the text that hold JSON and were not read, with the reason.
    """

    values: list[Json]
    repairs: tuple[str, ...] = ()
    truncated: bool = False
    damage: Damage = {}
    set_aside: tuple[str, ...] = ()

    def damage_of(self, value: Json) -> str | None:
        """Why ``value``, a container out of ``values`` at any depth, is not complete, or None.

        A container is judged by itself: the complete members of a damaged list are complete.
        """
        found = self.damage.get(id(value))
        return None if found is None else found[1]


def is_container(value: Json) -> bool:
    """True for lists and objects."""
    return isinstance(value, (dict, list))


def read_json(text: str, wanted: Callable[[Json], bool] = is_container) -> JsonText:
    """Find the JSON in a reply. Never raises, and takes time linear in the text's length.

    In this order: the whole text; the last fenced block with a value that is ``wanted``; every
    value that stands in the text. What is not strict JSON is read as ``loose_json`` describes.
    An integer of more than 300 digits becomes a string; NaN and Infinity are let through as
    floats, to be rejected where they stand; of a doubled key the last one counts.
    """
    text = text.strip().removeprefix("\ufeff")
    try:
        return JsonText([_strict(text)])
    except (ValueError, RecursionError):
        pass
    blocks = [block[1] for block in _FENCE.finditer(text) if "[" in block[1] or "{" in block[1]]
    for number in range(len(blocks), 0, -1):
        found = _read_block(blocks[number - 1])
        if any(map(wanted, found.values)):
            others = tuple(
                f"fenced block {n} of {len(blocks)}: a later block was read instead"
                for n in range(1, number)
            )
            return msgspec.structs.replace(
                found, repairs=("fenced", *found.repairs), set_aside=others
            )
    return _scan(text)


def _strict(text: str) -> Json:
    return json.loads(text, parse_int=parse_int)


def _read_block(block: str) -> JsonText:
    try:
        return JsonText([_strict(block)])
    except (ValueError, RecursionError):
        return _scan(block)


def _scan(text: str) -> JsonText:
    """Read every value that stands in ``text``."""
    values: list[Json] = []
    damage: Damage = {}
    prose = loose = cut = False
    after = position = 0  # end of the last value, and where to look on
    while found := _START.search(text, position):
        reader = LooseReader(text, found.start())
        position = reader.end
        if reader.value is None:
            continue
        prose = prose or not _is_glue(text, after, found.start())
        after = position
        values.append(reader.value)
        damage |= reader.damage
        loose = loose or reader.loose
        cut = cut or reader.cut
    if not values and _EMPTY.search(text):
        values.append([])
    prose = prose or not _is_glue(text, after, len(text))
    repairs = (("prose", prose), ("repaired", loose), ("truncated", cut))
    return JsonText(
        values=values,
        repairs=tuple(name for name, used in repairs if used),
        truncated=cut,
        damage=damage,
    )


def _is_glue(text: str, start: int, end: int) -> bool:
    """True if only white space and separators stand between two values."""
    found = _GLUE.match(text, start, end)
    return found is not None and found.end() == end
