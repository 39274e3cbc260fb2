"""The folders of outputs: ``BASE/<model>/<task_no>.<ext>``.

What a model left out, left empty or left twice is its own fault and is found here, before anybody
looks at it. Names are compared as people read them: without regard to case, and with letters
composed (a Korean name from a Mac comes in parts).
"""

from __future__ import annotations

import errno
import hashlib
import re
import stat
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from screenmark.benchmarks.map_judging.beside import files_beside
from screenmark.benchmarks.map_judging.samples import FileType, Output
from screenmark.errors import DataError, UsageError

FILE_TYPES: dict[str, FileType] = {
    ".html": "html_screenshot",
    ".htm": "html_screenshot",
    ".png": "png",
    ".jpg": "jpg",
    ".jpeg": "jpg",
}
_NAME = re.compile(r"0*(\d{1,9})(\.(?:html?|png|jpe?g))", re.IGNORECASE)
_MOST_OF_PAGE = 64 << 20
"""Bytes of a page; a renderer takes no more."""

_NOTHING = hashlib.sha256(b"").hexdigest()


class ModelFolder(NamedTuple):
    """One model's outputs: the files of each task's number, and names that are no outputs."""

    model: str
    path: Path
    files: dict[int, list[Path]]
    others: list[str]


_OPENS = re.compile(rb"<(/?)(script|style)\b", re.IGNORECASE)


class Found(NamedTuple):
    """An output, a hash of what is in it, and why it cannot be read though it is there."""

    output: Output
    content: str
    problem: str | None = None


def composed(name: str) -> str:
    """A name with its letters composed, as people read it."""
    return unicodedata.normalize("NFC", name)


def model_folders(base: Path, wanted: Sequence[str]) -> tuple[list[ModelFolder], list[str]]:
    """The folders of the models, in the order of ``wanted`` or of their names; and warnings.

    Without ``wanted`` they are those that hold an output. Outputs that lie in ``base`` itself are
    those of one model of its name.

    Raises:
        DataError: there is no such folder, or no output in any.
        UsageError: a wanted model has no folder.
    """
    try:
        folders = sorted((p for p in base.iterdir() if p.is_dir()), key=lambda p: composed(p.name))
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=base) from None
    folders = [folder for folder in folders if not folder.name.startswith(".")]
    if not wanted:
        return _all_with_outputs(base, folders)
    by_name = {_key(folder.name): folder for folder in folders}
    chosen = []
    names = _split(wanted, by_name)
    if not names:
        raise UsageError("--models: no model is named")
    for name in names:
        folder = by_name.get(_key(name))
        if folder is None:
            there = ", ".join(composed(f.name) for f in folders[:10]) or "none"
            raise UsageError(f"--models {name}: no such folder in {base}; there are: {there}")
        chosen.append(_read(folder))
    return chosen, []


def _all_with_outputs(base: Path, folders: list[Path]) -> tuple[list[ModelFolder], list[str]]:
    models = [_read(folder) for folder in folders]
    filled = [model for model in models if model.files]
    own = _read(base)
    if not filled and own.files:
        return [own], []
    if not filled:
        raise DataError(
            "no outputs: expected folders of models with files like 1.html, 2.png in them",
            file=base,
        )
    empty = [model.model for model in models if not model.files]
    warnings = [f"{base}: no outputs in {', '.join(empty)}; name them with --models to judge that"]
    if own.files:
        lost = sum(map(len, own.files.values()))
        return filled, [*warnings[: len(empty)], f"{base}: {lost} outputs lie outside of any model"]
    return filled, warnings if empty else []


def _key(name: str) -> str:
    return composed(name).casefold()


def _split(wanted: Iterable[str], known: dict[str, Path]) -> list[str]:
    """Names as given, or several in one with commas between them."""
    names = []
    for text in wanted:
        parts = [text] if _key(text) in known else [part.strip() for part in text.split(",")]
        names += [part for part in parts if part]
    return list(dict.fromkeys(names))


def _read(folder: Path) -> ModelFolder:
    files: dict[int, list[Path]] = {}
    others = []
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=folder) from None
    for path in entries:
        found = _NAME.fullmatch(composed(path.name))
        if found is not None:
            files.setdefault(int(found[1]), []).append(path)
        elif not path.name.startswith(".") and path.is_file():
            others.append(composed(path.name))
    return ModelFolder(composed(folder.name or folder.resolve().name), folder, files, others)


