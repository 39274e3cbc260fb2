"""Page parsing: list every element of a screenshot (GUI-HalluBench)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from screenmark.answers.profiles import Profile
from screenmark.benchmarks.answer_schemas import elements_schema
from screenmark.benchmarks.base import Benchmark, BenchmarkInfo, DataOptions, Dataset, Sample
from screenmark.benchmarks.page_parsing.baselines import PREVIOUS_PAGE
from screenmark.benchmarks.page_parsing.dataset import BUNDLED, PageSample, load_pages
from screenmark.benchmarks.page_parsing.page_view import element_rows, page_boxes, page_tables
from screenmark.benchmarks.page_parsing.prompt import fill, read_template, template
from screenmark.benchmarks.page_parsing.scoring import score_page
from screenmark.benchmarks.page_parsing.summary import summarise_pages
from screenmark.benchmarks.page_parsing.tables import result_tables
from screenmark.errors import UsageError
from screenmark.options import option
from screenmark.profile_files import find_profile
from screenmark.types import Answer, Image, Json, LabelledBox, Message, Record, Reply, Table, Text

SPLITS = ("test", "dev", "zh")
DEFAULT_PROFILE = "pixel"
"""Of the original image; the prompt states its size."""


class PageParsingOptions(DataOptions, frozen=True, kw_only=True):
    """Options of page parsing."""

    iou_threshold: Annotated[
        float, option("A pair of boxes matches above this IoU.", minimum=0, maximum=1)
    ] = 0.5
    matching: Annotated[
        Literal["greedy", "optimal"],
        option("Greedy in descending IoU, or the assignment with the most matches."),
    ] = "greedy"


class PageParsing(Benchmark[PageSample, PageParsingOptions]):
    """GUI-HalluBench's page parsing: element lists scored by box and description."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="gui-hallubench",
        family="page_parsing",
        title="GUI-HalluBench, page parsing",
        paper="CVPR 2026, Shanghai AI Lab and Ant Group",
        licence="bundled pages: MIT templates and pages of our own; see NOTICE.md beside them",
        primary_metric="overall_f1",
        sample_metric="f1",
        sample_pass=0.5,
        bundled_samples=20,
        splits={"test": 20, "dev": 20, "zh": 10},
        blind_baselines={"previous_page": PREVIOUS_PAGE},
    )
    options_type: ClassVar[type[DataOptions]] = PageParsingOptions
    sample_type: ClassVar[type[Sample]] = PageSample

    def __init__(self, options: PageParsingOptions) -> None:
        super().__init__(options)
        self._own_prompt = None if options.prompt is None else read_template(options.prompt)
        self._profile: Profile = find_profile(options.profile or DEFAULT_PROFILE)

    def settle_profile(self, fixed_space: str | None, model: str | None = None) -> None:
        super().settle_profile(fixed_space, model)
        # Never by the model's name: published numbers of this benchmark are in pixels.
        if self.profile is None:
            self.profile, self.profile_source = DEFAULT_PROFILE, "default"
        self._profile = find_profile(self.profile)

    def load(self) -> Dataset[PageSample]:
        if self.options.annotation is not None:
            if self.options.split is not None:
                raise UsageError("--split is for the bundled data, not for --annotation")
            return load_pages(self.options.annotation, self.options.image_dir)
        split = self.options.split or SPLITS[0]
        if split not in SPLITS:
            raise UsageError(f"--split {split}: the bundled data has {', '.join(SPLITS)}")
        if self.options.image_dir is not None:
            raise UsageError("--image-dir needs --annotation; the bundled data has its images")
        return load_pages(BUNDLED / f"{split}.json", BUNDLED)

    def build_prompt(self, sample: PageSample) -> tuple[Message, ...]:
        text = self._own_prompt or template(sample.language, self._profile)
        seen = self.size_as_sent(sample.file, sample.width, sample.height)
        words = fill(text, seen.width, seen.height)
        return (Message("user", (Image(sample.file), Text(words))),)

    def answer_schema(self, sample: PageSample) -> dict[str, Json] | None:
        return elements_schema()

    def parse(self, reply: Reply, sample: PageSample) -> Answer:
        from screenmark.answers import parse_elements
        from screenmark.geometry import Size

        return parse_elements(
            reply.text,
            space=self.space_of_reply(self._profile.coordinates, reply),
            size=Size(sample.width, sample.height),
            finish_reason=reply.finish_reason,
        )

    def score(self, sample: PageSample, answer: Answer | None) -> dict[str, Any]:
        return score_page(sample, answer, self.options.iou_threshold, self.options.matching)

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        results = summarise_pages(
            records,
            self.options.iou_threshold,
            self.options.matching,
            compat=self.options.scoring == "compat",
        )
        profile = self._profile
        about = {"name": profile.name, "space": profile.space, "chosen_by": self.profile_source}
        return {"profile": about, **results}

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return result_tables(results)

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return page_tables(record)

    @classmethod
    def sample_boxes(cls, record: Record) -> list[LabelledBox]:
        return page_boxes(record)

    @classmethod
    def element_rows(cls, record: Record) -> Iterable[dict[str, Json]]:
        return element_rows(record)

    @property
    def prompt_text(self) -> str:
        if self._own_prompt is not None:
            return self._own_prompt
        return "\n".join(template(language, self._profile) for language in ("en", "zh"))

    def group_of(self, sample: PageSample) -> str:
        return f"{sample.language}/{sample.platform}"
