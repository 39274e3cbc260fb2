"""The vocabulary: what travels from a data set to a score.

    Sample -> Messages -> Request -> Reply -> Answer -> Score, kept together in a Record.

Everything here is plain data (msgspec structs): it can be written to JSON and read back
without loss, and it carries no behaviour that needs another room of the house.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, TypeAlias

import msgspec

Json: TypeAlias = Any
"""A value that strict JSON can hold: dict, list, str, int, float, bool or None."""


class Outcome(StrEnum):
    """How a sample ended. Every sample has exactly one."""

    OK = "ok"
    UNPARSEABLE = "unparseable"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    API_ERROR = "api_error"
    IMAGE_ERROR = "image_error"
    ENVIRONMENT_ERROR = "environment_error"
    JUDGE_ERROR = "judge_error"

    @property
    def is_failure(self) -> bool:
        """True if we failed to ask, so that a later try may still succeed."""
        return self in _FAILURES


_FAILURES = frozenset(
    {
        Outcome.API_ERROR,
        Outcome.IMAGE_ERROR,
        Outcome.ENVIRONMENT_ERROR,
        Outcome.JUDGE_ERROR,
    }
)

TARGET_ABSENT = "target_absent"
"""``reason`` of a refusal that is an answer: what was asked for is not on the screen."""


class Text(msgspec.Struct, frozen=True, tag_field="kind", tag="text"):
    """A piece of text in a message."""

    text: str


class Image(msgspec.Struct, frozen=True, tag_field="kind", tag="image"):
    """An image in a message, by path; it is read when the request is sent."""

    path: str


Part: TypeAlias = Text | Image


class Message(msgspec.Struct, frozen=True):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


class ImageLimits(msgspec.Struct, frozen=True):
    """The largest image that may be sent; a larger one is scaled down.

    Attributes:
        max_pixels: most pixels, width times height; None for any number.
        max_bytes: most bytes of the image file, before base64 makes 4 bytes out of 3; None
            for any number.
        max_edge: most pixels of the longer side; None for any number.
    """

    max_pixels: int | None = None
    max_bytes: int | None = None
    max_edge: int | None = None


class Request(msgspec.Struct, frozen=True):
    """What a model is asked, with the decoding options that change its answer.

    ``sample_id`` and ``dataset`` say what the request is about; they are not sent. Images are
    sent within ``image_limits``. ``generate_cfg`` holds further options of generation under the
    names that the model knows. With ``keep_special`` a local model's special tokens stay in the
    reply, because they carry the answer. ``schema`` is the JSON schema that an answer should have,
    where the provider can hold the model to it. ``model`` says which one is meant where a run asks
    several.
    """

    messages: tuple[Message, ...]
    temperature: float = 0.0
    max_tokens: int = 4096
    sample_id: str = ""
    image_limits: ImageLimits | None = None
    image_detail: Literal["high", "low", "auto"] = "high"
    generate_cfg: dict[str, Json] | None = None
    dataset: str = ""
    keep_special: bool = False
    schema: dict[str, Json] | None = None
    model: str = ""

    @property
    def text(self) -> str:
        """All text parts in order, joined by line breaks."""
        return "\n".join(p.text for m in self.messages for p in m.parts if isinstance(p, Text))

    @property
    def images(self) -> list[str]:
        """Paths of all image parts, in order."""
        return [p.path for m in self.messages for p in m.parts if isinstance(p, Image)]


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens that a provider counted for one reply."""

    input_tokens: int = 0
    output_tokens: int = 0


class SentImage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was sent of an image.

    Attributes:
        sha256: hash of the original file.
        media_type, bytes, width, height: of what went out; bytes before base64.
        note: the conversion that was needed, or None.
        original_width, original_height: pixels before it was scaled; None if it was not.
        seen_width, seen_height: pixels after the model's own resize; None where that is the
            provider's business.
    """

    sha256: str
    media_type: str
    bytes: int
    width: int
    height: int
    note: str | None = None
    original_width: int | None = None
    original_height: int | None = None
    seen_width: int | None = None
    seen_height: int | None = None


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model said.

    Attributes:
        text: the reply, as received; empty if the model said nothing.
        finish_reason: the provider's word normalised to ``stop``, ``length``,
            ``content_filter``, ``refusal`` or another string; None if unknown.
        model: the model's name as the provider reported it.
        images: the images as they were sent, in order.
        structured: whether the provider held the model to the request's schema; None if there
            was none, or no way to say it.
        notes: what had to be done on the way, as asking again after a worker process died.
        earlier: texts of replies before this one that were sent back with what is wrong with them.
        calls: calls of tools that stand beside a text, each as JSON with ``name`` and
            ``arguments``; of a reply without a text they are the text.
        reasoning: what the provider hands over apart from the text as the model's thinking.
    """

    text: str
    finish_reason: str | None = None
    model: str | None = None
    usage: Usage | None = None
    images: tuple[SentImage, ...] = ()
    structured: bool | None = None
    notes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    reasoning: str = ""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reply means.

    Attributes:
        outcome: ``ok`` if ``value`` can be scored as it stands; ``truncated`` and
            ``refused`` may carry a value too.
        value: the prediction in the family's own form; None if there is none.
        reason: why the outcome is not ``ok``.
        repair: what had to be done to the text before it could be read, or None.
        dropped: parts of the reply that were set aside, each with its reason.
    """

    outcome: Outcome
    value: Json = None
    reason: str | None = None
    repair: str | None = None
    dropped: tuple[str, ...] = ()


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a sample could not be asked."""

    kind: str
    message: str
    status: int | None = None


class Record(msgspec.Struct, omit_defaults=True):
    """One line of ``records.jsonl``: everything about one sample of one run.

    ``sample`` is the sample itself as JSON, truth included, so that a run folder can
    be scored again on a machine that has neither the data set nor the images.
    """

    sample_id: str
    position: int
    outcome: Outcome
    sample: Json
    repeat: int = 0
    request_hash: str = ""
    reply: Reply | None = None
    answer: Answer | None = None
    score: Json = None
    failure: Failure | None = None
    attempts: int = 1
    cached: bool = False
    started: str = ""
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, int]:
        """What the record is about: a sample and the number of its repetition."""
        return (self.sample_id, self.repeat)


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table as data, to be shown in a terminal, as Markdown or as CSV.

    Attributes:
        title: one line.
        columns: heading of each column; numbers are right-aligned where ``rows`` hold them.
        rows: cells as text, numbers or None; a float between 0 and 1 in a column whose
            heading ends in ``%`` is shown in percent.
        note: a line below the table, or None.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
    note: str | None = None


class LabelledBox(msgspec.Struct, frozen=True):
    """A box to draw over a screenshot.

    Attributes:
        box: ``[x1, y1, x2, y2]`` in pixels of the image.
        label: what the box stands for, such as ``missed``; boxes of one label look alike.
        truth: whether it comes from the annotation; drawn dashed, a model's box solid.
    """

    box: tuple[float, float, float, float]
    label: str
    truth: bool
