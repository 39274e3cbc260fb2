"""Page parsing: a reply becomes a list of elements with boxes in pixels of the original image.

``Answer.repair`` names what had to be done to the text, joined by ``+`` in this order:

    thinking         thinking blocks were taken out
    fenced           the JSON was taken out of a fenced block
    prose            the JSON stood between other text
    single_object    one element without a list around it
    several_arrays   more than one list, or lists and single elements; joined in their order
    json_lines       more than one element without a list around them
    repaired         the JSON was not strict (see ``loose_json``)
    truncated        the JSON was cut off; complete leading elements were kept
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from screenmark.answers import fields as field
from screenmark.answers.ending import is_refusal, was_cut_off, was_withheld
from screenmark.answers.json_text import JsonText, read_json
from screenmark.answers.plain_elements import read_plain_elements
from screenmark.answers.thinking import strip_thinking
from screenmark.geometry import PIXEL, Box, Size, Space
from screenmark.types import Answer, Json, Outcome

EXPECTED: Final = "expected a JSON list of elements with type, index, description, coordinates"
MOST_REASONS: Final = 100
"""So many dropped elements are named one by one; the rest is counted."""

_LIST_KEYS: Final = ("elements", "ui_elements", "result", "results", "data", "children", "元素")
_BOXED: Final = frozenset({*field.BOX_KEYS, "box_2d", "x1", "xmin", "x_min"})
_DESCRIBED: Final = frozenset({*field.DESCRIPTION_KEYS, *field.TYPE_KEYS})
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_elements(
    text: str,
    *,
    space: Space = PIXEL,
    size: Size | None = None,
    finish_reason: str | None = None,
) -> Answer:
    """Read the UI elements out of a model's reply.

    Args:
        text: the reply as received; any text is accepted, in time linear in its length.
        space: the coordinate space in which the model was told, or is known, to answer.
        size: size of the original image; needed for every space but ``pixel``.
        finish_reason: why the reply ended (``stop``, ``length``, ``content_filter``, …).

    Returns:
        An answer whose value is a list of ``{"type": str, "index": int, "description": str,
        "coordinates": [x1, y1, x2, y2]}`` in pixels of the original image, or None. Pixels
        keep the form the model gave them (integers stay integers); boxes outside the image
        stay as they are. An element without a usable box is dropped and named in ``dropped``
        by its position in the reply, counted from 0; the others survive. The outcome is

        - ``ok``: a list was read; it may be empty if the model said so;
        - ``truncated``: the token limit was met, or thinking or JSON never ends; the value
          holds the complete leading elements, None if there is none;
        - ``refused``: for reason of ``policy``; the value holds what was read nevertheless;
        - ``empty``: no text;
        - ``unparseable``: everything else.

    Raises:
        ValueError: ``space`` needs a ``size`` and there is none, or it cannot hold the image.
            This depends on the arguments only, never on the text.
    """
    if space != PIXEL:
        if size is None:
            raise ValueError(f"coordinates in {space} need the size of the original image")
        space.extent(size)
    if finish_reason in {None, "stop"}:
        plain = read_plain_elements(text)
        if plain is not None:
            return Answer(Outcome.OK, _all_to_pixels(plain, space, size))
    stripped = strip_thinking(_clean(text).removeprefix("\ufeff"))
    reading = _Reading(space, size, bool(stripped.removed))
    if stripped.closed and stripped.text:
        reading.read(stripped.text)
    return _answer(reading, stripped.text, stripped.closed, finish_reason)


def _answer(reading: _Reading, text: str, closed: bool, finish_reason: str | None) -> Answer:
    """Decide on the outcome; the first that applies, from the surest evidence down."""
    value = reading.elements if reading.elements or reading.said_empty else None
    kept = f"complete elements kept: {len(reading.elements)}"
    if was_withheld(finish_reason):
        return reading.end(Outcome.REFUSED, value, "policy")
    if not closed:
        return reading.end(Outcome.TRUNCATED, None, "the thinking block never ends")
    if was_cut_off(finish_reason):
        return reading.end(Outcome.TRUNCATED, value, f"the token limit was met; {kept}")
    if not text:
        return reading.end(Outcome.EMPTY, None, "the reply holds no text")
    if reading.cut:
        return reading.end(Outcome.TRUNCATED, value, f"the JSON is never closed; {kept}")
    if value is not None:
        return reading.end(Outcome.OK, value, None)
    if reading.dropped:
        return reading.end(Outcome.UNPARSEABLE, None, f"no usable element: {reading.dropped[0]}")
    if is_refusal(text):
        return reading.end(Outcome.REFUSED, None, "policy")
    return reading.end(Outcome.UNPARSEABLE, None, f"{EXPECTED}; got {text[:80]!r}")


class _Item(msgspec.Struct, frozen=True):
    """Something that stands where an element should, and what is wrong with it as a whole."""

    value: Json
    problem: str | None


class _Reading:
    """What has been read so far of one reply."""

    def __init__(self, space: Space, size: Size | None, thinking: bool) -> None:
        self.space = space
        self.size = size
        self.repairs = ["thinking"] if thinking else []
        self.elements: list[dict[str, Any]] = []
        self.dropped: list[str] = []
        self.unnamed = 0  # dropped elements beyond MOST_REASONS
        self.said_empty = False
        self.cut = False

    def read(self, text: str) -> None:
        found = read_json(text, _holds_elements)
        self.cut = found.truncated
        holders: list[Json] = []  # the values that hold elements
        position = 0
        for value in found.values:
            before = position
            for item in _items(value, found):
                self._add(item, position)
                position += 1
            if position > before:
                holders.append(value)
        self.said_empty = position == 0 and any(map(_is_empty_list, found.values))
        if holders or self.said_empty:
            self.dropped += found.set_aside[:MOST_REASONS]
            self._name_repairs(found, holders)

    def end(self, outcome: Outcome, value: Json, reason: str | None) -> Answer:
        more = (f"and {self.unnamed} more",) if self.unnamed else ()
        return Answer(
            outcome=outcome,
            value=value,
            reason=reason,
            repair="+".join(self.repairs) or None,
            dropped=(*self.dropped, *more),
        )

    def _add(self, item: _Item, position: int) -> None:
        where = f"element {position}: "
        if item.problem is not None or not isinstance(item.value, dict):
            problem = item.problem or f"not an object: {field.shorten(item.value)}"
            self._drop(_clean(where + problem))
            return
        named = {key.strip().lower(): value for key, value in item.value.items()}
        try:
            coordinates = _to_pixels(field.read_box(named), self.space, self.size)
        except field.FieldError as error:
            self._drop(_clean(where + str(error)))
            return
        words = {}
        for name, keys, default in (
            ("type", field.TYPE_KEYS, "unknown"),
            ("description", field.DESCRIPTION_KEYS, ""),
        ):
            try:
                words[name] = _clean(field.read_word(named, keys, default))
            except field.FieldError as error:
                self._drop(f"{where}{error}; read as {default!r}")
                words[name] = default
        self.elements.append(
            {
                "type": words["type"],
                "index": field.read_index(named, position),
                "description": words["description"],
                "coordinates": coordinates,
            }
        )

    def _drop(self, reason: str) -> None:
        if len(self.dropped) < MOST_REASONS:
            self.dropped.append(reason)
        else:
            self.unnamed += 1

    def _name_repairs(self, found: JsonText, holders: list[Json]) -> None:
        taken = [name for name in ("fenced", "prose") if name in found.repairs]
        if any(isinstance(value, list) for value in holders):
            shape = ["several_arrays"] if len(holders) > 1 else []
        else:
            shape = ["json_lines"] if len(holders) > 1 else []
            if len(holders) == 1 and _is_element(holders[0]):
                shape = ["single_object"]
        mended = [name for name in ("repaired", "truncated") if name in found.repairs]
        self.repairs += [*taken, *shape, *mended]


def _items(root: Json, found: JsonText) -> Iterator[_Item]:
    """The elements in ``root``, in order: flat, nested in lists, wrapped in objects."""
    todo: list[tuple[Json, bool]] = [(root, False)]  # with True if it is a member of a list
    while todo:
        value, listed = todo.pop()
        inner: list[tuple[Json, bool]] = []
        if isinstance(value, list):
            if any(isinstance(member, (dict, list)) for member in value):
                inner = [(member, True) for member in value]
        elif isinstance(value, dict):
            inner = [(member, False) for member in _wrapped(value)]
            if _is_element(value) or (listed and not inner):
                yield _Item(value, found.damage_of(value))
        elif listed:
            yield _Item(value, None)
        todo.extend(reversed(inner))


def _is_element(value: Json) -> bool:
    """True if an object is an element, however bad, and not something around elements."""
    if not isinstance(value, dict):
        return False
    return _has(value, _BOXED) or (_has(value, _DESCRIBED) and not _wrapped(value))


def _has(value: dict[str, Json], names: frozenset[str]) -> bool:
    return any(key.strip().lower() in names for key in value)


def _wrapped(value: dict[str, Json]) -> list[Json]:
    """The members of an object that may hold elements: a list under a known name, or all."""
    names = {key.strip().lower(): key for key in value}
    for name in _LIST_KEYS:
        if name in names and isinstance(value[names[name]], (dict, list)):
            return [value[names[name]]]
    boxed, described = _has(value, _BOXED), _has(value, _DESCRIBED)
    return [
        member
        for member in value.values()
        if (isinstance(member, list) and any(isinstance(one, dict) for one in member))
        # {"type": …, "size": {"x1": …}} is one element with a box in an unknown place, not two.
        or (isinstance(member, dict) and not boxed and not (described and _has(member, _BOXED)))
    ]


def _holds_elements(value: Json) -> bool:
    return _is_empty_list(value) or any(True for _ in _items(value, JsonText([])))


def _is_empty_list(value: Json) -> bool:
    """True for ``[]`` and for an object around it, such as ``{"elements": []}``."""
    if isinstance(value, dict):
        inner = [value[key] for key in value if key.strip().lower() in _LIST_KEYS]
        return any(member == [] for member in inner)
    return bool(value == [])


def _to_pixels(corners: field.Corners, space: Space, size: Size | None) -> list[field.Number]:
    if size is None or space == PIXEL:
        return list(corners)
    return list(Box(*corners, space).to(PIXEL, size).corners)


def _all_to_pixels(
    elements: list[dict[str, Any]], space: Space, size: Size | None
) -> list[dict[str, Any]]:
    if size is not None and space != PIXEL:
        for element in elements:
            element["coordinates"] = _to_pixels(element["coordinates"], space, size)
    return elements


def _clean(text: str) -> str:
    """``text`` with lone surrogates replaced, so that it can be written as UTF-8."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
