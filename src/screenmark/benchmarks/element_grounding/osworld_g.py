"""OSWorld-G."""

from __future__ import annotations

from typing import Annotated, ClassVar

from screenmark.benchmarks.base import BenchmarkInfo, DataOptions, Dataset
from screenmark.benchmarks.data_folders import files_of
from screenmark.benchmarks.element_grounding.baselines import WHAT
from screenmark.benchmarks.element_grounding.benchmark import ElementGrounding, GroundingOptions
from screenmark.benchmarks.element_grounding.dataset import load_grounding
from screenmark.benchmarks.element_grounding.formats import read_osworld_g
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.errors import UsageError
from screenmark.options import option


class OSWorldGOptions(GroundingOptions, frozen=True, kw_only=True):
    """Options of OSWorld-G."""

    refined: Annotated[
        bool, option("Ask the refined instructions of --data.", changes_answers=True)
    ] = False


class OSWorldG(ElementGrounding):
    """OSWorld-G: boxes, polygons, and targets that are not there, all in one accuracy."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="osworld-g",
        family="element_grounding",
        title="OSWorld-G, element grounding",
        paper="arXiv 2505.13227",
        licence="Apache-2.0",
        primary_metric="accuracy_all",
        sample_metric="hit",
        sample_pass=1,
        bundled_samples=0,
        blind_baselines=WHAT,
    )
    options_type: ClassVar[type[DataOptions]] = OSWorldGOptions
    count_absent = True
    options: OSWorldGOptions

    def load(self) -> Dataset[GroundingSample]:
        named = self.options.annotation
        if self.options.refined and named is not None and not named.is_dir():
            raise UsageError("--refined is for --data; --annotation says itself which file it is")
        name = "OSWorld-G_refined.json" if self.options.refined else "OSWorld-G.json"
        place = files_of(self.options, self.info.id, (name,), ("images",))
        return load_grounding(place, read_osworld_g)
