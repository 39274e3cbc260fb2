"""What adapters of services over HTTP share: a session, and a key that never comes back."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from screenmark.errors import ModelError, RejectedError
from screenmark.models.base import AsyncAdapter
from screenmark.models.redaction import Redactor
from screenmark.types import Reply, Request

if TYPE_CHECKING:
    import aiohttp


class WithheldError(RejectedError):
    """A filter of the service kept the answer back; an adapter makes a reply of it."""


class HostedAdapter(AsyncAdapter):
    """An adapter that asks a service with a key.

    Implement ``ask``; whatever it returns or raises leaves without the key in it.
    """

    def __init__(self, key: str | None) -> None:
        self._key = key
        self._redactor = Redactor(key)
        self._session: aiohttp.ClientSession | None = None

    @abstractmethod
    async def ask(self, request: Request) -> Reply:
        """Answer a request; raise a `ModelError` or an `ImageError` if that cannot be done."""

    async def generate(self, request: Request) -> Reply:
        try:
            reply = await self.ask(request)
        except ModelError as error:
            error.args = (self._redactor.message(str(error)),)
            raise
        return self._redactor.reply(reply)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None
