"""The page and the files beside it, as a web site that exists nowhere.

A page opened as ``file://`` has an opaque origin, on which module workers never come up; one
served from a socket could be reached by others. So its address is answered by the route table.
"""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

ORIGIN = "http://screenmark.localhost"
"""A secure context, as every name below localhost, and plain http, so that tiles over http are
no mixed content."""

_MOST_BYTES = 64 << 20
_INTEGRITY = re.compile(
    # Takes time linear in a page's length: what was matched is not given back.
    rb"""(<(?:script|link)\b(?:[^<>\s]++|\s++(?!integrity\s*=))*+)"""
    rb"""\s++integrity\s*=\s*("[^"]*"|'[^']*')""",
    re.I,
)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset", re.I)
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".geojson": "application/geo+json",
    ".topojson": "application/json",
    ".wasm": "application/wasm",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".pbf": "application/x-protobuf",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".csv": "text/csv",
    ".glb": "model/gltf-binary",
}


def content_type(name: str) -> str:
    """MIME type of a file by its name, the same on every machine for what maps use."""
    known = _TYPES.get(Path(name).suffix.lower())
    return known or mimetypes.guess_type(name)[0] or "application/octet-stream"


class Site:
    """What ``http://screenmark.localhost/`` holds while one page is open.

    Args:
        page: path of an HTML file, or the HTML itself. Text that holds a ``<`` is HTML.

    Raises:
        DataError: there is no such file, or it is too large.
    """

    def __init__(self, page: str | Path) -> None:
        if isinstance(page, str) and "<" in page:
            self.name = "page.html"
            self._folder: Path | None = None
            body = page.encode()
        else:
            path = Path(page)
            body = read_bytes(path)
            self.name = path.name
            self._folder = path.resolve().parent
        if len(body) > _MOST_BYTES:
            raise DataError(f"a page of {len(body) >> 20} MiB; expected at most 64", file=self.name)
        self._body, self.integrity_removed = _INTEGRITY.subn(rb"\1", body)

    @property
    def url(self) -> str:
        return f"{ORIGIN}/{quote(self.name)}"

    def get(self, url: str) -> tuple[bytes, str] | None:
        """Body and content type of an address of this site; None if it holds no such file.

        Only files inside the page's folder are served, wherever links in it lead, and none
        whose name starts with a dot.
        """
        path = unquote(urlsplit(url).path).lstrip("/")
        if path == self.name:
            return self._body, "text/html" + self._charset()
        if self._folder is None or not path or "\0" in path:
            return None
        if any(part.startswith(".") for part in path.split("/")):
            return None
        try:
            file = (self._folder / path).resolve()
            if not file.is_relative_to(self._folder) or not file.is_file():
                return None
            if file.stat().st_size > _MOST_BYTES:
                return None
            return file.read_bytes(), content_type(file.name)
        except OSError:
            return None

    def _charset(self) -> str:
        """What a browser cannot find out itself: UTF-8 that is declared nowhere."""
        if _META_CHARSET.search(self._body[:4096]):
            return ""
        try:
            self._body.decode("utf-8")
        except UnicodeDecodeError:
            return ""
        return "; charset=utf-8"
