"""What is judged: a task, the file that a model left for it, and what was seen of that file."""

from __future__ import annotations

from typing import Literal

import msgspec

from screenmark.benchmarks.base import Sample
from screenmark.types import Json

CheckStatus = Literal["passed", "failed", "not_applicable", "not_extracted"]
FileType = Literal["html_screenshot", "png", "jpg"]


class Task(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task of the sheet.

    Attributes:
        number: its number in the sheet, which outputs are named by.
        level: ``Level1``, ``Level2``, ``Level3``…, or empty if the sheet does not say.
        prompt: what the models were asked for.
        dataset: the data that they were to use, or None.
        language: ``ko`` or ``en``.
        expectations: what a right output has to satisfy, see docs/map_judging.md; None if
            nobody said.
    """

    number: int
    level: str
    prompt: str
    dataset: str | None = None
    language: str = "en"
    expectations: dict[str, Json] | None = None


class Check(msgspec.Struct, frozen=True):
    """What one deterministic look at an output came to.

    Attributes:
        check: what was looked at, such as ``in_region``.
        detail: the evidence in one sentence.
    """

    check: str
    status: CheckStatus
    detail: str


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """Measured properties of an output's picture.

    Attributes:
        width, height: pixels.
        dominant: share of the pixels that have the most frequent colour, at 4 bits a channel.
        colours: number of colours at 4 bits a channel.
    """

    width: int
    height: int
    dominant: float
    colours: int


class Output(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One file under judgement, and what was seen of it.

    Attributes:
        model: name of the folder, which is the model's.
        path: the file; empty if there is none.
        file_type: in the words of the result files; None if there is no file.
        fault: why nobody needs to look at it: it is missing, empty, broken, or there are
            several. The candidate's own fault, so that it scores 0 without a judge.
        remarks: what its text tells, such as that it was cut off.
        file: the picture that a judge is shown; empty until there is one.
        picture: its properties; None until there is one.
        page: what the renderer recorded of an HTML page (errors, requests blocked or
            substituted, why it took it for drawn); None for images.
        maps: what was read from the live maps of a page; None for images and where nothing
            could be read.
    """

    model: str
    path: str
    file_type: FileType | None = None
    fault: str | None = None
    remarks: tuple[str, ...] = ()
    file: str = ""
    picture: Picture | None = None
    page: dict[str, Json] | None = None
    maps: list[dict[str, Json]] | None = None


class MapSample(Sample, frozen=True, kw_only=True):
    """An output, the judge that is to look at it, and the checks that were made of it.

    Attributes:
        judge: as ``--judge`` names it.
        content: hash of the output's file.
        file: the picture; empty until there is one.
    """

    task: Task
    output: Output
    judge: str
    content: str
    file: str = ""
    checks: tuple[Check, ...] = ()
