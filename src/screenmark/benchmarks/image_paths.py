"""Finding the images that an annotation names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from screenmark.errors import ImageError

MOST_PARENTS = 5
"""Folders that may be the root: the annotation's own and so many less one above it."""

_PROBED = 50
# Below, os.path and not pathlib: it does not raise where a name is too long, and a data set
# of 80,000 missing images makes half a million paths.


class ImageFinder:
    """Resolves image paths below one root, which they cannot leave.

    The root is the folder given by the user (or the folders that a bundled data set names, looked
    at in order); else the nearest of the annotation's
    `MOST_PARENTS` folders under which one of the first paths exists; else the working
    directory. Unless given, it is neither the root of the file system nor, for an annotation
    further down, the home folder. Links inside the root are followed on purpose: data
    folders are often links to a large disk.

    ``beside``, the data set's own folder of images, comes before all that was not given, so that
    a file of the same name elsewhere is not taken for one of its images; then only the folders
    around the annotation are looked at, and those above it for paths that name folders too.
    """

    def __init__(
        self,
        annotation: Path,
        image_dir: Path | Sequence[Path] | None,
        image_paths: Sequence[str],
        beside: Path | None = None,
    ) -> None:
        self.given = image_dir is not None
        if image_dir is not None:
            given = [image_dir] if isinstance(image_dir, Path) else image_dir
            roots = [str(folder) for folder in given]
        else:
            parents = [str(folder) for folder in Path(_absolute(annotation)).parents]
            above = [p for p in parents[:MOST_PARENTS] if _may_be_root(p, annotation)]
            here = [os.getcwd()] if _may_be_root(os.getcwd(), annotation) else []
            if beside is None:
                found = _project_root(above, image_paths[:_PROBED])
                roots = [*(above if found is None else [found]), *here]
            else:
                named = [path for path in image_paths if os.sep in normalised(path)]
                found = _project_root(above, named[:_PROBED])
                own = [str(beside), os.path.dirname(_absolute(beside)), *parents[:1]]
                roots = own if found is None else [*own, found]
        self.roots = [(root, _absolute(root)) for root in dict.fromkeys(roots)]

    def find(self, image_path: str) -> Path:
        """The file of an image.

        Raises:
            ImageError: it does not exist (the message lists the paths tried) or its path
                leads out of the root.
        """
        path = normalised(image_path)
        if "\x00" in path:
            raise ImageError(f"image not found, {path!r} holds a null character")
        tried = []
        for root, full in self.roots:
            if _leads_out(path, full):
                raise ImageError(f"{image_path!r} leads out of {root}; expected a path below it")
            candidate = os.path.join(root, path)
            if os.path.isfile(candidate):
                return Path(candidate)
            tried.append(candidate)
        raise ImageError(
            f"image not found, tried {', '.join(tried) or 'nothing'}{self._hint(path)}"
        )

    def _hint(self, path: str) -> str:
        if not self.roots:
            return "; pass --image-dir, the folder that image paths are relative to"
        if self.given and os.path.isfile(os.path.join(self.roots[0][0], os.path.basename(path))):
            return (
                "; the file lies directly in --image-dir, which should be the folder that "
                f"{path!r} is relative to"
            )
        return ""


def normalised(image_path: str) -> str:
    """A path without ``.``, doubled slashes and ``..`` that can be taken out: one a file."""
    if "\x00" in image_path:
        return image_path  # No file's path; and some versions of normpath cut it off there.
    return os.path.normpath(image_path)


def _project_root(folders: Sequence[str], image_paths: Sequence[str]) -> str | None:
    for image_path in map(normalised, image_paths):
        if os.path.isabs(image_path) or _leads_out(image_path, ""):
            # Neither says what it is relative to.
            continue
        for folder in folders:
            if os.path.isfile(os.path.join(folder, image_path)):
                return folder
    return None


def _may_be_root(folder: str, annotation: Path) -> bool:
    """Whether a folder that nobody named may hold images: not the machine, nor all of a home."""
    real, home = os.path.realpath(folder), os.path.realpath(os.path.expanduser("~"))
    if real == os.path.dirname(real):
        return False
    return real != home or os.path.realpath(annotation.parent) == home


def _leads_out(path: str, root: str) -> bool:
    """Whether a normalised path ends outside an absolute root, by name and not by its links."""
    if os.path.isabs(path):
        return os.path.commonpath([root, path]) != root
    return path == os.pardir or path.startswith(os.pardir + os.sep)


def _absolute(path: str | Path) -> str:
    return os.path.abspath(path)
