"""Where a benchmark's annotation and images are: named, in a data folder, or bundled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from screenmark.benchmarks.base import DataOptions
from screenmark.errors import DataError, UsageError
from screenmark.options import option

IMAGE_FOLDERS = ("offline_images", "images")
"""Folders beside an annotation that image paths may be relative to."""


class FolderOptions(DataOptions, frozen=True, kw_only=True):
    """Options of benchmarks whose public data is a folder."""

    data: Annotated[
        Path | None,
        option("Folder of the data set, as `screenmark data download` lays it out.", metavar="DIR"),
    ] = None


def annotation_in(
    options: FolderOptions, name: str, *, bundled: tuple[Path, Path] | None
) -> tuple[Path, Path | None]:
    """The annotation file and the folder of its images.

    Args:
        options: what the user said.
        name: of the annotation in a data folder.
        bundled: the same two, where the user said nothing.

    Raises:
        UsageError: two places at once, or none and nothing bundled.
        DataError: the folder does not hold the annotation.
    """
    if options.annotation is not None and options.data is not None:
        raise UsageError("--data and --annotation both say where the data is; give one of them")
    if options.annotation is not None:
        return options.annotation, options.image_dir or _images_beside(options.annotation.parent)
    if options.data is not None:
        found = options.data / name
        if not found.is_file():
            raise DataError(f"holds no {name}; expected it as downloaded", file=options.data)
        return found, options.image_dir or _images_beside(options.data)
    if options.image_dir is not None:
        raise UsageError("--image-dir needs --annotation or --data")
    if bundled is None:
        raise UsageError("no data: pass --data DIR or --annotation FILE")
    return bundled


def _images_beside(folder: Path) -> Path | None:
    return next((folder / name for name in IMAGE_FOLDERS if (folder / name).is_dir()), None)


def files_of(
    options: FolderOptions, id: str, patterns: Sequence[str], image_folders: Sequence[str]
) -> tuple[list[Path], Path | None]:
    """The annotation files of a data set that is not bundled, and the folder of its images.

    The first of ``patterns`` that name one file each must all be there; one with a ``*`` stands
    for all files that fit, and the patterns after it for the case that none does.

    Raises:
        UsageError: the user named no data; the message says how to get it.
        DataError: the folder does not hold it.
    """
    if options.split is not None:
        raise UsageError(f"--split: {id} has none")
    if options.annotation is not None and options.data is not None:
        raise UsageError("--data and --annotation both say where the data is; give one of them")
    if options.annotation is not None and not options.annotation.is_dir():
        beside = options.annotation.parent
        return [options.annotation], options.image_dir or _folder(beside, image_folders)
    root = options.data or options.annotation
    if root is None:
        raise UsageError(
            f"{id} may not be bundled: get it with `screenmark data download {id}`, then pass "
            "--data DIR"
        )
    found: list[Path] = []
    for pattern in patterns:
        if "*" in pattern and found:
            break
        found += sorted(root.glob(pattern))
    if not found:
        raise DataError(
            f"holds none of {', '.join(patterns)}; expected it as downloaded", file=root
        )
    return found, options.image_dir or _folder(root, image_folders)


def _folder(root: Path, names: Sequence[str]) -> Path | None:
    places = [parent / name for parent in (root, root.parent) for name in names]
    return next((place for place in places if place.is_dir()), None)
