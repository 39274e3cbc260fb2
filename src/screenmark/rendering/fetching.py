"""Fills the asset folder from the package registries that npm and pip are set up with."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from screenmark.errors import DownloadError
from screenmark.jsonfile import read_text
from screenmark.rendering.assets import AssetStore
from screenmark.rendering.basemap import is_prepared, prepare
from screenmark.rendering.packages import Package

_AT_ONCE = 12
_SECONDS = 600
_DAY = 86_400
_PARTS = ("*.part", "*/*.part", "*/@*/*.part")
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error)
_MOST_BYTES = 256 << 20
_ARCS = re.compile(r'"dist/topojson/([\w-]+\.json)"\(exports, module\) \{\s*module\.exports = ')
_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|\d[\w.+-]*|[A-Za-z_$][\w$]*')

Told = Callable[[str], None]
"""Is told, line by line, what is being done."""


def fetch(store: AssetStore, wanted: Sequence[Package], tell: Told) -> list[Package]:
    """Fetch packages that are not in the folder yet, and make from them what has to be made.

    Returns:
        Those that were fetched.

    Raises:
        DownloadError: npm or pip is missing or failed, a package is not what its digest says, or
            the folder cannot be written.
    """
    _make_room(store.folder)
    missing = [package for package in wanted if not store.place(package).is_dir()]
    for registry, get in (("npm", _npm), ("pypi", _pip)):
        of_registry = [package for package in missing if package.registry == registry]
        for start in range(0, len(of_registry), _AT_ONCE):
            batch = of_registry[start : start + _AT_ONCE]
            tell(f"{registry}: {', '.join(f'{p.name} {p.version}' for p in batch)}")
            with tempfile.TemporaryDirectory(prefix="screenmark-assets-") as folder:
                archives = get(batch, Path(folder))
                for package in batch:
                    _check(package, archives[package])
                    with _named(f"{package.name} {package.version}"):
                        _unpack(package, archives[package], store.place(package))
    with _named(str(store.folder)):
        make_derived(store, tell)
    return missing


def _make_room(folder: Path) -> None:
    """See to it that files can be written, before much is downloaded for nothing."""
    with _named(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        for left in (part for pattern in _PARTS for part in folder.glob(pattern)):
            # Of a fetch that was killed; a living one is done with a package within a day.
            if time.time() - left.stat().st_mtime > _DAY:
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _named(what: str) -> Iterator[None]:
    try:
        yield
    except (*_BROKEN, EOFError) as error:
        raise DownloadError(f"{what}: the archive cannot be read ({error})") from None
    except OSError as error:
        raise DownloadError(f"{what}: cannot be written ({error.strerror})") from None


def make_derived(store: AssetStore, tell: Told) -> None:
    """The base map and Plotly's shapes, made from packages if those are here."""
    places = {package.name: store.place(package) for package in _sources(store)}
    if {"world-atlas", "city-timezones"} <= set(places) and not is_prepared(store.basemap):
        tell("drawing the base map (about ten seconds, once)")
        prepare(places["world-atlas"], places["city-timezones"], store.basemap)
    if "plotly.js" in places and not store.topojson.is_dir():
        shapes = _plotly_shapes(places["plotly.js"] / "dist" / "plotly-geo-assets.js")
        with _new_folder(store.topojson) as folder:
            for name, text in shapes:
                (folder / name).write_text(text, encoding="utf-8")


def _sources(store: AssetStore) -> list[Package]:
    from screenmark.rendering.packages import packages

    names = {"world-atlas", "city-timezones", "plotly.js"}
    return [p for p in packages() if p.name in names and store.place(p).is_dir()]


def _npm(batch: Sequence[Package], folder: Path) -> dict[Package, Path]:
    npm = shutil.which("npm")
    if npm is None:
        raise DownloadError("npm is needed to fetch assets (Debian: apt-get install npm)")
    specs = [f"{package.name}@{package.version}" for package in batch]
    _run([npm, "pack", "--ignore-scripts", "--silent", *specs], folder)
    return {p: folder / f"{_flat(p.name)}-{p.version}.tgz" for p in batch}


def _flat(name: str) -> str:
    return name.removeprefix("@").replace("/", "-")


def _pip(batch: Sequence[Package], folder: Path) -> dict[Package, Path]:
    lines = [
        f"{package.name}=={package.version} --hash=sha256:{package.integrity.partition('-')[2]}"
        for package in batch
    ]
    wanted = folder / "wanted.txt"
    wanted.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--require-hashes", "--requirement", str(wanted)]
    _run(command, folder)
    found = {}
    for package in batch:
        pattern = f"{re.sub('[-_.]+', '_', package.name)}-{package.version}-*.whl"
        found[package] = next(folder.glob(pattern), folder / pattern)
    return found


def _run(command: list[str], folder: Path) -> None:
    """A registry's client in a folder of its own, so that no project's settings reach it."""
    try:
        done = subprocess.run(  # noqa: S603 - names and versions are those of our own list
            command, cwd=folder, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadError(f"{Path(command[0]).name}: {error}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise DownloadError(f"{Path(command[0]).name} failed: {' '.join(said[:3])[:500]}")


def _check(package: Package, archive: Path) -> None:
    name = f"{package.name} {package.version}"
    if not archive.is_file():
        raise DownloadError(f"{name}: no archive came")
    kind, _, promised = package.integrity.partition("-")
    digest = hashlib.new(kind, archive.read_bytes())
    found = digest.hexdigest() if kind == "sha256" else base64.b64encode(digest.digest()).decode()
    if found != promised:
        raise DownloadError(f"{name}: the archive's {kind} is {found}; expected {promised}")


def _unpack(package: Package, archive: Path, place: Path) -> None:
    files = _tar_files(archive) if archive.suffix == ".tgz" else _zip_files(archive)
    total = 0
    with _new_folder(place) as folder:
        for path, read in files:
            if not package.keeps(path) and path != "package.json":
                continue
            target = (folder / path).resolve()
            if not target.is_relative_to(folder.resolve()):
                raise DownloadError(f"{package.name}: {path} leads out of the package")
            data = read()
            total += len(data)
            if total > _MOST_BYTES:
                raise DownloadError(f"{package.name}: more than {_MOST_BYTES >> 20} MiB")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _tar_files(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            # The first folder is "package" by custom only.
            _, _, path = member.name.partition("/")
            if member.isfile() and path:
                file = tar.extractfile(member)
                yield path, file.read if file else bytes


def _zip_files(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    with zipfile.ZipFile(archive) as wheel:
        for info in wheel.infolist():
            if not info.is_dir():
                yield info.filename, lambda name=info.filename: wheel.read(name)  # type: ignore[misc]


@contextmanager
def _new_folder(place: Path) -> Iterator[Path]:
    """A folder that appears with all its files or not at all."""
    partial = place.with_name(f"{place.name}.{os.getpid()}.part")
    try:
        partial.mkdir(parents=True)
        yield partial
        if not place.exists():
            partial.rename(place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _plotly_shapes(script: Path) -> Iterator[tuple[str, str]]:
    """The shapes that plotly.js bundles, as JSON: its literals are JSON but for their keys."""
    text = read_text(script)
    for match in _ARCS.finditer(text):
        end = text.index("\n", match.end())
        literal = text[match.end() : end].strip().removesuffix(";")
        quoted = _WORDS.sub(lambda word: _quoted(word[0]), literal)
        yield match[1], json.dumps(json.loads(quoted), separators=(",", ":"))


def _quoted(word: str) -> str:
    as_it_is = word[0] in '"0123456789' or word in {"true", "false", "null"}
    return word if as_it_is else f'"{word}"'
