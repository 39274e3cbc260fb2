"""A benchmark of tiny samples: what remains is the engine's own work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, overload

from screenmark.benchmarks import (
    BENCHMARKS,
    Benchmark,
    BenchmarkInfo,
    DataOptions,
    Dataset,
    Sample,
)
from screenmark.metrics import wilson_interval
from screenmark.options import option
from screenmark.types import Answer, Message, Outcome, Record, Reply, Table, Text

ID = "bench-small"


class SmallOptions(DataOptions, frozen=True, kw_only=True):
    """How many questions."""

    count: Annotated[int, option("Number of samples.", changes_answers=True)] = 1000


class Question(Sample, frozen=True, kw_only=True):
    """A question as short as one about a point on a screen, and its answer."""

    text: str
    answer: str


class Questions(Sequence[Question]):
    """So many questions, each made when it is asked for: what is measured is the engine."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Questions: ...
    def __getitem__(self, index: int | slice) -> Question | Questions:
        if isinstance(index, slice):
            return Questions(self._numbers[index])
        n = self._numbers[index]
        text = f"Where is button {n}? Answer (x, y)."
        return Question(id=f"q{n:07}", text=text, answer="(0.5, 0.5)")


class Small(Benchmark[Question, SmallOptions]):
    """Questions whose right answer is what the endpoint always says."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id=ID,
        family="bench",
        title="tiny samples",
        paper="none",
        licence="none",
        primary_metric="accuracy",
        sample_metric="hit",
        bundled_samples=0,
        blind_baselines={},
    )
    options_type: ClassVar[type[DataOptions]] = SmallOptions
    sample_type: ClassVar[type[Sample]] = Question

    def load(self) -> Dataset[Question]:
        samples = Questions(range(self.options.count))
        return Dataset(samples=samples, source="made up", data_hash=str(self.options.count))

    def build_prompt(self, sample: Question) -> tuple[Message, ...]:
        return (Message("user", (Text(sample.text),)),)

    def parse(self, reply: Reply, sample: Question) -> Answer:
        return Answer(Outcome.OK, reply.text.strip())

    def score(self, sample: Question, answer: Answer | None) -> dict[str, Any]:
        return {"hit": answer is not None and answer.value == sample.answer}

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        hits = count = 0
        for record in records:
            hits += record.score["hit"]
            count += 1
        low, high = wilson_interval(hits, count)
        value = hits / count if count else None
        return {
            "headline": {"metric": "accuracy", "value": value, "low": low, "high": high},
            "blind_baselines": {},
            "per_sample": [],
        }

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return []

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return []


BENCHMARKS[ID] = "bench.small:Small"
