"""How pages are rendered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from screenmark.errors import UsageError
from screenmark.options import option

Network: TypeAlias = Literal["assets", "allow", "block"]

VIEWPORT = (1280, 800)
"""Width and height of a page in pixels, device scale 1."""

_WAIT = re.compile(r"ready|fixed:(?P<seconds>\d{1,3}(?:\.\d+)?)")


class RenderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are rendered; the defaults give the same picture on every machine."""

    wait: Annotated[
        str,
        option(
            "When the picture is taken: ready (the page has settled), or fixed:SECONDS after "
            "its load event.",
            changes_answers=True,
            metavar="RULE",
        ),
    ] = "ready"
    network: Annotated[
        Network,
        option(
            "What a page gets: assets, libraries and base maps kept on this machine; allow, "
            "the public network for what is not kept; block, nothing.",
            changes_answers=True,
        ),
    ] = "assets"
    assets: Annotated[
        Path | None,
        option("Folder filled by `screenmark assets fetch`; else SCREENMARK_ASSETS or a cache."),
    ] = None
    browser: Annotated[
        Path | None,
        option("Path of Chromium; else SCREENMARK_CHROMIUM, else the one of the system."),
    ] = None
    pages: Annotated[int, option("Pages open at a time.", minimum=1, maximum=16)] = 2
    width: int = VIEWPORT[0]
    height: int = VIEWPORT[1]
    settle_s: float = 15.0
    """Seconds after which a page that has not settled is photographed as it is."""
    call_s: float = 10.0
    """Seconds that one call into a page may take."""
    page_s: float = 60.0
    """Seconds after which a page is ended, whatever it does."""
    memory_mb: int = 1536
    """Memory of a page's browser, in MiB, above which it is ended."""
    restart_every: int = 40
    """Pages after which a browser is replaced by a fresh one."""
    locale: str = "en-US"
    timezone: str = "UTC"

    def __post_init__(self) -> None:
        self.fixed_wait  # noqa: B018 - raises where the rule cannot be read

    @property
    def fixed_wait(self) -> float | None:
        """Seconds to wait after the load event, or None where the page is watched.

        Raises:
            UsageError: the rule is neither ``ready`` nor ``fixed:SECONDS``.
        """
        match = _WAIT.fullmatch(self.wait)
        if match is None:
            raise UsageError(f"--wait {self.wait}: expected ready or fixed:SECONDS, as fixed:3")
        return float(match["seconds"]) if match["seconds"] else None
