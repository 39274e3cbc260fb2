"""Where downloaded data lie."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from screenmark.downloads.catalog import Dataset


def data_root(environment: Mapping[str, str] = os.environ) -> Path:
    """``SCREENMARK_DATA``, or a folder of ours among the user's caches."""
    if own := environment.get("SCREENMARK_DATA"):
        return Path(own).expanduser()
    return _caches(environment) / "screenmark" / "data"


def default_folder(
    name: str, dataset: Dataset, environment: Mapping[str, str] = os.environ
) -> Path:
    """The folder of a data set where ``--to`` is not given.

    MMBench-GUI keeps the place that its own tools look for it in: ``$LMUData/MMBench-GUI``,
    and ``~/LMUData/MMBench-GUI`` where that is not set.
    """
    folder = dataset.folder or name
    if dataset.root is None:
        return data_root(environment) / folder
    return Path(environment.get(dataset.root) or f"~/{dataset.root}").expanduser() / folder


def _caches(environment: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    # A relative one is to be ignored, says the standard.
    if Path(named := environment.get(variable, "")).is_absolute():
        return Path(named)
    return Path.home() / ("AppData/Local" if sys.platform == "win32" else ".cache")
