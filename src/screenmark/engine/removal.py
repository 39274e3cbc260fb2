"""Removing a run folder: that one, whole, and nothing that is not a run's."""

from __future__ import annotations

import re
import secrets
import shutil
from pathlib import Path

from screenmark.engine.manifest import Manifest
from screenmark.engine.run_folder import RunFolder, open_folder
from screenmark.errors import RunFolderError

_OWN = re.compile(
    r"manifest\.json|records\.jsonl|results\.json|artifacts|\.lock"
    r"|\.(manifest|results)\.json\.\d+\.tmp"
)
"""What stands in a run folder: its files, and drafts that a crash left behind."""


def check_removable(path: Path) -> tuple[RunFolder, Manifest]:
    """The run in ``path``, if it is one, whole, and nobody is working on it.

    Raises:
        RunFolderError: there is no run, it is a link to one, something else lies in the
            folder too, or another process holds it.
    """
    if path.is_symlink():
        raise RunFolderError(f"{path}: a link to {path.resolve()}; name the run folder itself")
    try:
        folder, manifest = open_folder(path.resolve())
        names = sorted(entry.name for entry in folder.path.iterdir())
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be read ({error.strerror})") from None
    strange = [name for name in names if not _OWN.fullmatch(name)]
    if strange:
        shown = ", ".join(strange[:3]) + ("…" if len(strange) > 3 else "")
        raise RunFolderError(
            f"{path}: also holds {shown}, which no run writes; move that away first"
        )
    with folder.locked():
        return folder, manifest


def remove_run(path: Path) -> None:
    """Remove a run folder. It disappears at once: no other process meets half of it.

    Links inside are removed, not what they lead to.

    Raises:
        RunFolderError: as for `check_removable`, or the disk does not let go of it.
    """
    folder, _ = check_removable(path)
    doomed = RunFolder(folder.path.with_name(f".removed-{secrets.token_hex(6)}"))
    with folder.locked():
        try:
            folder.path.rename(doomed.path)
        except OSError as error:
            raise RunFolderError(f"{path}: cannot be removed ({error.strerror})") from None
        try:
            # First of all what makes it a run, should we not get to the end.
            doomed.manifest.unlink()
            shutil.rmtree(doomed.path)
        except OSError as error:
            raise RunFolderError(
                f"{path}: removed, but for some files in {doomed.path} ({error.strerror})"
            ) from None
