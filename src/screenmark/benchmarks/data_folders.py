"""Where a benchmark's annotation and images are: named, in a data folder, or bundled."""

from __future__ import annotations

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
