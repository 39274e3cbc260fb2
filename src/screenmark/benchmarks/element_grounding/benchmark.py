"""What all grounding benchmarks do alike."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from screenmark.answers import Profile, parse_point, profile_of_model
from screenmark.benchmarks.answer_schemas import point_schema
from screenmark.benchmarks.base import Benchmark, DataOptions, Dataset, Sample
from screenmark.benchmarks.data_folders import FolderOptions
from screenmark.benchmarks.element_grounding.prompt import fill, template
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.benchmarks.element_grounding.scoring import compat_point, score_point
from screenmark.benchmarks.element_grounding.summary import summarise_points
from screenmark.benchmarks.element_grounding.tables import (
    point_boxes,
    point_caption,
    point_tables,
    result_tables,
)
from screenmark.benchmarks.page_parsing.prompt import read_template
from screenmark.errors import DataError, UsageError
from screenmark.geometry import Size
from screenmark.profile_files import find_profile
from screenmark.types import (
    TARGET_ABSENT,
    Answer,
    Image,
    Json,
    LabelledBox,
    Message,
    Outcome,
    Record,
    Reply,
    Table,
    Text,
)

DEFAULT_PROFILE = "pixel"
"""Where neither the user nor the model's name says more; the prompt then says so."""


class GroundingOptions(FolderOptions, frozen=True, kw_only=True):
    """Options of grounding benchmarks."""


class ElementGrounding(Benchmark[GroundingSample, GroundingOptions]):
    """An instruction, a screenshot, a point.

    Attributes:
        count_absent: whether the headline is over absent targets too.
        has_compat: whether there is a public implementation whose quirks can be had.
    """

    options_type: ClassVar[type[DataOptions]] = GroundingOptions
    sample_type: ClassVar[type[Sample]] = GroundingSample
    columns = ("id", "instruction", "target", "hit", "distance", "outcome")
    count_absent: ClassVar[bool] = False
    has_compat: ClassVar[bool] = False

    def __init__(self, options: GroundingOptions) -> None:
        super().__init__(options)
        self._own_prompt = None if options.prompt is None else _own_template(options.prompt)
        self._profile: Profile = find_profile(options.profile or DEFAULT_PROFILE)
        if options.scoring == "compat" and not self.has_compat:
            raise UsageError(f"--scoring compat: {self.info.id} has no public scorer to equal")

    def settle_profile(self, fixed_space: str | None, model: str | None = None) -> None:
        super().settle_profile(fixed_space, model)
        if self.profile is None and model is not None:
            known = profile_of_model(model)
            self.profile = None if known is None else known.name
            self.profile_source = "model"
        if self.profile is None:
            self.profile, self.profile_source = DEFAULT_PROFILE, "default"
        self._profile = find_profile(self.profile)

    @abstractmethod
    def load(self) -> Dataset[GroundingSample]: ...

    def build_prompt(self, sample: GroundingSample) -> tuple[Message, ...]:
        text = self._own_prompt or template(
            "zh" if sample.language == "zh" else "en",
            self._profile,
            offers_absence=sample.offers_absence,
        )
        seen = self.size_as_sent(sample.file, sample.width, sample.height)
        words = fill(text, sample.instruction, seen)
        return (Message("user", (Image(sample.file), Text(words))),)

    def answer_schema(self, sample: GroundingSample) -> dict[str, Json] | None:
        if self.options.scoring == "compat" or "json" not in self._profile.syntaxes:
            return None
        return point_schema(offers_absence=sample.offers_absence)

    def parse(self, reply: Reply, sample: GroundingSample) -> Answer:
        if self.options.scoring == "compat":
            return compat_point(reply.text, sample)
        return parse_point(
            reply.text,
            profile=self._profile,
            size=Size(max(1, sample.width), max(1, sample.height)),
            space=self.space_of_reply(self._profile.coordinates, reply),
            finish_reason=reply.finish_reason,
        )

    def score(self, sample: GroundingSample, answer: Answer | None) -> dict[str, Any]:
        return score_point(sample, answer, compat=self.options.scoring == "compat")

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        return summarise_points(
            records,
            self._profile,
            self.profile_source,
            compat=self.options.scoring == "compat",
            count_absent=self.count_absent,
            read_by=self.options.parse_function,
        )

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return result_tables(results)

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return point_tables(record)

    @classmethod
    def sample_boxes(cls, record: Record) -> list[LabelledBox]:
        return point_boxes(record)

    def told(self, sample: GroundingSample) -> dict[str, str]:
        return {"instruction": sample.instruction}

    @classmethod
    def line_of(cls, sample: GroundingSample) -> dict[str, Json]:
        """The row that a builder of prompts written for MMBench-GUI is handed."""
        platform = sample.groups.get("platform", "")
        box = sample.annotated_box or (sample.shapes[0] if sample.shapes else None)
        return {
            "index": sample.index,
            "image_path": f"{platform}/{sample.image_path}" if platform else sample.image_path,
            "image_file": sample.file,
            "instruction": sample.instruction,
            "bbox": None if box is None else list(box),
            "image_size": [sample.width, sample.height],
            "data_type": sample.groups.get("data_type"),
            "platform": platform,
            "app_name": sample.groups.get("app_name"),
            "grounding_type": sample.groups.get("grounding_type"),
            "offers_absence": sample.offers_absence,
        }

    @classmethod
    def sample_caption(cls, record: Record) -> str:
        return point_caption(record)

    def answer_of(self, value: Json, sample: GroundingSample) -> Answer:
        """A point as fractions, or as MMBench-GUI's contract allows in pixels of the image.

        By that contract, and only here, both are pixels if either is above 1. The word
        ``target_absent`` says that the target is not on the screen.
        """
        if value == TARGET_ABSENT:
            return Answer(Outcome.REFUSED, reason=TARGET_ABSENT)
        numbers = list(value) if isinstance(value, tuple | list) else None
        if numbers is None or len(numbers) not in {2, 4}:
            raise TypeError(f"{value!r}, expected (x, y) or {TARGET_ABSENT!r}")
        real = [isinstance(n, int | float) and not isinstance(n, bool) for n in numbers]
        if not all(real) or not all(map(math.isfinite, numbers)):
            raise ValueError(f"{value!r}, expected finite numbers")
        x, y = (sum(axis) / len(axis) for axis in (numbers[::2], numbers[1::2]))
        if (x > 1 or y > 1) and sample.width:
            return Answer(Outcome.OK, [x / sample.width, y / sample.height], repair="pixels")
        return Answer(Outcome.OK, [x, y])

    @property
    def prompt_text(self) -> str:
        if self._own_prompt is not None:
            return self._own_prompt
        return "\n".join(
            template(language, self._profile, offers_absence=True) for language in ("en", "zh")
        )

    def group_of(self, sample: GroundingSample) -> str:
        keys = ("platform", "grounding_type", "data_type", "group", "box_type")
        return "/".join([sample.target, *(sample.groups.get(key, "") for key in keys)])


def _own_template(path: Path) -> str:
    text = read_template(path)
    if "{instruction}" not in text:
        raise DataError(
            "the prompt asks for nothing: expected {instruction} where the instruction goes",
            file=path,
        )
    return text
