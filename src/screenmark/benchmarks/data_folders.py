"""Where a benchmark's annotation and images are: named, in a data folder, or bundled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from screenmark.benchmarks.base import DataOptions
from screenmark.errors import DataError, UsageError
from screenmark.options import option

IMAGE_FOLDERS = ("offline_images", "images")
"""Folders beside an annotation that image paths may be relative to."""


class Place(NamedTuple):
    """Where the files of a data set are.

    Attributes:
        annotations: the files, in order.
        image_dir: the folder that image paths are relative to, or several of them in the order
            in which they are tried; None to look for it.
        beside: the likely one, if no image path leads to a file as it stands.
    """

    annotations: list[Path]
    image_dir: Path | tuple[Path, ...] | None
    beside: Path | None = None


class FolderOptions(DataOptions, frozen=True, kw_only=True):
    """Options of benchmarks whose public data is a folder."""

    data: Annotated[
        Path | None,
        option("Folder of the data set, as `screenmark data download` lays it out.", metavar="DIR"),
    ] = None


def annotation_in(options: FolderOptions, name: str, *, bundled: Place) -> Place:
    """The annotation file and the folder of its images.

    Args:
        options: what the user said.
        name: of the annotation in a data folder.
        bundled: what stands for both where the user said nothing.

    Raises:
        UsageError: two places at once, or none and nothing bundled.
        DataError: the folder does not hold the annotation.
    """
    if options.annotation is not None and options.data is not None:
        raise UsageError("--data and --annotation both say where the data is; give one of them")
    if options.annotation is not None:
        return Place([options.annotation], options.image_dir, _beside(options.annotation.parent))
    if options.data is not None:
        if not options.data.is_dir():
            raise DataError("no such folder", file=options.data)
        found = options.data / name
        if not found.is_file():
            raise DataError(f"holds no {name}; expected it as downloaded", file=options.data)
        return Place([found], options.image_dir, _beside(options.data))
    if options.image_dir is not None:
        raise UsageError("--image-dir needs --annotation or --data")
    return bundled


def _beside(folder: Path, names: Sequence[str] = IMAGE_FOLDERS) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_dir()), None)


def files_of(
    options: FolderOptions, id: str, patterns: Sequence[str], image_folders: Sequence[str]
) -> Place:
    """The annotation files of a data set that is not bundled, and the folder of its images.

    All of ``patterns`` that name one file each must be there; one with a ``*`` stands for all
    files that fit, and the next such for the case that none does.

    Raises:
        UsageError: the user named no data; the message says how to get it.
        DataError: the folder does not hold it.
    """
    if options.split is not None:
        raise UsageError(f"--split: {id} has none")
    if options.annotation is not None and options.data is not None:
        raise UsageError("--data and --annotation both say where the data is; give one of them")
    if options.annotation is not None and not options.annotation.is_dir():
        beside = _nearest(options.annotation.parent, image_folders)
        return Place([options.annotation], options.image_dir, beside)
    root = options.data or options.annotation
    if root is None:
        raise UsageError(_how_to_get(id))
    if not root.is_dir():
        raise DataError("no such folder", file=root)
    return Place(_all_of(root, patterns), options.image_dir, _nearest(root, image_folders))


def _how_to_get(id: str) -> str:
    """What to do about data that is not bundled: fetch it, or name it if it is here already."""
    from screenmark.downloads import dataset, default_folder, load_record

    folder = default_folder(id, dataset(id))
    if load_record(folder) is not None:
        return f"{id} is not bundled, but downloaded: pass --data {folder}"
    return (
        f"{id} may not be bundled: get it with `screenmark data download {id}`, then pass "
        f"--data {folder} (or what you gave as --to)"
    )


def _all_of(root: Path, patterns: Sequence[str]) -> list[Path]:
    names = [pattern for pattern in patterns if "*" not in pattern]
    missing = [name for name in names if not (root / name).is_file()]
    if names and not missing:
        return [root / name for name in names]
    for pattern in patterns:
        # Hidden files are not data: a download keeps its record in one.
        found = sorted(path for path in root.glob(pattern) if not path.name.startswith("."))
        if "*" in pattern and found:
            return found
    if missing and len(missing) < len(names):
        there = next(root / name for name in names if name not in missing)
        raise DataError(
            f"holds no {', '.join(missing)}; expected it as downloaded. For a part of the data "
            f"name its file: --annotation {there}",
            file=root,
        )
    raise DataError(f"holds none of {', '.join(patterns)}; expected it as downloaded", file=root)


def _nearest(root: Path, names: Sequence[str]) -> Path | None:
    """In the folder itself or, for a folder of annotations, beside it."""
    return _beside(root, names) or _beside(root.parent, names)
