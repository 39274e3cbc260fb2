"""The four tasks: what each is about, and what its data and rules are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from screenmark.benchmarks.base import BenchmarkInfo, DataOptions, Dataset, Published
from screenmark.benchmarks.rules import Rule
from screenmark.benchmarks.ui_classification.base import Classification
from screenmark.benchmarks.ui_classification.features import icon_features, pair_features
from screenmark.benchmarks.ui_classification.icons import Level, load_icons
from screenmark.benchmarks.ui_classification.label_rows import Row, read_label_csv
from screenmark.benchmarks.ui_classification.labelled import (
    known_classes,
    labelled_samples,
    sync_row,
)
from screenmark.benchmarks.ui_classification.options import AppTypeOptions
from screenmark.benchmarks.ui_classification.page_pairs import SYNC_CLASSES, load_page_pairs
from screenmark.benchmarks.ui_classification.rules import BLIND, LOGISTIC, ink_rule, logistic_rule
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.errors import UsageError

_UIBERT: Final = "UIBert, arXiv 2107.13731"
_ACTIONBERT: Final = "ActionBert, arXiv 2012.12350"
_TOPICS: Final = Path(__file__).parent / "data" / "enrico_topics.csv"
_UNTRAINED: Final = {name: what for name, what in BLIND.items() if name != "most_frequent"}
_BOTH: Final = ("ink", LOGISTIC)
_RICO_ICONS: Final = "test split of human icon labels in Rico"


class Sync(Classification):
    """Whether a list of elements belongs to a screenshot."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="uibert-sync",
        family="ui_classification",
        title="UIBert sync of screenshot and elements (bundled: a stand-in)",
        paper="arXiv 2107.13731",
        licence="bundled: pages under MIT; see NOTICE.md beside them",
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=76,
        splits={"test": 76, "train": 80},
        blind_baselines=BLIND,
        published=(
            Published(
                model="UIBert",
                value=0.7907,
                split="test",
                data="RicoSCA, 25k in sync and 47k not, 8:1:1",
                source=_UIBERT,
            ),
        ),
    )
    task = "sync"
    most_classes = 2
    bundled_inputs = frozenset({"img", "ocr", "vh"})
    bundled_note = "A stand-in: web pages with half of their own or of another page's list."

    def load_bundled(self, split: str) -> Dataset[ClassSample]:
        return load_page_pairs(split)

    def normalised(self, row: Row) -> Row:
        return sync_row(row)

    def classes_of(
        self, rows: list[Row], said: tuple[str, ...] | None, file: Path
    ) -> tuple[str, ...]:
        if said is not None:
            raise UsageError("--classes: those of sync are synced and unsynced")
        return SYNC_CLASSES

    @property
    def _sees_both(self) -> bool:
        return {"img", "vh"} <= set(self.modalities)

    def trained_rules(self) -> dict[str, Callable[[], Rule]]:
        return {LOGISTIC: lambda: logistic_rule(pair_features, lambda: self._train)}

    def rules(self) -> Mapping[str, Rule]:
        found = {**super().rules(), "ink": ink_rule()}
        return found if self._sees_both else {k: v for k, v in found.items() if k not in _BOTH}

    def lacking_rules(self) -> Mapping[str, str]:
        why = dict.fromkeys(_BOTH, "it needs the screenshot and the list: --modalities img,vh")
        return super().lacking_rules() if self._sees_both else why


class _Icons(Classification):
    """The class of one icon."""

    level: ClassVar[Level]
    task = "icon"
    bundled_inputs = frozenset({"img"})
    bundled_note = "A stand-in: icons of one open package, to be learned from another."

    def not_bundled(self) -> str:
        return "the bundled icons stand alone, in no screen: img is all there is"

    def load_bundled(self, split: str) -> Dataset[ClassSample]:
        return load_icons(split, self.level)

    def trained_rules(self) -> dict[str, Callable[[], Rule]]:
        return {LOGISTIC: lambda: logistic_rule(icon_features, lambda: self._train)}


def _icon_info(classes: int, base: float, large: float) -> BenchmarkInfo:
    return BenchmarkInfo(
        id=f"uibert-icon-{classes}",
        family="ui_classification",
        title=f"UIBert icons, {classes} classes (bundled: a stand-in)",
        paper="arXiv 2107.13731",
        licence="bundled: MIT (train) and Apache-2.0 (test); see NOTICE.md beside them",
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=430,
        splits={"test": 430, "train": 664},
        blind_baselines=BLIND,
        published=tuple(
            Published(model=model, value=value, split="test", data=_RICO_ICONS, source=_ACTIONBERT)
            for model, value in (("ActionBert base", base), ("ActionBert large", large))
        ),
    )


class IconCoarse(_Icons):
    """32 classes."""

    info: ClassVar[BenchmarkInfo] = _icon_info(32, 0.9742, 0.9750)
    level = "coarse"
    most_classes = 32


class IconFine(_Icons):
    """77 classes."""

    info: ClassVar[BenchmarkInfo] = _icon_info(77, 0.9160, 0.9165)
    level = "fine"
    most_classes = 77


class AppType(Classification):
    """What kind of app a screen is of; the bundled data has topics of screens instead."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="uibert-app-type",
        family="ui_classification",
        title="UIBert app type, 72k or 43.5k screens (bundled: a stand-in)",
        paper="arXiv 2107.13731",
        licence="bundled: Enrico's topics, MIT; see NOTICE.md beside them",
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=692,
        splits={"test": 692},
        blind_baselines=_UNTRAINED,
        published=(
            Published(
                model="ActionBert base",
                value=0.798,
                split="43.5k",
                data="43.5k screens of Rico, 27 app types",
                source=_ACTIONBERT,
            ),
            Published(
                model="ResNet + BERT",
                value=0.643,
                split="43.5k",
                data="43.5k screens of Rico, 27 app types",
                source=_ACTIONBERT,
            ),
        ),
    )
    options_type: ClassVar[type[DataOptions]] = AppTypeOptions
    options: AppTypeOptions
    task = "screen"
    most_classes = 27
    bundled_inputs = frozenset()
    bundled_note = "A stand-in: topics of screens (Enrico) and not app types."

    def __init__(self, options: AppTypeOptions) -> None:
        super().__init__(options)
        if self.is_bundled and options.variant != "enrico":
            raise UsageError(
                f"--variant {options.variant} may not be bundled: name your labels with --data or "
                "--annotation"
            )

    def not_bundled(self) -> str:
        return "the bundled topics come without screens; use --predictions, or data of your own"

    def load_bundled(self, split: str) -> Dataset[ClassSample]:
        rows, problems, data = read_label_csv(_TOPICS)
        classes = known_classes(rows, None, self.most_classes, _TOPICS)
        found = labelled_samples(_TOPICS, rows, problems, data, classes, None, need=frozenset())
        blind = (
            "the bundled topics come without screenshots and view hierarchies: they are for "
            "--predictions; a model would be asked blind"
        )
        return msgspec.structs.replace(found, warnings=[blind])

    @property
    def data_name(self) -> str:
        if self.options.variant != "enrico":
            return f"{self.options.variant} screens"
        return "692 topics of Enrico, a stand-in" if self.is_bundled else super().data_name

    def comparable(self) -> list[Published]:
        return [figure for figure in self.info.published if figure.split == self.options.variant]
