"""ScreenSpot, ScreenSpot-v2 and ScreenSpot-Pro."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from screenmark.benchmarks.annotation_items import Item, Screenshots
from screenmark.benchmarks.base import BenchmarkInfo, DataOptions, Dataset
from screenmark.benchmarks.data_folders import files_of
from screenmark.benchmarks.element_grounding.baselines import WHAT
from screenmark.benchmarks.element_grounding.benchmark import ElementGrounding, GroundingOptions
from screenmark.benchmarks.element_grounding.dataset import load_grounding
from screenmark.benchmarks.element_grounding.formats import read_screenspot, read_screenspot_pro
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.options import option


def _info(id: str, title: str, paper: str, licence: str) -> BenchmarkInfo:
    return BenchmarkInfo(
        id=id,
        family="element_grounding",
        title=title,
        paper=paper,
        licence=licence,
        primary_metric="accuracy",
        sample_metric="hit",
        sample_pass=1,
        bundled_samples=0,
        blind_baselines=WHAT,
    )


class _ScreenSpotFiles(ElementGrounding):
    """A folder with one annotation file a platform."""

    patterns: ClassVar[tuple[str, ...]]
    image_folders: ClassVar[tuple[str, ...]]

    def load(self) -> Dataset[GroundingSample]:
        place = files_of(self.options, self.info.id, self.patterns, self.image_folders)
        return load_grounding(place, read_screenspot, image_field="img_filename")


class ScreenSpot(_ScreenSpotFiles):
    """ScreenSpot: mobile, desktop and web, text and icons."""

    info = _info("screenspot", "ScreenSpot, element grounding", "arXiv 2401.10935", "Apache-2.0")
    patterns = ("screenspot_mobile.json", "screenspot_desktop.json", "screenspot_web.json")
    image_folders = ("screenspot_imgs", "images")


class ScreenSpotV2(_ScreenSpotFiles):
    """ScreenSpot-v2: the same with its annotation errors mended."""

    info = _info(
        "screenspot-v2", "ScreenSpot-v2, element grounding", "arXiv 2410.23218", "Apache-2.0"
    )
    patterns = (
        "screenspot_mobile_v2.json",
        "screenspot_desktop_v2.json",
        "screenspot_web_v2.json",
    )
    image_folders = ("screenspotv2_image", "images")


class ProOptions(GroundingOptions, frozen=True, kw_only=True):
    """Options of ScreenSpot-Pro."""

    language: Annotated[
        Literal["en", "zh"],
        option("Language of the instructions.", changes_answers=True),
    ] = "en"


class ScreenSpotPro(ElementGrounding):
    """ScreenSpot-Pro: professional applications at high resolution."""

    info = _info("screenspot-pro", "ScreenSpot-Pro, element grounding", "arXiv 2504.07981", "MIT")
    options_type: ClassVar[type[DataOptions]] = ProOptions
    options: ProOptions

    def load(self) -> Dataset[GroundingSample]:
        language = self.options.language
        place = files_of(self.options, self.info.id, ("annotations/*.json", "*.json"), ("images",))

        def read(item: Item, screenshots: Screenshots) -> Iterator[GroundingSample]:
            return read_screenspot_pro(item, screenshots, language)

        return load_grounding(place, read, image_field="img_filename")
