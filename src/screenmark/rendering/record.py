"""Everything that happened while a page was rendered, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

Lost: TypeAlias = Literal["hung", "crashed", "memory", "time", "browser"]
"""Why a page is gone: no answer, its renderer died, a limit, or the whole browser died."""

Verdict: TypeAlias = Literal["blank", "nearly_blank", "drawn"]

_MOST = 200


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was answered from this machine.

    Attributes:
        url: what the page asked for.
        kind: Playwright's word: script, stylesheet, image, font, fetch, document, …
        source: page (a file beside the page), package, topojson, tile, style, glyphs, empty,
            or network (only where that is allowed).
        package, version, path: what was served, where it is a package's.
        substituted: how it differs from what was asked for; "" if it does not.
    """

    url: str
    kind: str
    source: str
    package: str = ""
    version: str = ""
    path: str = ""
    substituted: str = ""


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the page wanted and did not get.

    Attributes:
        url: what it asked for.
        kind: as in `Served`; also websocket, popup, download, dialog, navigation.
        reason: why it was refused, in words.
        matters: whether the picture is likely to lack something.
    """

    url: str
    kind: str
    reason: str
    matters: bool = False


class ScriptError(msgspec.Struct, frozen=True, kw_only=True):
    """An error that the page's scripts did not catch, or wrote to the console."""

    message: str
    uncaught: bool


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """How the moment of the picture was found.

    Attributes:
        rule: ``ready`` or ``fixed:SECONDS``.
        seconds: from the start of loading to the end of waiting.
        capped: whether the time ran out before the page had settled.
        reasons: what was still going on then; empty if not capped.
    """

    rule: str
    seconds: float
    capped: bool = False
    reasons: tuple[str, ...] = ()


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the pixels say.

    Attributes:
        width, height: in pixels.
        sha256: of the decoded RGB pixels, so that two encodings compare.
        dominant: share of the most frequent colour (four bits a channel), 0 to 1.
        colours: how many such colours there are.
        verdict: ``blank``, ``nearly_blank`` (worth a look: a map without data or far from its
            data looks so, and so does a plain but right one), or ``drawn``.
    """

    width: int
    height: int
    sha256: str
    dominant: float
    colours: int
    verdict: Verdict


class PageRecord(msgspec.Struct, kw_only=True):
    """What happened to one page. Lists hold the first 200 entries and ``left_out`` the rest.

    Attributes:
        page: name of the file, or ``page.html`` for text.
        browser: name and version.
        network, wait: the options in force.
        served, blocked, script_errors: see their classes; tiles are only counted.
        tiles: number of map tiles drawn here, by host.
        integrity_removed: ``integrity`` attributes taken out so that files kept here load.
        readiness: None until `LivePage.ready` has returned.
        picture: None until the first screenshot.
        lost: why the page is gone; "" if it is not.
        dialogs: how many alerts, confirmations and prompts were dismissed.
        seconds: from the start of loading to the last thing done.
        left_out: entries that did not fit, by list.
    """

    page: str
    browser: str = ""
    network: str = "assets"
    wait: str = "ready"
    served: list[Served] = []
    blocked: list[Blocked] = []
    script_errors: list[ScriptError] = []
    tiles: dict[str, int] = {}
    integrity_removed: int = 0
    readiness: Readiness | None = None
    picture: Picture | None = None
    lost: Lost | Literal[""] = ""
    dialogs: int = 0
    seconds: float = 0.0
    left_out: dict[str, int] = {}

    def add(self, entry: Served | Blocked | ScriptError) -> None:
        """Keep an entry in its list, or count it where the list is full."""
        if isinstance(entry, Blocked) and entry.kind == "dialog":
            self.dialogs += 1
        name = _LISTS[type(entry)]
        kept = getattr(self, name)
        if len(kept) < _MOST:
            kept.append(entry)
        else:
            self.left_out[name] = self.left_out.get(name, 0) + 1

    def count_tile(self, host: str) -> None:
        """One more tile that was drawn here instead of by ``host``."""
        self.tiles[host] = self.tiles.get(host, 0) + 1

    @property
    def about_dialogs(self) -> str:
        """How many dialogs the page opened and what the first one said; "" if it opened none."""
        if not self.dialogs:
            return ""
        count = "a dialog," if self.dialogs == 1 else f"{self.dialogs:,} dialogs, such as"
        first = next((entry for entry in self.blocked if entry.kind == "dialog"), None)
        return f"it opened {count}" + (f" {first.reason}: {first.url!r}" if first else "")

    @property
    def warnings(self) -> list[str]:
        """What a person has to know before trusting the picture, the worst first."""
        return list(self._warnings())

    def _warnings(self) -> Iterator[str]:
        if self.lost:
            yield f"the page is lost: {_LOST[self.lost]}"
        if self.dialogs:
            yield f"dialogs are dismissed: {self.about_dialogs}"
        for entry in self.blocked:
            if entry.matters:
                yield f"{entry.kind} not served: {entry.url} ({entry.reason})"
        for error in self.script_errors:
            if error.uncaught:
                yield f"script error: {error.message}"
        if self.picture is not None and self.picture.verdict != "drawn":
            share = f"{self.picture.dominant:.2%} of it is one colour"
            yield f"the picture is {self.picture.verdict.replace('_', ' ')}: {share}"
        if self.readiness is not None and self.readiness.capped:
            yield f"not settled after {self.readiness.seconds:.1f} s: " + ", ".join(
                self.readiness.reasons
            )
        for served in self.served:
            if "major version" in served.substituted:
                yield f"{served.package}: {served.substituted}"
        yield from self._not_kept()

    def _not_kept(self) -> Iterator[str]:
        for name in ("blocked", "script_errors"):
            if name in self.left_out:
                what = name.replace("_", " ")
                yield f"{what}: {self.left_out[name]} entries beyond {_MOST} are only counted"


_LISTS = {Served: "served", Blocked: "blocked", ScriptError: "script_errors"}
_LOST = {
    "hung": "it does not answer (an endless loop?)",
    "crashed": "its renderer crashed",
    "memory": "it took more memory than a page may",
    "time": "it took longer than a page may",
    "browser": "the browser died",
}
