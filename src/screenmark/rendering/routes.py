"""The route table: who answers what a page asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import msgspec

from screenmark.rendering.record import Blocked, Served
from screenmark.rendering.site import ORIGIN, Site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from screenmark.rendering.options import Network

MATTERING = frozenset({"script", "document", "stylesheet", "image", "fetch", "xhr", "font"})
"""Kinds of requests without which a picture lacks something."""


class Asked(msgspec.Struct, frozen=True):
    """A request of a page.

    Attributes:
        url: absolute, http or https.
        kind: Playwright's word for what it is for.
        method: GET, POST, …
        main: whether it would put another document in the page's place.
    """

    url: str
    kind: str
    method: str = "GET"
    main: bool = False


class Answer(msgspec.Struct, frozen=True):
    """What a page gets; ``served`` is None for the page itself and for tiles."""

    body: bytes
    content_type: str
    served: Served | None = None
    tile_of: str = ""
    status: int = 200


class Source(Protocol):
    """Something that may know the answer to a request."""

    async def answer(self, asked: Asked) -> Answer | Blocked | None:
        """The answer, a refusal, or None where others are to be asked."""
        ...


class Routes:
    """The page's own files, then the sources in order; what nobody knows is refused."""

    def __init__(self, site: Site, sources: Sequence[Source], network: Network) -> None:
        self._site = site
        self._sources = sources
        self._network = network

    async def answer(self, asked: Asked) -> Answer | Blocked:
        """Exactly one answer or refusal for each request."""
        if asked.url == ORIGIN or asked.url.startswith(f"{ORIGIN}/"):
            return self._own(asked)
        if asked.main:
            return refusal(asked, "the page would leave for another one", kind="navigation")
        for source in self._sources:
            if (answer := await source.answer(asked)) is not None:
                return answer
        if self._network == "block":
            return refusal(asked, "the network is blocked")
        return refusal(asked, "nothing on this machine stands for it")

    def _own(self, asked: Asked) -> Answer | Blocked:
        found = self._site.get(asked.url)
        if found is None:
            if urlsplit(asked.url).path == "/favicon.ico":
                return Answer(b"", "text/plain", status=404)
            return refusal(asked, "no such file beside the page")
        if asked.main and asked.url.split("?")[0].split("#")[0] != self._site.url:
            return refusal(asked, "the page would leave for another one", kind="navigation")
        body, content_type = found
        served = Served(url=asked.url, kind=asked.kind, source="page")
        return Answer(body, content_type, None if asked.main else served)


def refusal(asked: Asked, reason: str, *, kind: str = "") -> Blocked:
    """A refusal, which matters if the request is one for something that can be seen."""
    matters = asked.kind in MATTERING
    return Blocked(url=asked.url[:500], kind=kind or asked.kind, reason=reason, matters=matters)
