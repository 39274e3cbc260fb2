"""``uibert-appsim-rico`` and ``uibert-appsim-web``: components by one that is like them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from screenmark.benchmarks.base import BenchmarkInfo, DataOptions, Dataset, Published
from screenmark.benchmarks.bundled_pages import FOLDER as PAGES
from screenmark.benchmarks.ui_components.pair_rules import (
    PAIR_WHAT,
    known_pair_scorers,
    lacking_pair_rules,
)
from screenmark.benchmarks.ui_components.pairs import Sources, load_pairs
from screenmark.benchmarks.ui_components.prompt import ANCHOR, read_modalities
from screenmark.benchmarks.ui_components.retrieval import Retrieval, RetrievalOptions
from screenmark.benchmarks.ui_components.rules import Scorer
from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.benchmarks.ui_components.summary import Setup
from screenmark.errors import DataError, UsageError

_BUNDLED = Path(__file__).parent / "data" / "app_sim"
_ACTIONBERT = "ActionBert, arXiv 2012.12350"
_RICO_TEST = "32k pairs of the paper's test split, given images and recognised text"
_WEB_TEST = "2k pairs of web pages labelled by hand, 35 candidates on average; not released"
_LICENCE: Final = (
    "bundled: a stand-in made from pages of open-source web templates, MIT; see NOTICE.md beside it"
)
_STAND_IN: Final = (
    "Stand-in data: controls of web templates, made by machine and far easier than UIBert's; "
    "no figure here can be held against a paper's."
)
_SHORTCUT: Final = "it needs only boxes, or their order"
_OF_ANSWERS: Final = "--image-dir DIR with ID.jpg of each screen"


class Place(NamedTuple):
    """Where a run's data is, whether or not all of it is used."""

    file: Path
    sources: Sources


class AppSim(Retrieval[RetrievalOptions]):
    """UIBert's similar components; each subclass is one kind of screens.

    Attributes:
        task: the folder of the bundled data.
        has_hierarchy: whether these screens can have a view hierarchy.
    """

    task: ClassVar[str]
    has_hierarchy: ClassVar[bool]
    options_type: ClassVar[type[DataOptions]] = RetrievalOptions
    built_in_prompt = ANCHOR

    def __init__(self, options: RetrievalOptions) -> None:
        self._is_bundled = options.annotation is None and options.data is None
        self._place = self._located(options)
        super().__init__(options, read_modalities(options.modalities, self._lacking()))

    def load(self) -> Dataset[RetrievalSample]:
        used = self._place.sources
        return load_pairs(
            self._place.file,
            Sources(
                used.images if "img" in self.modalities else None,
                used.hierarchies if "vh" in self.modalities else None,
                used.texts if "ocr" in self.modalities else None,
            ),
        )

    def _located(self, options: RetrievalOptions) -> Place:
        if options.annotation is not None:
            if options.data is not None:
                raise UsageError("--data and --annotation both say where the data is")
            if options.split is not None:
                raise UsageError("--split is for the bundled data and for --data")
            root, file = options.annotation.parent, options.annotation
        elif options.data is not None:
            split = options.split or "test"
            root = options.data
            places = [root / "app_sim" / f"{split}.tfrecord", root / f"{split}.tfrecord"]
            found = next((place for place in places if place.is_file()), None)
            if found is None:
                raise DataError(f"holds no app_sim/{split}.tfrecord", file=root)
            file = found
        else:
            return self._bundled(options)
        return Place(file, self._around(root, options.image_dir))

    def _bundled(self, options: RetrievalOptions) -> Place:
        if options.image_dir is not None:
            raise UsageError("--image-dir needs --annotation or --data")
        split = options.split or "test"
        if split not in self.info.splits:
            known = ", ".join(self.info.splits)
            raise UsageError(f"--split {split}: the bundled data has {known}")
        hierarchies = _BUNDLED / "hierarchies" if self.has_hierarchy else None
        sources = Sources(PAGES / "images", hierarchies, _BUNDLED / "ocr")
        return Place(_BUNDLED / self.task / f"{split}.tfrecord", sources)

    def _around(self, root: Path, image_dir: Path | None) -> Sources:
        """What lies beside an annotation of the user's: Rico's folder, recognised text."""
        folder = image_dir or root / "combined"
        if image_dir is not None and not image_dir.is_dir():
            raise DataError("no such folder", file=image_dir)
        images = folder if folder.is_dir() else None
        hierarchies = None
        if self.has_hierarchy and images is not None and next(images.glob("*.json"), None):
            hierarchies = images
        texts = root / "ocr"
        return Sources(images, hierarchies, texts if texts.is_dir() else None)

    def _lacking(self) -> dict[str, str]:
        sources, found = self._place.sources, {}
        if sources.images is None:
            found["img"] = f"there are no screenshots; pass {_OF_ANSWERS}"
        if not self.has_hierarchy:
            found["vh"] = "a web UI has no view hierarchy; use img, ocr or both"
        elif sources.hierarchies is None:
            found["vh"] = f"there are no view hierarchies; pass {_OF_ANSWERS} and its ID.json"
        if sources.texts is None:
            found["ocr"] = "there is no recognised text; put ID.json of each screen into ocr/"
        return found

    def scorers(self) -> Mapping[str, Scorer]:
        return known_pair_scorers(**self._held())

    def lacking_rules(self) -> Mapping[str, str]:
        return lacking_pair_rules(**self._held())

    def _held(self) -> dict[str, bool]:
        used = set(self.modalities)
        return {"hierarchy": "vh" in used, "words": bool(used & {"vh", "ocr"})}

    def setup(self) -> Setup:
        options = self.options
        said: dict[str, Any] = {
            "variant": None,
            "modalities": list(self.modalities),
            "setting": options.setting,
            "hierarchy": "vh" in self.modalities if self.has_hierarchy else False,
            "data_note": _STAND_IN if self._is_bundled else None,
        }
        whole = options.data is not None and (options.split or "test") == "test"
        return Setup(said, self.scorers(), self.info.published if whole else (), _SHORTCUT)

    def told(self, sample: RetrievalSample) -> dict[str, str]:
        numbers = sample.numbers
        return {"the last candidate's number": str(numbers[-1])} if numbers else {}


class AppSimRico(AppSim):
    """Similar components on screens of Android apps."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="uibert-appsim-rico",
        family="ui_components",
        title="UIBert similar components, apps (bundled: a stand-in)",
        paper="arXiv 2107.13731",
        licence=_LICENCE,
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=87,
        splits={"test": 87, "dev": 116},
        blind_baselines=PAIR_WHAT,
        published=tuple(
            Published(model=model, value=value, split="test", data=_RICO_TEST, source=_ACTIONBERT)
            for model, value in (("ActionBert base", 0.8553), ("ActionBert large", 0.8643))
        ),
    )
    task = "rico"
    has_hierarchy = True


class AppSimWeb(AppSim):
    """Similar components on web pages, which have no view hierarchy."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="uibert-appsim-web",
        family="ui_components",
        title="UIBert similar components, web (bundled: a stand-in)",
        paper="arXiv 2107.13731",
        licence=_LICENCE,
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=87,
        splits={"test": 87, "dev": 115},
        blind_baselines=PAIR_WHAT,
        published=tuple(
            Published(model=model, value=value, split="test", data=_WEB_TEST, source=_ACTIONBERT)
            for model, value in (("ActionBert base", 0.6367), ("ActionBert large", 0.6441))
        ),
    )
    task = "web"
    has_hierarchy = False
