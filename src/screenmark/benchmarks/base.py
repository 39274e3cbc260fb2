"""What a benchmark is: samples, a prompt, a reading of the reply, a score, a summary.

A benchmark is one folder: ``dataset.py`` (files to samples), ``prompt.py``, ``scoring.py``
(answer to score), ``summary.py`` (records to results) and a subclass of `Benchmark` that
ties them together. Nothing else in the house needs to know about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from screenmark.benchmarks.rules import Rule
from screenmark.errors import DataError, UsageError
from screenmark.geometry import Size, Space, scaled
from screenmark.images import size_as_sent
from screenmark.needs import Needs
from screenmark.options import option
from screenmark.types import (
    Answer,
    ImageLimits,
    Json,
    LabelledBox,
    Message,
    Record,
    Reply,
    Request,
    Table,
)

if TYPE_CHECKING:
    from screenmark.models.encoders import Encoder


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One question. Families add their fields in a subclass.

    Attributes:
        id: unique in the data set and stable between runs.
        problem: why the sample cannot be asked (its image is missing or broken), or None.
    """

    id: str
    problem: str | None = None


S = TypeVar("S", bound=Sample)


class Dataset(msgspec.Struct, Generic[S], frozen=True):
    """Samples in data order, and what was wrong with those that are not among them.

    Attributes:
        source: the file that was read, or the name of the bundled data.
        data_hash: hash of the annotation, so that a run says which data it saw.
        problems: one error for each sample that was left out.
        warnings: things worth a look that leave the samples usable.
        beforehand: what a person has to know before the first request.
    """

    samples: Sequence[S]
    source: str
    data_hash: str
    problems: Sequence[DataError] = ()
    warnings: Sequence[str] = ()
    beforehand: Sequence[str] = ()


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that a paper gives for the primary metric.

    Attributes:
        value: from 0 to 1.
        data: on what it was measured, as far as that differs from the data at hand.
        split: of the data at hand, the one that it may be held against.
    """

    model: str
    value: float
    split: str
    data: str
    source: str


class JudgedOutputs(msgspec.Struct, frozen=True, kw_only=True):
    """How rows about outputs that somebody made are held against each other.

    Attributes:
        maker, item: keys in the rows of ``per_sample``: whose output it is, and of what.
        most: what the benchmark's ``sample_metric`` can come to.
        verdict: key of whether the output passes.
    """

    maker: str
    item: str
    most: float
    verdict: str


class BenchmarkInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What ``screenmark list`` and a table's title say about a benchmark.

    Attributes:
        primary_metric: the headline's key in the results.
        sample_metric: the key in the rows of ``per_sample`` that a sample is judged by.
        splits: bundled splits and their sizes, the default first.
        sample_pass: a sample passes if its ``sample_metric`` is at least this, for pass@k
            and flip rate of repeated runs; None if there is no such verdict.
        outputs: what rows are about where outputs of models are judged, else None.
        needs: what its samples need of a machine besides the model.
        published: what papers report, to hold blind baselines against.
    """

    id: str
    family: str
    title: str
    paper: str
    licence: str
    primary_metric: str
    sample_metric: str
    sample_pass: float | None = None
    bundled_samples: int
    splits: dict[str, int] = {}
    blind_baselines: dict[str, str]
    outputs: JudgedOutputs | None = None
    needs: Needs = Needs()
    published: tuple[Published, ...] = ()


class DataOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which samples are asked, and with which words."""

    annotation: Annotated[
        Path | None, option("Annotation file; left out, it is bundled data.", metavar="FILE")
    ] = None
    image_dir: Annotated[
        Path | None, option("Folder that image paths are relative to.", metavar="DIR")
    ] = None
    split: Annotated[
        str | None, option("Split of the bundled data.", changes_answers=True, metavar="NAME")
    ] = None
    prompt: Annotated[
        Path | None,
        option(
            "Replace the built-in prompt by this file's text; {width} and {height} in it stand for "
            "the image's size, {instruction}, {question}, {options} for what is asked.",
            metavar="FILE",
        ),
    ] = None
    profile: Annotated[
        str | None,
        option(
            "How the model writes coordinates: a family such as qwen2.5-vl, or pixel, unit, "
            "permille, percent, or a file; see: list profiles.",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    build_prompt: Annotated[
        str | None,
        option(
            "Function of your own that makes the prompt: module.function(line, dataset).",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    parse_function: Annotated[
        str | None,
        option(
            "Function of your own that reads the reply: module.function(response, meta).",
            metavar="NAME",
        ),
    ] = None
    max_samples: Annotated[
        int | None, option("Ask only so many samples.", changes_answers=True, minimum=1)
    ] = None
    sample_seed: Annotated[
        int | None,
        option(
            "With --max-samples: draw a stratified sample with this seed instead of the "
            "first ones.",
            changes_answers=True,
        ),
    ] = None
    scoring: Annotated[
        Literal["strict", "compat"],
        option("Our rules, or numbers equal to the public implementation's."),
    ] = "strict"


PROFILE_SOURCES = {
    "option": "--profile",
    "only": "the model's only one",
    "model": "by the model's name",
    "default": "default",
}
"""How a profile was chosen, and in the words of a table."""


O = TypeVar("O", bound=DataOptions)  # noqa: E741


def profile_words(block: Mapping[str, Any]) -> str:
    """The ``profile`` of results for a table's title: its name, and how it was chosen.

    Where a function of the user's own reads the replies, that one: the profile reads nothing.
    """
    if block.get("read_by"):
        return f"read by {block['read_by']}"
    source = PROFILE_SOURCES.get(block["chosen_by"] or "")
    return f"profile {block['name']}" + (f" ({source})" if source else "")


class Benchmark(ABC, Generic[S, O]):
    """The verbs of one benchmark, under the options of one run.

    Attributes:
        columns: keys of ``per_sample`` that a table of samples shows; all if there are none.
        ranked_by: what `rank` goes by, in words; empty for the benchmark's ``sample_metric``.
        defaults: options of model and engine whose default is another one here.
        not_here: declared options, of models too, that this benchmark does not take.
        local_only: whether all of a run has to happen in one process.
        cacheable: whether a reply says the same wherever its request is made again.
        merges_repeats: whether a row of ``per_sample`` stands for all repetitions of a sample,
            so that the engine sums up nothing over repetitions by itself.
        published_fields: keys of ``per_sample`` that the benchmark's own result files have.
        profile: the dialect that replies are read in, once it is settled.
        profile_source: how that came about: one of `PROFILE_SOURCES`, or None.
        draws: whether pictures for prompts have to be made; a rule looks at none.
    """

    info: ClassVar[BenchmarkInfo]
    options_type: ClassVar[type[DataOptions]]
    sample_type: ClassVar[type[Sample]]
    columns: ClassVar[tuple[str, ...]] = ()
    ranked_by: ClassVar[str] = ""
    draws: bool = True
    defaults: ClassVar[Mapping[str, Any]] = {}
    not_here: ClassVar[tuple[str, ...]] = ()
    local_only: ClassVar[bool] = False
    cacheable: ClassVar[bool] = True
    merges_repeats: ClassVar[bool] = False
    published_fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, options: O) -> None:
        self.options = options
        self.profile: str | None = options.profile
        self.profile_source: str | None = None
        self.image_limits: ImageLimits | None = None

    def settle_profile(self, fixed_space: str | None, model: str | None = None) -> None:
        """Decide which dialect replies are read in.

        Args:
            fixed_space: the model's only one, or the one that an old run settled on.
            model: the model's name, for benchmarks that know a family by it.

        Raises:
            UsageError: the user asks for a dialect that is unknown or that the model
                does not speak.
        """
        if fixed_space and self.options.profile not in {None, fixed_space}:
            raise UsageError(
                f"--profile {self.options.profile}: this model answers in {fixed_space} only"
            )
        self.profile = self.options.profile or fixed_space
        if self.profile is not None:
            self.profile_source = "option" if self.options.profile else "only"

    def settle_image_limits(self, limits: ImageLimits | None) -> None:
        """Say within which limits images are sent; None if they go out as they are."""
        self.image_limits = limits

    def size_as_sent(self, file: str, width: int, height: int) -> Size:
        """The size that a model sees, for the prompt, of an image of ``width`` x ``height``.

        Raises:
            ImageError: the image cannot be brought within the limits.
        """
        return size_as_sent(file, Size(width, height), self.image_limits)

    @staticmethod
    def space_of_reply(space: Space, reply: Reply) -> Space:
        """The space that a reply's coordinates are in, its image having been scaled or not.

        A model that answers in pixels, of its own resize or not, answers in those of the image
        that it was sent. Where the model runs here, the size that its own resize came to is known
        and need not be computed from limits that may differ from its real ones. The reply alone
        decides, so that an old record is read the same way wherever it is scored again.
        """
        sent = reply.images[0] if reply.images else None
        if space.kind == "resized" and sent is not None and sent.seen_width and sent.seen_height:
            return scaled(Size(sent.seen_width, sent.seen_height))
        if sent is not None and sent.original_width is not None:
            return space.as_sent(Size(sent.width, sent.height))
        return space

    @abstractmethod
    def load(self) -> Dataset[S]:
        """Read the data.

        Raises:
            DataError: the data as a whole cannot be used. What is wrong with a single
                sample is among the data set's ``problems`` instead.
        """

    def adapters(self, options: Any) -> list[Any]:
        """Whom to ask, where that is not the model that ``options`` names; empty if it is.

        Args:
            options: the run's `screenmark.models.ModelOptions`.
        """
        return []

    def asked_of(self, sample: S) -> str:
        """Which of several models is asked about a sample; empty where there is one."""
        return ""

    async def make_sure(self, samples: Sequence[S]) -> None:
        """Find out whether these samples can be worked on at all, before anything is written.

        Raises:
            ScreenmarkError: something that all or many of them need is not there.
        """

    def work_in(self, folder: Path, earlier: Path | None) -> None:
        """Learn where to keep files of a run; ``earlier`` is that folder of a run to go on from."""
        return

    async def prepare(self, sample: S) -> S:
        """The sample as it is asked about: what has to be made for it first is made here.

        Called in the event loop, for several samples at once, and again for every repetition.

        Raises:
            EnvironmentFailure: that could not be done, so that the sample is not asked.
        """
        return sample

    async def finish(self) -> None:
        """Let go of what `prepare` needed; called at the end, also of a run that is broken off."""

    def settled(self, sample: S) -> Answer | None:
        """The answer about a prepared sample that nobody needs to be asked about, or None."""
        return None

    def follow_up(self, request: Request, reply: Reply, sample: S) -> Request | None:
        """What to ask after a reply that cannot be used; None if the reply stands.

        Args:
            request: the first request about the sample.
            reply: the last reply, with those before it in ``earlier``.
        """
        return None

    @abstractmethod
    def build_prompt(self, sample: S) -> tuple[Message, ...]:
        """What the model is asked about a sample."""

    def answer_schema(self, sample: S) -> dict[str, Json] | None:
        """A JSON schema of the answer to ``build_prompt``, for ``--structured``; None if none fits.

        ``parse`` reads what keeps to it.
        """
        return None

    @abstractmethod
    def parse(self, reply: Reply, sample: S) -> Answer:
        """What the reply means. Never raises because of what a model wrote."""

    @abstractmethod
    def score(self, sample: S, answer: Answer | None) -> Json:
        """Compare an answer with the truth; ``answer`` is None if there was no reply."""

    @abstractmethod
    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        """Records in data order to the benchmark's part of ``results.json``.

        Holds at least ``headline``, ``blind_baselines`` and ``per_sample``; the latter has
        one row for each record, in their order, with ``info.sample_metric`` in it.
        """

    @classmethod
    @abstractmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        """Results as the tables that a person reads, the most important first."""

    @classmethod
    def pictures(cls, results: dict[str, Any]) -> dict[str, bytes]:
        """PNGs that go into the run folder's ``artifacts``, by file name; none by default."""
        return {}

    @classmethod
    @abstractmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        """One record as tables: what was said, what is true, how they compare."""

    @classmethod
    def rank(cls, row: Mapping[str, Any]) -> tuple[float, ...] | None:
        """Where a row of ``per_sample`` stands, the worst lowest; None if it has no score."""
        value = row.get(cls.info.sample_metric)
        return None if value is None else (value,)

    @classmethod
    def sample_boxes(cls, record: Record) -> list[LabelledBox]:
        """What to draw over the sample's image; nothing by default."""
        return []

    @classmethod
    def sample_caption(cls, record: Record) -> str:
        """What to write below the picture of a record; nothing by default."""
        return ""

    @classmethod
    def element_rows(cls, record: Record) -> Iterable[dict[str, Json]]:
        """The parts of one record as flat rows, for ``screenmark export --what elements``.

        Raises:
            UsageError: the benchmark's samples have no parts.
        """
        raise UsageError(f"--what elements: samples of {cls.info.id} have no elements")

    def rules(self) -> Mapping[str, Rule]:
        """Rules that answer in a model's place, by the name that ``--model`` gives them."""
        return {}

    @classmethod
    def listed_rules(cls) -> Mapping[str, Rule]:
        """The rules that there are on bundled data, under whichever options, for a list."""
        return cls(cls.options_type()).rules()  # type: ignore[arg-type]

    def lacking_rules(self) -> Mapping[str, str]:
        """Rules that other data or options have, and why they make no sense under these."""
        return {}

    @classmethod
    def agents(cls) -> Mapping[str, str]:
        """Embedded agents that ``--model`` may name, and what each is; none by default."""
        return {}

    def encoder_rule(self, encoder: Encoder) -> Rule:
        """How the vectors of an encoder answer the samples.

        Raises:
            UsageError: the samples are nothing that an encoder can answer.
        """
        raise UsageError(f"{self.info.id} takes no encoder: its answers are no vectors")

    def told(self, sample: S) -> dict[str, str]:
        """Texts that a prompt about the sample has to hold, by what they are."""
        return {}

    @classmethod
    def line_of(cls, sample: S) -> dict[str, Json]:
        """A sample as the row that functions written for MMBench-GUI are handed."""
        raise NotImplementedError

    @classmethod
    def has_lines(cls) -> bool:
        """Whether there are such rows, so that a user's functions can work on its samples."""
        return cls.line_of.__func__ is not Benchmark.line_of.__func__  # type: ignore[attr-defined]

    def answer_of(self, value: Json, sample: S) -> Answer:
        """What the value that a user's parse function returned means.

        Raises:
            TypeError, ValueError: it is not such a value; the message names it.
        """
        raise NotImplementedError

    @property
    def prompt_text(self) -> str:
        """The prompt's template, for the manifest and the identity of the run."""
        return ""

    def group_of(self, sample: S) -> str:
        """The stratum of a sample, for stratified sampling."""
        return ""

    def check_predictions(self, ids: Sequence[str], dataset: Dataset[S]) -> list[str]:
        """Ids in a file of predictions that the data set does not know."""
        known = {sample.id for sample in dataset.samples}
        known |= {problem.sample for problem in dataset.problems if problem.sample}
        return [id for id in ids if id not in known]