def find_output(folder: ModelFolder, number: int) -> Found:
    """The output of one task, or what is the matter with it."""
    paths = folder.files.get(number, [])
    if not paths:
        return _faulty(folder, "missing: there is no output for this task")
    if len(paths) > 1:
        names = ", ".join(path.name for path in paths)
        return _faulty(folder, f"several outputs for one task: {names}", _hash_of(names.encode()))
    (path,) = paths
    kind = FILE_TYPES[path.suffix.lower()]
    output = Output(model=folder.model, path=str(path), file_type=kind)
    try:
        fault = _no_file(path)
        if fault is not None:
            return _faulty(folder, fault, path=path)
        data = path.read_bytes()
    except OSError as error:
        if path.is_symlink() and error.errno in {errno.ENOENT, errno.ELOOP}:
            return _faulty(folder, f"{path.name} is a link to nothing", path=path)
        return Found(output, "", f"{path}: cannot be read ({error.strerror})")
    content = _hash_of(data)
    if not data.strip():
        return _faulty(folder, f"{path.name} is empty", content, path)
    if kind == "html_screenshot":
        seen = msgspec.structs.replace(output, remarks=_remarks(data))
        return Found(seen, _hash_with(content, files_beside(path, data)))
    fault = _broken_image(path)
    if fault is not None:
        return _faulty(folder, fault, content, path)
    return Found(output, content)


def _hash_with(content: str, files: Iterable[tuple[str, bytes]]) -> str:
    """The hash of a page and of what it shows besides; the page's own where there is nothing."""
    parts = [f"{name} {_hash_of(data)}" for name, data in files]
    return _hash_of("\n".join([content, *parts]).encode()) if parts else content


def _remarks(page: bytes) -> tuple[str, ...]:
    part = cut_off(page)
    return (f"the page ends in the middle of a {part}: it seems to be cut off",) if part else ()


def _no_file(path: Path) -> str | None:
    """Why there is nothing to read; OSError if that cannot be told."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        return f"{path.name} is a folder"
    if not stat.S_ISREG(found.st_mode):
        # A pipe or a device may never end.
        return f"{path.name} is not a regular file"
    is_page = FILE_TYPES[path.suffix.lower()] == "html_screenshot"
    if is_page and found.st_size > _MOST_OF_PAGE:
        return f"{path.name} has {found.st_size >> 20} MiB; expected at most {_MOST_OF_PAGE >> 20}"
    return None


def links_out(folder: ModelFolder, base: Path) -> list[str]:
    """Names of outputs that are links to files outside of ``base``."""
    whole = base.resolve()
    paths = (path for paths in folder.files.values() for path in paths if path.is_symlink())
    return [path.name for path in paths if not _real(path).is_relative_to(whole)]


def said_of_links(outputs: Iterable[Output], base: Path) -> list[str]:
    """What a person has to know of outputs that lie elsewhere before they are shown to a judge."""
    whole = base.resolve()
    paths = dict.fromkeys(output.path for output in outputs if output.path)
    outside = [path for path in paths if not _real(Path(path)).is_relative_to(whole)]
    if not outside:
        return []
    what = "1 output is a link" if len(outside) == 1 else f"{len(outside)} outputs are links"
    verb = "leads" if len(outside) == 1 else "lead"
    return [f"{what} that {verb} out of {base}, such as {outside[0]}; a judge is shown the target."]


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop
        return path.absolute()


def as_it_is_called(path: Path) -> Path:
    """A path that there is, though its letters may be composed otherwise; else as given."""
    if path.exists() or path == path.parent:
        return path
    parent = as_it_is_called(path.parent)
    try:
        there = [child for child in parent.iterdir() if composed(child.name) == composed(path.name)]
    except OSError:
        return path
    return there[0] if len(there) == 1 else path


def _faulty(
    folder: ModelFolder, fault: str, content: str = _NOTHING, path: Path | None = None
) -> Found:
    kind = None if path is None else FILE_TYPES[path.suffix.lower()]
    place = "" if path is None else str(path)
    return Found(Output(model=folder.model, path=place, file_type=kind, fault=fault), content)


def cut_off(page: bytes) -> str:
    """What a page ends in the middle of, if it does: ``script`` or ``style``; else empty.

    A browser never runs such a script.
    """
    inside = ""
    for found in _OPENS.finditer(page):
        closes, name = bool(found[1]), found[2].decode("ascii").lower()
        if not inside and not closes:
            inside = name
        elif closes and name == inside:
            inside = ""
    return inside


def _broken_image(path: Path) -> str | None:
    """Why a file is no image that can be seen; it is decoded to its end to know."""
    from screenmark.errors import ImageError
    from screenmark.images import open_rgb

    try:
        open_rgb(path)
    except ImageError as error:
        why = str(error).removeprefix(str(path)).lstrip(": ")
        return f"{path.name} cannot be read as an image: {why}"
    return None


def _hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
