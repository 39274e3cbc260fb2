"""HTTP for vendors' SDKs that come with httpx: no more of a response is read than fits a reply."""

from __future__ import annotations

import httpx2

from screenmark.errors import RejectedError
from screenmark.models.bounded_response import MOST_BYTES, MOST_OF_AN_ERROR

_DECODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """httpx's transport, for ``AsyncClient(transport=…)``; responses arrive whole and decoded.

    Raises:
        RejectedError: a good response is larger than `MOST_BYTES`; of a bad one the rest is
            left out.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        try:
            data = await _bounded(response)
        finally:
            await response.aclose()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in _DECODED
        ]
        return httpx2.Response(
            response.status_code, headers=headers, content=data, extensions=response.extensions
        )


async def _bounded(response: httpx2.Response) -> bytes:
    good = response.status_code == 200
    most = MOST_BYTES if good else MOST_OF_AN_ERROR
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > most:
            if good:
                raise RejectedError(f"the reply is larger than {most // (1024 * 1024)} MB")
            break
    return b"".join(pieces)[:most]
