"""Calibration: in which coordinate space, and after which resize, does a model answer?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from screenmark.answers import profiles, strip_thinking
from screenmark.answers.points import Unreadable, read_mark
from screenmark.benchmarks.base import Benchmark, BenchmarkInfo, DataOptions, Dataset, Sample
from screenmark.benchmarks.calibration.fit import Said, fit
from screenmark.benchmarks.calibration.pages import COUNT, VERSION, Target, targets, write_pages
from screenmark.benchmarks.data_folders import FolderOptions
from screenmark.benchmarks.page_parsing.prompt import read_template
from screenmark.errors import UsageError
from screenmark.geometry import Size
from screenmark.types import Answer, Image, Message, Outcome, Record, Reply, Table, Text

_PROMPT = """\
The image shows some coloured shapes. Point at the middle of the {what}. Answer with its \
coordinates, in the form and convention that you normally use for positions in an image, and \
nothing else.
"""


class CalibrationSample(Sample, frozen=True, kw_only=True):
    """A page and its target; ``x`` and ``y`` are the middle, as fractions of the page."""

    image_path: str
    file: str
    width: int
    height: int
    x: float
    y: float
    what: str


class Calibration(Benchmark[CalibrationSample, FolderOptions]):
    """Pages of unmistakable shapes; what counts is how the numbers are meant."""

    info: ClassVar[BenchmarkInfo] = BenchmarkInfo(
        id="calibration",
        family="calibration",
        title="Calibration of the coordinate space",
        paper="this project",
        licence="Apache-2.0",
        primary_metric="explained",
        sample_metric="read",
        bundled_samples=COUNT,
        blind_baselines={},
    )
    options_type: ClassVar[type[DataOptions]] = FolderOptions
    sample_type: ClassVar[type[Sample]] = CalibrationSample

    def load(self) -> Dataset[CalibrationSample]:
        folder = self.options.data
        if folder is None:
            raise UsageError("--data DIR: the folder that the calibration pages are drawn into")
        write_pages(folder)
        samples = [page_sample(folder, target) for target in targets()]
        return Dataset(samples, source=str(folder), data_hash=f"calibration pages {VERSION}")

    def build_prompt(self, sample: CalibrationSample) -> tuple[Message, ...]:
        text = self._template.replace("{what}", sample.what)
        return (Message("user", (Image(sample.file), Text(text))),)

    def parse(self, reply: Reply, sample: CalibrationSample) -> Answer:
        try:
            mark = read_mark(strip_thinking(reply.text).text, profiles()["pixel"])
        except Unreadable as error:
            return Answer(Outcome.UNPARSEABLE, reason=str(error))
        if mark is None:
            return Answer(Outcome.REFUSED, reason="target_absent")
        return Answer(Outcome.OK, {"numbers": list(mark.numbers), "syntax": mark.syntax})

    def score(self, sample: CalibrationSample, answer: Answer | None) -> dict[str, Any]:
        value = answer.value if answer is not None else None
        return {
            "read": int(value is not None),
            "numbers": value["numbers"] if value else None,
            "syntax": value["syntax"] if value else None,
        }

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        said, rows = [], []
        for record in records:
            sample = msgspec.convert(record.sample, CalibrationSample)
            rows.append({"id": sample.id, **record.score, "outcome": record.outcome.value})
            numbers = record.score["numbers"]
            if numbers is not None:
                size = size_seen(sample, record.reply)
                said.append(Said(tuple(numbers), size, sample.x, sample.y))
        found = fit(said, len(rows))
        syntaxes = dict.fromkeys(row["syntax"].split()[0] for row in rows if row["syntax"])
        return {
            "headline": {
                "metric": "explained",
                "value": found["explained"],
                "low": None,
                "high": None,
            },
            "blind_baselines": {},
            **found,
            "syntaxes": list(syntaxes),
            "per_sample": rows,
        }

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        rows = tuple(
            (reading["reading"], reading["explained"], round(100 * reading["error"], 2))
            for reading in results["readings"]
        )
        columns = ("read as", "pages that follow %", "median error, % of the page")
        found = f"{results['num_replies']} of {results['num_samples']} replies with coordinates"
        title = f"Calibration of {results['model']}: {found}"
        if not rows:
            # A table without a row says nothing; what there is to say goes where people look.
            return [Table(title=title, columns=("verdict",), rows=((_verdict(results),),))]
        return [Table(title=title, columns=columns, rows=rows, note=_verdict(results))]

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        sample = record.sample
        rows = (
            ("asked for", sample["what"]),
            ("page", f"{sample['width']}x{sample['height']}"),
            ("middle", f"{sample['x']:.3f}, {sample['y']:.3f} of the page"),
            ("numbers", str(record.score["numbers"])),
            ("reply", record.reply.text[:200] if record.reply else ""),
        )
        return [Table(title=record.sample_id, columns=("", "value"), rows=rows)]

    @property
    def prompt_text(self) -> str:
        return self._template

    @property
    def _template(self) -> str:
        if self.options.prompt is None:
            return _PROMPT
        text = read_template(self.options.prompt)
        if "{what}" not in text:
            raise UsageError(f"--prompt {self.options.prompt}: expected {{what}} in it")
        return text


def page_sample(folder: Path, target: Target) -> CalibrationSample:
    """A page that was drawn into a folder, as a sample."""
    return CalibrationSample(
        id=target.name,
        image_path=target.name,
        file=str(folder / target.name),
        width=target.width,
        height=target.height,
        x=target.x,
        y=target.y,
        what=target.what,
    )


def size_seen(sample: CalibrationSample, reply: Reply | None) -> Size:
    """The size in pixels of the page as it was sent."""
    sent = reply.images[0] if reply is not None and reply.images else None
    if sent is not None and sent.original_width is not None:
        return Size(sent.width, sent.height)
    return Size(sample.width, sample.height)


def _verdict(results: dict[str, Any]) -> str:
    if not results["num_replies"]:
        return (
            "No reply holds coordinates, so there is nothing to fit. The model writes none, or in "
            "a form that is not known here; look at one with: "
            "screenmark show --sample page-00.png"
        )
    if results["space"] is None:
        return (
            "No reading fits. Either the model does not see the pages, or it answers in a form or "
            "space that is not known here; look at replies with: "
            "screenmark show --sample page-00.png"
        )
    order = ", y before x" if results["y_first"] else ""
    text = f"The model answers in {results['space']}{order}: sure to {results['confidence']:.0%}."
    if results["alike"]:
        text += f" Not told apart on these pages: {'; '.join(results['alike'])}."
    return text
