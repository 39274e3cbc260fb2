"""The packages that are kept on this machine: exact versions, with the digests they must have.

The list (``packages.json``) names packages, not addresses: they come from whatever registry npm
and pip are set up with, and are refused if their bytes are others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

Group: TypeAlias = Literal["sample", "common", "large"]

_SCRIPTS = (".js", ".mjs", ".cjs", ".css", ".wasm", ".glsl")
_DATA = (".json", ".xml", ".topojson", ".geojson", ".pbf", ".bin", ".ktx2", ".glb", ".gltf")
_PICTURES = (".svg", ".png", ".gif", ".jpg", ".jpeg", ".webp", ".ico", ".cur")
_FONTS = (".woff", ".woff2", ".ttf", ".eot", ".otf")
_NUMBERS = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")


class Package(msgspec.Struct, frozen=True):
    """One version of a package.

    Attributes:
        registry: npm or pypi.
        name, version: exact.
        integrity: of its archive, ``sha512-`` and base 64 (npm) or ``sha256-`` and hex (pypi).
        keep: patterns of the files to unpack; empty for all that a browser can use.
        group: ``sample`` for what the bundled sample needs, ``large`` for what is only fetched
            when it is asked for.
    """

    registry: Literal["npm", "pypi"]
    name: str
    version: str
    integrity: str
    keep: tuple[str, ...] = ()
    group: Group = "common"

    def keeps(self, path: str) -> bool:
        """Whether a file of the archive is unpacked."""
        if self.keep:
            wanted = any(fnmatchcase(path, pattern) for pattern in self.keep)
            return wanted and not path.endswith((".map", ".d.ts"))
        return path.lower().endswith((*_SCRIPTS, *_DATA, *_PICTURES, *_FONTS)) or path.startswith(
            ("LICENSE", "README")
        )


@cache
def packages() -> tuple[Package, ...]:
    """All that can be kept."""
    text = files("screenmark.rendering").joinpath("packages.json").read_bytes()
    return tuple(msgspec.json.decode(text, type=list[Package]))


def number(version: str) -> tuple[int, int, int]:
    """Major, minor and patch of a version or the start of one: ``"5.2"`` is (5, 2, 0)."""
    match = _NUMBERS.search(version)
    major, minor, patch = match.groups("0") if match else ("0", "0", "0")
    return int(major), int(minor), int(patch)


def best_version(asked: str, kept: Sequence[str]) -> tuple[str, str]:
    """The version that comes nearest to what a page asks for.

    Args:
        asked: an exact version, a range (``^4``, ``~8.9.*``, ``5.2``), ``latest`` or "".
        kept: the versions at hand, at least one.

    Returns:
        The version, and how it differs from what was asked, "" if it does not: a range is met
        by the newest version in it.
    """
    ordered = sorted(kept, key=number)
    match = _NUMBERS.search(asked)
    if asked in kept:
        return asked, ""
    if match is None:
        return ordered[-1], ""
    wanted = number(asked)
    exact = re.fullmatch(r"v?\d+\.\d+\.\d+\S*", asked) is not None
    if not exact:
        # How much of the number a newer version has to share.
        fixed = 1 if asked.startswith("^") else sum(part is not None for part in match.groups())
        fixed = min(fixed, 2) if asked.startswith("~") else fixed
        inside = [v for v in ordered if number(v)[:fixed] == wanted[:fixed]]
        if inside:
            return inside[-1], ""
    same_major = [v for v in ordered if number(v)[0] == wanted[0]]
    if same_major:
        newer = [v for v in same_major if number(v) >= wanted]
        return (newer or same_major[::-1])[0], "another version"
    nearest = min(ordered, key=lambda v: (abs(number(v)[0] - wanted[0]), -number(v)[0]))
    return nearest, "another major version"
