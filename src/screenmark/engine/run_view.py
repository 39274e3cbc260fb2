"""A run on disk, as callers see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from screenmark.engine.manifest import Manifest
from screenmark.engine.records import RecordFile
from screenmark.engine.run_folder import RunFolder
from screenmark.errors import MissingExtra, RunFolderError


class Run:
    """A run on disk: where it is, what was asked, how it ended.

    Attributes:
        problems: what was wrong with the input and left out or passed over.
        resumed: number of samples that were finished before this command.
    """

    def __init__(self, folder: RunFolder, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.problems: list[str] = list(manifest.problems)
        self.warnings: list[str] = []
        self.resumed = 0

    def __repr__(self) -> str:
        return f"<Run {self.path} {self.manifest.status}>"

    @property
    def path(self) -> Path:
        return self.folder.path

    @property
    def records(self) -> RecordFile:
        """The records, iterated in data order without loading them all."""
        return RecordFile(self.folder.records)

    @property
    def results(self) -> dict[str, Any]:
        """The content of ``results.json``.

        Raises:
            RunFolderError: the run has no results yet.
        """
        try:
            data = self.folder.results.read_bytes()
            results: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
        except FileNotFoundError:
            raise RunFolderError(
                f"{self.path}: no results yet ({self.manifest.status}); "
                f"go on with: screenmark run --resume {self.path}"
            ) from None
        except msgspec.DecodeError as error:
            raise RunFolderError(
                f"{self.folder.results}: damaged ({error}); write it anew with: "
                f"screenmark score {self.path}"
            ) from None
        if not {"headline", "num_samples", "per_sample"} <= set(results):
            raise RunFolderError(
                f"{self.folder.results}: not the results of a run; write them anew with: "
                f"screenmark score {self.path}"
            )
        return results

    def dataframe(self) -> Any:
        """One row a sample, as a pandas data frame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("Run.dataframe()", "pandas") from None
        return pandas.DataFrame(self.results["per_sample"])
