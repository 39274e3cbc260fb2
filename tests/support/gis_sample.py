"""The whole GIS sample: what is bundled, and what is among the tests."""

from __future__ import annotations

import shutil
from pathlib import Path

HERE = Path(__file__).parents[1] / "benchmarks" / "gis_sample"
BUNDLED = Path(__file__).parents[2] / "src/screenmark/benchmarks/map_judging/data/outputs"
SHEET = HERE / "GIS_Bench_문항.xlsx"
EXPECTATIONS = HERE / "expectations.json"
FAULTS = HERE / "faults.json"


def whole_sample(folder: Path) -> Path:
    """Folders ``model_alpha`` and ``model_beta`` with all twelve outputs each, in ``folder``."""
    for model in ("model_alpha", "model_beta"):
        for source in (BUNDLED / model, HERE / model):
            shutil.copytree(source, folder / model, dirs_exist_ok=True)
    return folder
