"""UI components by what is said of them (UIBert's RefExp)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from screenmark.answers.indices import parse_index
from screenmark.benchmarks.answer_schemas import index_schema
from screenmark.benchmarks.base import (
    Benchmark,
    BenchmarkInfo,
    DataOptions,
    Dataset,
    Published,
    Sample,
)
from screenmark.benchmarks.data_folders import FolderOptions
from screenmark.benchmarks.page_parsing.prompt import read_template
from screenmark.benchmarks.rules import Rule
from screenmark.benchmarks.ui_components.dataset import load_expressions
from screenmark.benchmarks.ui_components.numbered_boxes import NumberedBoxes
from screenmark.benchmarks.ui_components.prompt import fill, read_modalities, template
from screenmark.benchmarks.ui_components.rules import WHAT, reply_rules
from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.benchmarks.ui_components.scoring import score_retrieval
from screenmark.benchmarks.ui_components.summary import summarise_retrieval
from screenmark.benchmarks.ui_components.tables import (
    retrieval_tables,
    sample_boxes,
    sample_tables,
)
from screenmark.errors import DataError, UsageError
from screenmark.options import option
from screenmark.types import Answer, Image, Json, LabelledBox, Message, Record, Reply, Table, Text

_BUNDLED = Path(__file__).parent / "data"
_SPLITS = {"test": 616, "dev": 509}
_UIBERT = "UIBert, arXiv 2107.13731"
_ACTIONBERT = "ActionBert, arXiv 2012.12350"
_PAPER_DEV = "the paper's split of 2.1k components; 509 are released"
_PAPER_TEST = "the paper's split of 1.8k components; 616 are released"


class UIComponentsOptions(FolderOptions, frozen=True, kw_only=True):
    """Options of component retrieval."""

    variant: Annotated[
        Literal["released", "no-vh-boxes", "matched-distractors"],
        option(
            "The data as released; without the boxes of the view hierarchy; or with distractors "
            "of the view hierarchy only.",
            changes_answers=True,
        ),
    ] = "released"
    setting: Annotated[
        Literal["zero-shot", "fine-tuned"],
        option(
            "Whether the model was trained on this task's data; said in the table's title.",
            changes_answers=True,
        ),
    ] = "zero-shot"
    modalities: Annotated[
        str | None,
        option(
            "What the model is given, with commas: img (numbered boxes on the screenshots in "
            "--image-dir), vh (a list with the view hierarchy's texts).",
            changes_answers=True,
            metavar="LIST",
        ),
    ] = None


class RefExp(Benchmark[RetrievalSample, UIComponentsOptions]):
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
    sample_type: ClassVar[type[Sample]] = RetrievalSample
    columns = ("id", "num_candidates", "chosen", "label", "correct", "outcome")

    def __init__(self, options: UIComponentsOptions) -> None:
        super().__init__(options)
        self._own_prompt = None if options.prompt is None else _own_template(options.prompt)
        self._modalities = read_modalities(options.modalities, images=options.image_dir is not None)

    @cached_property
    def _boxes(self) -> NumberedBoxes:
        return NumberedBoxes()

    def load(self) -> Dataset[RetrievalSample]:
        images = self.options.image_dir if "img" in self._modalities else None
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
            places = [options.data / "ref_exp" / f"{split}.tfrecord"]
            places.append(options.data / f"{split}.tfrecord")
            found = next((place for place in places if place.is_file()), None)
            if found is None:
                raise DataError(f"holds no ref_exp/{split}.tfrecord", file=options.data)
            return found
        if split not in _SPLITS:
            raise UsageError(f"--split {split}: the bundled data has {', '.join(_SPLITS)}")
        return _BUNDLED / f"{split}.tfrecord"

    def build_prompt(self, sample: RetrievalSample) -> tuple[Message, ...]:
        placed = self.options.variant != "no-vh-boxes"
        text = self._own_prompt or template()
        words = Text(fill(text, sample, self._modalities, placed=placed))
        if "img" not in self._modalities:
            return (Message("user", (words,)),)
        return (Message("user", (Image(str(self._boxes.draw(sample))), words)),)

    def answer_schema(self, sample: RetrievalSample) -> dict[str, Json] | None:
        return index_schema(sample.numbers)

    def parse(self, reply: Reply, sample: RetrievalSample) -> Answer:
        return parse_index(reply.text, sample.numbers, finish_reason=reply.finish_reason)

    def score(self, sample: RetrievalSample, answer: Answer | None) -> dict[str, Any]:
        return score_retrieval(sample, answer, compat=self.options.scoring == "compat")

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        split = self.options.split or "test"
        whole = self.options.annotation is None and self.options.variant == "released"
        published = [f for f in self.info.published if whole and f.split == split]
        return summarise_retrieval(
            records, self.options.variant, self._modalities, self.options.setting, published
        )

    def rules(self) -> Mapping[str, Rule]:
        return reply_rules(self.options.variant)

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return retrieval_tables(results)

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return sample_tables(record)

    @classmethod
    def sample_boxes(cls, record: Record) -> list[LabelledBox]:
        return sample_boxes(record)

    @classmethod
    def sample_caption(cls, record: Record) -> str:
        return f"{record.sample['expression']}  ->  {record.score['chosen']}"

    def told(self, sample: RetrievalSample) -> dict[str, str]:
        return {"expression": sample.expression}

    @property
    def prompt_text(self) -> str:
        return self._own_prompt or template()


def _own_template(path: Path) -> str:
    text = read_template(path)
    asks = "{instruction}" in text or "{question}" in text
    if not asks or "{options}" not in text:
        raise DataError(
            "expected {instruction} and {options} in the prompt, for the expression and the "
            "candidates",
            file=path,
        )
    return text
