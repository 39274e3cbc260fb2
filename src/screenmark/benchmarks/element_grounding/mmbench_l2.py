"""MMBench-GUI L2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from screenmark.benchmarks import bundled_pages
from screenmark.benchmarks.base import BenchmarkInfo, DataOptions, Dataset
from screenmark.benchmarks.data_folders import Place, annotation_in
from screenmark.benchmarks.element_grounding.baselines import WHAT
from screenmark.benchmarks.element_grounding.benchmark import ElementGrounding, GroundingOptions
from screenmark.benchmarks.element_grounding.dataset import load_grounding
from screenmark.benchmarks.element_grounding.formats import read_l2
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.errors import UsageError
from screenmark.options import option

_DATA = Path(__file__).parent / "data"
_SPLITS = {
    "en": ("en", None),
    "dev": ("en", ("AdminLTE", "SB Admin")),
    "test": ("en", ("Stisla", "Soft UI Dashboard")),
    "zh": ("zh", None),
}
"""The file of a split, and whose pages of it; the templates of page parsing's dev and test."""


class L2Options(GroundingOptions, frozen=True, kw_only=True):
    """Options of MMBench-GUI L2."""

    mode: Annotated[
        Literal["all", "basic", "advanced"],
        option("Which part of the data.", changes_answers=True),
    ] = "all"


class MMBenchL2(ElementGrounding):
    """MMBench-GUI L2: basic and advanced instructions on six platforms."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="mmbench-gui-l2",
        family="element_grounding",
        title="MMBench-GUI L2, element grounding",
        paper="arXiv 2507.19478",
        licence="bundled items: Apache-2.0, about pages under MIT; see NOTICE.md beside them",
        primary_metric="accuracy",
        sample_metric="hit",
        sample_pass=1,
        bundled_samples=580,
        splits={"en": 580, "dev": 308, "test": 272, "zh": 185},
        blind_baselines=WHAT,
    )
    options_type: ClassVar[type[DataOptions]] = L2Options
    has_compat = True
    options: L2Options

    def load(self) -> Dataset[GroundingSample]:
        options = self.options
        split = options.split or next(iter(_SPLITS))
        if options.split is not None and (options.annotation or options.data):
            raise UsageError("--split is for the bundled data")
        if split not in _SPLITS:
            raise UsageError(f"--split {split}: the bundled data has {', '.join(_SPLITS)}")
        name, apps = _SPLITS[split]
        bundled = Place([_DATA / f"{name}.json"], bundled_pages.FOLDER / "images")
        place = annotation_in(options, "L2_annotations.json", bundled=bundled)

        if options.annotation is not None or options.data is not None:
            apps = None

        def keep(sample: GroundingSample) -> bool:
            asked = options.mode in {"all", sample.groups["grounding_type"]}
            return asked and (apps is None or sample.groups.get("app_name") in apps)

        return load_grounding(place, read_l2, keep=keep)

    def check_predictions(self, ids: Sequence[str], dataset: Dataset[GroundingSample]) -> list[str]:
        # A file about all of the data serves for a part of it too.
        return super().check_predictions(ids, dataset) if self._whole else []

    @property
    def _whole(self) -> bool:
        return self.options.mode == "all" and self.options.split not in {"dev", "test"}
