"""A response of which no more is read than a reply can reasonably be."""

from __future__ import annotations

from typing import Final

import aiohttp

from screenmark.errors import RejectedError

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of a reply, after decompression."""

MOST_OF_AN_ERROR: Final = 1024 * 1024
"""The rest of a longer error is not read: nobody would see it."""


class BoundedResponse(aiohttp.ClientResponse):
    """aiohttp's response, for ``ClientSession(response_class=…)``."""

    async def read(self) -> bytes:
        """The body.

        Raises:
            RejectedError: it is larger than `MOST_BYTES`, and the status is 200.
        """
        if self._body is None:
            try:
                self._body = await self._bounded()
            except BaseException:
                self.close()
                raise
        return self._body

    async def _bounded(self) -> bytes:
        good = self.status == 200
        most = MOST_BYTES if good else MOST_OF_AN_ERROR
        pieces, size = [], 0
        while piece := await self.content.readany():
            pieces.append(piece)
            size += len(piece)
            if size <= most:
                continue
            if good:
                limit = most // (1024 * 1024)
                raise RejectedError(f"the reply is larger than {limit} MB", status=self.status)
            self.close()
            # Whole characters, for those who read it as strict UTF-8.
            return b"".join(pieces)[:most].decode("utf-8", "ignore").encode("utf-8")
        return b"".join(pieces)
