"""``uibert-refexp``: components by referring expressions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from screenmark.benchmarks.base import BenchmarkInfo, DataOptions, Dataset, Published
from screenmark.benchmarks.ui_components.dataset import load_expressions
from screenmark.benchmarks.ui_components.prompt import EXPRESSION, read_modalities
from screenmark.benchmarks.ui_components.retrieval import Retrieval, RetrievalOptions
from screenmark.benchmarks.ui_components.rules import WHAT, Scorer, known_scorers, lacking_rules
from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.benchmarks.ui_components.summary import Setup
from screenmark.errors import DataError, UsageError
from screenmark.options import option

_BUNDLED = Path(__file__).parent / "data"
_SPLITS = {"test": 616, "dev": 509}
_ENDINGS = (".tfrecord", ".jsonl", ".jsonl.gz")
_UIBERT = "UIBert, arXiv 2107.13731"
_ACTIONBERT = "ActionBert, arXiv 2012.12350"
_PAPER_DEV = "the paper's split of 2.1k components; 509 are released"
_PAPER_TEST = "the paper's split of 1.8k components; 616 are released"
_SHORTCUTS: Final = {
    "released": (
        "the released boxes tell which candidate was drawn from the view hierarchy; see --variant "
        "matched-distractors and no-vh-boxes"
    ),
    "matched-distractors": "it needs nothing but what this variant holds",
    "no-vh-boxes": "it needs nothing but what this variant holds",
}
_NO_OCR = "the released data holds no recognised text; use img, vh or both"
_NO_IMAGES = (
    "the released data holds no screenshots; name the folder of Rico's, NUMBER.jpg each, with "
    "--image-dir"
)


class UIComponentsOptions(RetrievalOptions, frozen=True, kw_only=True):
    """Options of referring expressions."""

    variant: Annotated[
        Literal["released", "no-vh-boxes", "matched-distractors"],
        option(
            "The data as released; without the boxes of the view hierarchy; or with distractors "
            "of the view hierarchy only.",
            changes_answers=True,
        ),
    ] = "released"


class RefExp(Retrieval[UIComponentsOptions]):
    """UIBert's referring expressions: the candidate that is meant, against the one chosen."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="uibert-refexp",
        family="ui_components",
        title="UIBert RefExp, components by referring expressions",
        paper="arXiv 2107.13731",
        licence="bundled: the released dev and test splits, CC BY 4.0; see NOTICE.md beside them",
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=616,
        splits=_SPLITS,
        blind_baselines=WHAT,
        published=(
            Published(model="UIBert", value=0.9081, split="test", data=_PAPER_TEST, source=_UIBERT),
            Published(
                model="ActionBert base",
                value=0.8838,
                split="test",
                data=_PAPER_TEST,
                source=_ACTIONBERT,
            ),
            Published(
                model="ActionBert large",
                value=0.9016,
                split="test",
                data=_PAPER_TEST,
                source=_ACTIONBERT,
            ),
            Published(
                model="ActionBert base",
                value=0.9014,
                split="dev",
                data=_PAPER_DEV,
                source=_ACTIONBERT,
            ),
            Published(
                model="ActionBert large",
                value=0.8984,
                split="dev",
                data=_PAPER_DEV,
                source=_ACTIONBERT,
            ),
        ),
    )
    options_type: ClassVar[type[DataOptions]] = UIComponentsOptions
    built_in_prompt = EXPRESSION

    def __init__(self, options: UIComponentsOptions) -> None:
        lacking = {"ocr": _NO_OCR} | ({} if options.image_dir is not None else {"img": _NO_IMAGES})
        super().__init__(options, read_modalities(options.modalities, lacking))

    def load(self) -> Dataset[RetrievalSample]:
        images = self.options.image_dir if "img" in self.modalities else None
        return load_expressions(self._file(), images, self.options.variant)

    def _file(self) -> Path:
        options = self.options
        if options.annotation is not None:
            if options.data is not None:
                raise UsageError("--data and --annotation both say where the data is")
            if options.split is not None:
                raise UsageError("--split is for the bundled data and for --data")
            return options.annotation
        split = options.split or "test"
        if options.data is not None:
            names = [f"{folder}{split}{e}" for folder in ("ref_exp/", "") for e in _ENDINGS]
            places = [options.data / name for name in names]
            found = next((place for place in places if place.is_file()), None)
            if found is None:
                raise DataError(f"holds no {names[0]}", file=options.data)
            return found
        if split not in _SPLITS:
            raise UsageError(f"--split {split}: the bundled data has {', '.join(_SPLITS)}")
        return _BUNDLED / f"{split}.tfrecord"

    @property
    def placed(self) -> bool:
        return self.options.variant != "no-vh-boxes"

    def scorers(self) -> Mapping[str, Scorer]:
        return known_scorers(self.options.variant)

    def lacking_rules(self) -> Mapping[str, str]:
        return lacking_rules(self.options.variant)

    def setup(self) -> Setup:
        options = self.options
        split = options.split or "test"
        whole = options.annotation is None and options.variant == "released"
        said: dict[str, Any] = {
            "variant": options.variant,
            "modalities": list(self.modalities),
            "setting": options.setting,
            "hierarchy": True,
            "data_note": None,
        }
        published: tuple[Published, ...] = self.info.published if whole else ()
        return Setup(
            said,
            self.scorers(),
            [figure for figure in published if figure.split == split],
            _SHORTCUTS[options.variant],
        )

    def told(self, sample: RetrievalSample) -> dict[str, str]:
        return {"expression": sample.expression}
