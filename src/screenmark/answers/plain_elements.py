"""The reply that was asked for, to the letter, read without a detour.

Most replies of a good model are exactly the JSON array of the prompt. Typed decoding reads
those many times faster than the tolerant reader does, and gives the same elements; whatever
differs in the least is left to that reader.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from screenmark.answers.fields import LARGEST

_FIELDS: Final = ('"type"', '"index"', '"description"', '"coordinates"')


class _Element(msgspec.Struct, forbid_unknown_fields=True):
    type: str
    index: int
    description: str
    coordinates: tuple[int | float, int | float, int | float, int | float]


_decoder = msgspec.json.Decoder(list[_Element])


def read_plain_elements(text: str) -> list[dict[str, Any]] | None:
    """The elements in the space of the reply, or None if the reply is not in the plain form.

    Plain is one strict JSON array of objects with exactly the four fields, each box with
    ``x1 < x2`` and ``y1 < y2``.
    """
    try:
        read = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    # A key twice in one object is not plain, and decoding alone would not see it.
    if any(text.count(name) != len(read) for name in _FIELDS):
        return None
    elements = []
    for element in read:
        x1, y1, x2, y2 = element.coordinates
        if not (-LARGEST <= x1 < x2 <= LARGEST and -LARGEST <= y1 < y2 <= LARGEST):
            return None
        if abs(element.index) > LARGEST:
            return None
        elements.append(
            {
                "type": element.type,
                "index": element.index,
                "description": element.description,
                "coordinates": [x1, y1, x2, y2],
            }
        )
    return elements
