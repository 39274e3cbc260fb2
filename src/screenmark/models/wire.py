"""Numbers as HTTP and providers' JSON spell them, taken with care."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from screenmark.jsonfile import loads_leniently

_MOST_WAIT = 86_400.0
_MOST_TOKENS = 1 << 40
"""Sums over millions of replies still fit into 64 bits."""


def response_json(data: bytes) -> Any:
    """A response's JSON; half an escaped character and NaN, which are none, are mended.

    Raises:
        orjson.JSONDecodeError: it is not JSON.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        if b"\\u" not in data and b"NaN" not in data and b"Infinity" not in data:
            raise
        with suppress(ValueError):
            return loads_leniently(data.decode("utf-8"))
        raise


def call_text(name: Any, arguments: Any) -> str:
    """The call of a tool as the text of a reply: ``{"name": …, "arguments": …}``.

    Args:
        arguments: an object, or JSON text of one, which is taken out of its quotes.
    """
    given = arguments
    if isinstance(arguments, str):
        # The model's own JSON may be broken: as a text, then.
        with suppress(ValueError):
            given = response_json(arguments.encode("utf-8", "replace"))
    name = name if isinstance(name, str) else ""
    try:
        return orjson.dumps({"name": name, "arguments": given}).decode("utf-8")
    except TypeError:  # too deep, or a number too long
        given = arguments if isinstance(arguments, str) else None
        return orjson.dumps({"name": name, "arguments": given}).decode("utf-8")


def retry_after(value: str | None, date: str | None = None) -> float | None:
    """Seconds to wait, a day at most, from a ``Retry-After`` in seconds or as an HTTP date.

    Args:
        date: the response's ``Date``. The wait is counted from there, by the server's own clock:
            ours may be wrong, or jump.
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        until = _http_date(value)
        if until is None:
            return None
        seconds = (until - (_http_date(date or "") or datetime.now(UTC))).total_seconds()
    return min(max(0.0, seconds), _MOST_WAIT) if seconds == seconds else None


def _http_date(value: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


def token_count(value: Any) -> int:
    """A count of tokens as a server says it; 0 if it says no such thing."""
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return min(max(0, value), _MOST_TOKENS)
