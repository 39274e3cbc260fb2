"""A JSON body with images in it, sent in pieces that are never put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import aiohttp
from aiohttp.abc import AbstractStreamWriter

_ONE_WRITE: Final = 1 << 20
"""Bytes handed over at a time, so that a slow connection holds back the rest."""


class RequestBody(aiohttp.Payload):
    """Bytes that follow each other; a screenshot's are copied nowhere on their way out.

    Args:
        pieces: the body is all of them, one behind the other.
    """

    _autoclose = True  # nothing is open

    def __init__(self, pieces: Sequence[bytes]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._pieces = pieces

    @property
    def size(self) -> int:
        """Number of bytes."""
        return sum(map(len, self._pieces))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return b"".join(self._pieces).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        for piece in self._pieces:
            view = memoryview(piece)
            for start in range(0, len(view), _ONE_WRITE):
                await writer.write(view[start : start + _ONE_WRITE])
