"""What an endpoint is asked: a word, a system prompt, a picture with a number, five targets."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from screenmark.benchmarks.base import Benchmark, Sample
from screenmark.benchmarks.calibration import Calibration, CalibrationSample, page_sample
from screenmark.benchmarks.calibration.pages import targets, write_pages
from screenmark.benchmarks.data_folders import FolderOptions
from screenmark.benchmarks.element_grounding.benchmark import ElementGrounding
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.engine.plan import Plan
from screenmark.engine.requests import make_request
from screenmark.errors import ScreenmarkError
from screenmark.types import Image, Message, Request, Text

CODE: Final = "4827"
"""The number in the picture."""

WORD: Final = "marzipan"
"""What the system prompt asks for."""

PAGES: Final = (4, 0, 22, 21, 5)
"""Calibration pages of five shapes, each with its target far from where x and y are alike."""

_REACH = 0.06
"""Half a target's side as a share of the page, with some room: it is a click, not a measurement."""
_FILE = "number.png"


class TargetQuestion(NamedTuple):
    """A page, how it is asked about, and by which benchmark's rules the reply is read."""

    page: CalibrationSample
    request: Request
    benchmark: Benchmark[Sample, FolderOptions]
    sample: Sample


class Questions(NamedTuple):
    """All that is asked of a model.

    Attributes:
        in_own_words: whether targets are asked for in the benchmark's own prompt and read by its
            own rules, which a run will do too.
    """

    word: Request
    system: Request
    picture: Request
    targets: tuple[TargetQuestion, ...]
    in_own_words: bool

    def __len__(self) -> int:
        return 3 + len(self.targets)


def make_questions(plan: Plan, folder: Path) -> Questions:
    """The questions, their pictures drawn into a folder.

    Args:
        plan: whose options of generation hold. Its profile and limits of images are settled.
    """
    write_pages(folder, PAGES)
    _draw_number(folder / _FILE)
    told = f"Whatever you are asked, answer with the one word {WORD} and nothing else."
    picture = Image(str(folder / _FILE))
    asked = "Which number is written in the image? Answer with its digits."
    own = _own_targets(plan, folder)
    return Questions(
        word=_request(plan, Message("user", (Text("Answer with the one word: ready"),))),
        system=_request(
            plan,
            Message("system", (Text(told),)),
            Message("user", (Text("What is the capital of France?"),)),
        ),
        picture=_request(plan, Message("user", (picture, Text(asked)))),
        targets=own or tuple(_target(plan, folder, number, own=False) for number in PAGES),
        in_own_words=bool(own),
    )


def _request(plan: Plan, *messages: Message) -> Request:
    model = plan.model
    return Request(
        messages=messages,
        temperature=model.temperature,
        max_tokens=model.max_tokens,
        image_limits=plan.benchmark.image_limits,
        image_detail=model.image_detail,
        generate_cfg=model.generate_cfg,
    )


def _own_targets(plan: Plan, folder: Path) -> tuple[TargetQuestion, ...]:
    """The targets in the benchmark's own prompt; none if it asks for other things.

    A user's prompt builder may need more of a line than a page here has, or look for the image in
    a folder of its own.
    """
    if not isinstance(plan.benchmark, ElementGrounding):
        return ()
    try:
        asked = tuple(_target(plan, folder, number, own=True) for number in PAGES)
    except ScreenmarkError:
        return ()
    fit = all(question.request.images == [question.page.file] for question in asked)
    return asked if fit else ()


def _target(plan: Plan, folder: Path, number: int, *, own: bool) -> TargetQuestion:
    page = page_sample(folder, targets()[number])
    benchmark, sample = plan.benchmark, _as_grounding(page) if own else page
    if not own:
        benchmark = Calibration(FolderOptions(data=folder))
        benchmark.settle_image_limits(plan.benchmark.image_limits)
    return TargetQuestion(page, make_request(benchmark, sample, plan.model), benchmark, sample)


def _as_grounding(page: CalibrationSample) -> GroundingSample:
    x, y = page.x, page.y
    return GroundingSample(
        id=page.id,
        index=0,
        image_path=page.image_path,
        file=page.file,
        width=page.width,
        height=page.height,
        instruction=f"Click on the middle of the {page.what}.",
        shapes=((x - _REACH, y - _REACH, x + _REACH, y + _REACH),),
    )


def _draw_number(path: Path) -> None:
    """A small window with a number in it."""
    from PIL import Image as Pillow
    from PIL import ImageDraw, ImageFont

    image = Pillow.new("RGB", (640, 400), (236, 239, 244))
    pen = ImageDraw.Draw(image)
    pen.rectangle((40, 30, 600, 370), fill="white", outline=(120, 130, 150), width=2)
    pen.rectangle((40, 30, 600, 78), fill=(46, 86, 160))
    pen.text((60, 40), "Order", fill="white", font=ImageFont.load_default(26))
    pen.text((320, 215), CODE, fill="black", font=ImageFont.load_default(110), anchor="mm")
    image.save(path)
