"""Messages as rows ``{"role", "type", "value"}``, the form of MMBench-GUI's own functions."""

from __future__ import annotations

from typing import Any, Literal, cast

from screenmark.types import Image, Message, Part, Text

_ROLES = ("system", "user", "assistant")


class Line(dict[str, Any]):
    """A row of data as custom builders get it: by key, and as attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a line has no {name!r}; it has {', '.join(self)}") from None


def rows_of(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    """One row a part, in order."""
    return [
        {"role": message.role, "type": "image", "value": part.path}
        if isinstance(part, Image)
        else {"role": message.role, "type": "text", "value": part.text}
        for message in messages
        for part in message.parts
    ]


def messages_of(rows: Any) -> tuple[Message, ...]:
    """Rows as messages; rows in a row with one role make one message.

    Raises:
        TypeError, ValueError: it is not a list of rows; the message says which is wrong and how.
    """
    if not isinstance(rows, list) or not rows:
        raise TypeError(f"expected a list of rows with role, type and value, found {_kind(rows)}")
    messages: list[tuple[str, list[Part]]] = []
    for number, row in enumerate(rows):
        role, part = _part(number, row)
        if messages and messages[-1][0] == role:
            messages[-1][1].append(part)
        else:
            messages.append((role, [part]))
    return tuple(
        Message(cast("Literal['system', 'user', 'assistant']", role), tuple(parts))
        for role, parts in messages
    )


def _part(number: int, row: Any) -> tuple[str, Part]:
    if not isinstance(row, dict):
        raise TypeError(f"row {number}: expected an object, found {_kind(row)}")
    role, kind, value = row.get("role", "user"), row.get("type"), row.get("value")
    if role not in _ROLES:
        raise ValueError(f"row {number}: role is {role!r}, expected one of {', '.join(_ROLES)}")
    if kind not in {"text", "image"}:
        raise ValueError(f"row {number}: type is {kind!r}, expected text or image")
    if not isinstance(value, str):
        raise TypeError(f"row {number}: value is {_kind(value)}, expected a text or a path")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"row {number}: value holds half a character, {value[:40]!a}") from None
    return role, Image(value.removeprefix("file://")) if kind == "image" else Text(value)


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
