"""Content understanding: multiple choice about a screenshot (MMBench-GUI L1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from screenmark.benchmarks import bundled_pages
from screenmark.benchmarks.answer_schemas import choice_schema
from screenmark.benchmarks.base import Benchmark, BenchmarkInfo, DataOptions, Dataset, Sample
from screenmark.benchmarks.content_understanding.baselines import WHAT
from screenmark.benchmarks.content_understanding.dataset import ChoiceSample, load_questions
from screenmark.benchmarks.content_understanding.prompt import fill, instruction_of, template
from screenmark.benchmarks.content_understanding.scoring import read_choice, score_choice
from screenmark.benchmarks.content_understanding.summary import summarise_choices
from screenmark.benchmarks.content_understanding.tables import question_tables, result_tables
from screenmark.benchmarks.data_folders import FolderOptions, Place, annotation_in
from screenmark.benchmarks.page_parsing.prompt import read_template
from screenmark.errors import DataError, UsageError
from screenmark.options import option
from screenmark.types import Answer, Image, Json, Message, Outcome, Record, Reply, Table, Text

_DATA = Path(__file__).parent / "data"
# The Chinese questions ask about pages that other benchmarks have too.
_BUNDLED = Place([_DATA / "l1.json"], (_DATA / "images", bundled_pages.FOLDER / "images"))
_PLACES = ("{question}", "{instruction}")


class ContentUnderstandingOptions(FolderOptions, frozen=True, kw_only=True):
    """Options of content understanding."""

    mode: Annotated[
        Literal["all", "easy", "medium", "hard"],
        option("Which part of the data.", changes_answers=True),
    ] = "all"
    circular: Annotated[
        bool,
        option(
            "Ask each question once for every rotation of its options; it is right only if all "
            "of them are.",
            changes_answers=True,
        ),
    ] = False


class ContentUnderstanding(Benchmark[ChoiceSample, ContentUnderstandingOptions]):
    """MMBench-GUI L1: the option that a model declares, against the right one."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="mmbench-gui-l1",
        family="content_understanding",
        title="MMBench-GUI L1, content understanding",
        paper="arXiv 2507.19478",
        licence="bundled questions and screens: Apache-2.0; see NOTICE.md beside them",
        primary_metric="accuracy",
        sample_metric="correct",
        sample_pass=1,
        bundled_samples=135,
        blind_baselines=WHAT,
    )
    options_type: ClassVar[type[DataOptions]] = ContentUnderstandingOptions
    sample_type: ClassVar[type[Sample]] = ChoiceSample
    columns = ("id", "question", "difficulty", "chosen", "answer", "correct", "outcome")

    def __init__(self, options: ContentUnderstandingOptions) -> None:
        super().__init__(options)
        self._own_prompt = None if options.prompt is None else _own_template(options.prompt)

    def load(self) -> Dataset[ChoiceSample]:
        options = self.options
        if options.split is not None:
            raise UsageError("--split: these questions have none; see --mode")
        if options.circular and options.sample_seed is not None:
            raise UsageError("--sample-seed draws single rotations; it does not go with --circular")
        place = annotation_in(options, "L1_annotations.json", bundled=_BUNDLED)
        return load_questions(place, options.mode, circular=options.circular)

    def build_prompt(self, sample: ChoiceSample) -> tuple[Message, ...]:
        words = fill(self._own_prompt or template(sample.language), sample)
        return (Message("user", (Image(sample.file), Text(words))),)

    def answer_schema(self, sample: ChoiceSample) -> dict[str, Json] | None:
        return choice_schema(sample.options)

    def parse(self, reply: Reply, sample: ChoiceSample) -> Answer:
        return read_choice(reply, sample, compat=self.options.scoring == "compat")

    def score(self, sample: ChoiceSample, answer: Answer | None) -> dict[str, Any]:
        return score_choice(sample, answer)

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        return summarise_choices(records, circular=self.options.circular)

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return result_tables(results)

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return question_tables(record)

    def told(self, sample: ChoiceSample) -> dict[str, str]:
        options = {f"option {letter}": text for letter, text in sample.options.items()}
        return {"question": sample.question, **options}

    @classmethod
    def sample_caption(cls, record: Record) -> str:
        sample, score = record.sample, record.score
        chosen = score["chosen"]
        said = f"{chosen}. {sample['options'].get(chosen, '')}" if chosen else "nothing"
        right = f"{sample['answer']}. {sample['options'][sample['answer']]}"
        return f"{sample['question']}  ->  {said}  (right: {right})"

    @classmethod
    def line_of(cls, sample: ChoiceSample) -> dict[str, Json]:
        """The row that a builder of prompts written for MMBench-GUI is handed."""
        return {
            "index": sample.index,
            "image_path": f"{sample.platform}/{sample.image_path}",
            "question": sample.question,
            "options": dict(sample.options),
            "answer": sample.answer,
            "explanation": sample.explanation,
            "difficulty": sample.difficulty,
            "image_size": [sample.width, sample.height],
            "platform": sample.platform,
            "app_name": sample.app_name,
            "hint": sample.hint,
            "image_file": sample.file,
            "instruction": instruction_of(sample),
        }

    def answer_of(self, value: Json, sample: ChoiceSample) -> Answer:
        if not isinstance(value, str):
            raise TypeError(f"{value!r}, expected a letter")
        letter = value.strip().upper()
        if letter not in sample.options:
            raise ValueError(f"{value!r}, expected one of {', '.join(sample.options)}")
        return Answer(Outcome.OK, letter)

    @property
    def prompt_text(self) -> str:
        return self._own_prompt or "\n".join(template(language) for language in ("en", "zh"))

    def check_predictions(self, ids: Sequence[str], dataset: Dataset[ChoiceSample]) -> list[str]:
        # A file about all of the data serves for a part of it too.
        return super().check_predictions(ids, dataset) if self.options.mode == "all" else []

    def group_of(self, sample: ChoiceSample) -> str:
        return f"{sample.platform}/{sample.difficulty}"


def _own_template(path: Path) -> str:
    text = read_template(path)
    if not any(place in text for place in _PLACES):
        raise DataError(
            "the prompt asks nothing: expected {instruction}, or {question} and {options}, in it",
            file=path,
        )
    if "{question}" in text and not ("{options}" in text or "{instruction}" in text):
        raise DataError("the prompt leaves the options out: expected {options} in it", file=path)
    return text
