"""Component retrieval: which of the candidates is meant. What its benchmarks have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec

from screenmark.answers.indices import parse_index
from screenmark.benchmarks.answer_schemas import index_schema
from screenmark.benchmarks.base import Benchmark, Sample
from screenmark.benchmarks.data_folders import FolderOptions
from screenmark.benchmarks.page_parsing.prompt import read_template
from screenmark.benchmarks.rules import Rule
from screenmark.benchmarks.ui_components.encoding import encoder_scores
from screenmark.benchmarks.ui_components.pictures import Pictures
from screenmark.benchmarks.ui_components.prompt import fill
from screenmark.benchmarks.ui_components.rules import Scorer, replies, reply_rules
from screenmark.benchmarks.ui_components.samples import RetrievalSample
from screenmark.benchmarks.ui_components.scoring import score_retrieval
from screenmark.benchmarks.ui_components.summary import Setup, summarise_retrieval
from screenmark.benchmarks.ui_components.tables import (
    asked_for,
    retrieval_tables,
    sample_boxes,
    sample_tables,
)
from screenmark.errors import DataError
from screenmark.models.encoders import Encoder, Similarity
from screenmark.options import option
from screenmark.types import Answer, Image, Json, LabelledBox, Message, Record, Reply, Table, Text


class RetrievalOptions(FolderOptions, frozen=True, kw_only=True):
    """Options of component retrieval."""

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
            "What the model is given, with commas: img (screenshots), ocr (recognised text), vh "
            "(the view hierarchy's texts); all that there is by default.",
            changes_answers=True,
            metavar="LIST",
        ),
    ] = None
    candidates: Annotated[
        Literal["boxes", "crops"],
        option(
            "How images show candidates: numbered boxes over the screenshot, or cut out of it.",
            changes_answers=True,
        ),
    ] = "boxes"
    similarity: Annotated[
        Similarity,
        option("How alike two vectors of an encoder are.", changes_answers=True),
    ] = "dot"


R = TypeVar("R", bound=RetrievalOptions)


class Retrieval(Benchmark[RetrievalSample, R]):
    """The right candidate against the one chosen.

    Attributes:
        modalities: the inputs that this run uses, in a fixed order.
    """

    sample_type: ClassVar[type[Sample]] = RetrievalSample
    columns = ("id", "num_candidates", "chosen", "label", "correct", "outcome")
    built_in_prompt: ClassVar[str]

    def __init__(self, options: R, modalities: Sequence[str]) -> None:
        # As they came to be, so that manifests say what was used.
        super().__init__(msgspec.structs.replace(options, modalities=",".join(modalities)))
        self.modalities = tuple(modalities)
        self._own_prompt = None if options.prompt is None else _own_template(options.prompt)

    @abstractmethod
    def scorers(self) -> Mapping[str, Scorer]:
        """The rules that the data hold enough for, by name."""

    @abstractmethod
    def setup(self) -> Setup:
        """What the results say of the run."""

    @property
    def placed(self) -> bool:
        """Whether it is known which candidate is which element of the view hierarchy."""
        return True

    @cached_property
    def _pictures(self) -> Pictures:
        return Pictures()

    def build_prompt(self, sample: RetrievalSample) -> tuple[Message, ...]:
        how = self.options.candidates
        words = Text(fill(self.prompt_text, sample, self.modalities, placed=self.placed, how=how))
        if "img" not in self.modalities or not self.draws:
            return (Message("user", (words,)),)
        pictures = [Image(str(path)) for path in self._pictures.of(sample, how)]
        return (Message("user", (*pictures, words)),)

    def answer_schema(self, sample: RetrievalSample) -> dict[str, Json] | None:
        return index_schema(sample.numbers)

    def parse(self, reply: Reply, sample: RetrievalSample) -> Answer:
        return parse_index(reply.text, sample.numbers, finish_reason=reply.finish_reason)

    def score(self, sample: RetrievalSample, answer: Answer | None) -> dict[str, Any]:
        return score_retrieval(sample, answer, compat=self.options.scoring == "compat")

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        return summarise_retrieval(records, self.setup())

    def rules(self) -> Mapping[str, Rule]:
        return reply_rules(self.scorers())

    def encoder_rule(self, encoder: Encoder) -> Rule:
        how = self.options.similarity
        return Rule(
            f"the candidate whose vector is most like that of what is looked for ({how})",
            replies(lambda samples: encoder_scores(encoder, samples, how)),
            alone=True,
        )

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
        return f"{asked_for(record.sample)}  ->  {record.score['chosen']}"

    @property
    def prompt_text(self) -> str:
        return self._own_prompt or self.built_in_prompt


def _own_template(path: Path) -> str:
    text = read_template(path)
    asks = "{instruction}" in text or "{question}" in text
    if not asks or "{options}" not in text:
        raise DataError(
            "expected {instruction} and {options} in the prompt, for what is looked for and the "
            "candidates",
            file=path,
        )
    return text
