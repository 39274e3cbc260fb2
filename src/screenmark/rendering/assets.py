"""The folder with libraries and base maps: what is in it, and where a file of a package lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from screenmark.downloads.places import data_root
from screenmark.jsonfile import read_json
from screenmark.rendering.basemap import FORMAT
from screenmark.rendering.packages import Package, best_version, packages

VARIABLE = "SCREENMARK_ASSETS"
"""Environment variable with the path of the folder."""


class Found(msgspec.Struct, frozen=True):
    """A file of a package.

    Attributes:
        file: where it lies.
        version: of the package.
        path: inside the package.
        substituted: how it differs from what was asked for; "" if it does not.
    """

    file: Path
    version: str
    path: str
    substituted: str = ""


def asset_folder(given: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder given, the one of ``SCREENMARK_ASSETS``, or one among the user's caches."""
    if given is not None:
        return given.expanduser()
    if own := environment.get(VARIABLE):
        return Path(own).expanduser()
    return data_root(environment).parent / "assets"


class AssetStore:
    """Packages unpacked below a folder.

    Args:
        folder: as given by `asset_folder`; need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def basemap(self) -> Path:
        """Folder of the prepared base map."""
        return self.folder / f"basemap-{FORMAT}"

    @property
    def topojson(self) -> Path:
        """Folder of the shapes that Plotly asks for."""
        return self.folder / "plotly-topojson"

    def place(self, package: Package) -> Path:
        """Folder of an unpacked package; it is there as a whole or not at all."""
        return self.folder / package.registry / f"{package.name}@{package.version}"

    def missing(self) -> list[Package]:
        """What is on the list and not in the folder."""
        return [package for package in packages() if not self.place(package).is_dir()]

    @cached_property
    def _kept(self) -> dict[str, dict[str, Package]]:
        kept: dict[str, dict[str, Package]] = {}
        for package in packages():
            if self.place(package).is_dir():
                kept.setdefault(package.name, {})[package.version] = package
        return kept

    def knows(self, name: str) -> bool:
        """Whether some version of a package is on the list, fetched or not."""
        return any(package.name == name for package in packages())

    def find(self, name: str, version: str, path: str) -> Found | None:
        """A file of a package, of the version that comes nearest.

        Args:
            name: of the package.
            version: as a page asks for it; see `best_version`.
            path: inside the package; "" for its main file.
        """
        kept = self._kept.get(name)
        if not kept:
            return None
        chosen, substituted = best_version(version, list(kept))
        # A file that moved between versions may still lie elsewhere in another one.
        order = [chosen, *sorted((v for v in kept if v != chosen), reverse=True)]
        for candidate in order:
            folder = self.place(kept[candidate])
            inside = path or _main_file(folder)
            file = _locate(folder, inside)
            if file is None:
                continue
            found = file.relative_to(folder).as_posix()
            notes = [substituted] if candidate == chosen else ["another version"]
            if notes == ["another version"] or notes == ["another major version"]:
                notes = [f"{candidate} for {version}, {notes[0]}"]
            if Path(found).name != Path(inside).name:
                notes.append(f"{found} for {inside}")
            return Found(file, candidate, found, ", ".join(note for note in notes if note))
        return None


def _locate(folder: Path, path: str) -> Path | None:
    """A file of a package by the path that a CDN uses, which may differ a little."""
    name = path.rsplit("/", 1)[-1]
    plain = name.replace(".min.", ".").replace("-min.", ".")
    stem, _, suffix = plain.rpartition(".")
    minified = f"{stem}.min.{suffix}"
    parent = path[: -len(name)]
    for candidate in (
        path,
        f"{parent}{plain}",
        f"{parent}{minified}",
        f"dist/{path}",  # cdnjs leaves out the folder that npm has
        *(f"{root}{each}" for root in ("dist/", "", "build/") for each in (name, plain, minified)),
    ):
        file = (folder / candidate).resolve()
        if file.is_file() and file.is_relative_to(folder.resolve()):
            return folder / candidate
    lower = {path.lower(), f"dist/{name}".lower()}
    for file in folder.rglob("*"):
        if file.relative_to(folder).as_posix().lower() in lower and file.is_file():
            return file
    return None


def _main_file(folder: Path) -> str:
    manifest = folder / "package.json"
    fields = read_json(manifest) if manifest.is_file() else {}
    for name in ("jsdelivr", "unpkg", "browser", "main"):
        if isinstance(fields.get(name), str):
            return str(fields[name]).removeprefix("./")
    return "index.js"
