"""Finding the images that an annotation names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from screenmark.errors import ImageError

_PROBED = 50
# Below, os.path.isfile and not Path.is_file, which raises where a name is too long.


class ImageFinder:
    """Resolves image paths below one root, which they cannot leave.

    The root is the folder given by the user; else the nearest parent of the annotation
    under which one of the first paths exists; else the working directory.
    """

    def __init__(
        self, annotation: Path, image_dir: Path | None, image_paths: Sequence[str]
    ) -> None:
        self.given = image_dir is not None
        if image_dir is not None:
            self.roots = [image_dir]
        else:
            found = _project_root(annotation, image_paths[:_PROBED])
            self.roots = [root for root in (found, Path.cwd()) if root is not None]
            if found is None:
                self.roots = [*annotation.absolute().parents[:3], Path.cwd()]

    def find(self, image_path: str) -> Path:
        """The file of an image.

        Raises:
            ImageError: it does not exist (the message lists the paths tried) or its path
                leads out of the root.
        """
        tried = []
        for root in dict.fromkeys(self.roots):
            candidate = root / image_path
            if not _inside(root, candidate):
                raise ImageError(f"{image_path!r} leads out of {root}; expected a path below it")
            if os.path.isfile(candidate):
                return candidate
            tried.append(str(candidate))
        hint = ""
        if self.given and os.path.isfile(self.roots[0] / Path(image_path).name):
            hint = "; the file lies directly in --image-dir, which should be the folder that "
            hint += f"{image_path!r} is relative to"
        raise ImageError(f"image not found, tried {', '.join(tried)}{hint}")


def _project_root(annotation: Path, image_paths: Sequence[str]) -> Path | None:
    for image_path in image_paths:
        if Path(image_path).is_absolute():
            # It would make the whole machine the root; who wants that says --image-dir /.
            continue
        for parent in annotation.absolute().parents:
            candidate = parent / image_path
            if _inside(parent, candidate) and os.path.isfile(candidate):
                return parent
    return None


def _inside(root: Path, path: Path) -> bool:
    # By name, not by resolving links: data folders are often links to a large disk.
    base = os.path.normpath(root.absolute())
    full = os.path.normpath(path.absolute())
    return os.path.commonpath([base, full]) == base
