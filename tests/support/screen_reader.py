"""A model behind a fake endpoint that sees the doctor's pictures, in a convention of its own."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
from PIL import Image

from screenmark.benchmarks.calibration.pages import targets
from screenmark.doctor.questions import CODE, WORD
from screenmark.geometry import UNIT, Point, Size, Space
from tests.support.endpoint import Act


class ScreenReader(msgspec.Struct, kw_only=True):
    """Answers by what is asked; fields say how.

    Attributes:
        space, swapped: of its coordinates.
        obeys: whether it follows a system prompt.
        blind: whether it reads something else in pictures.
        thinks: what it writes before every answer.
        usage: tokens in and out that it counts, or None.
        refuses: an act in place of an answer, by the body; None to answer.
    """

    space: str = "pixel"
    swapped: bool = False
    obeys: bool = True
    blind: bool = False
    thinks: str = ""
    usage: tuple[int, int] | None = (1000, 8)
    refuses: Callable[[int, dict[str, Any]], Act | None] = lambda number, body: None

    def __call__(self, number: int, body: dict[str, Any]) -> Act:
        if (act := self.refuses(number, body)) is not None:
            return act
        message = {"role": "assistant", "content": self.thinks + self.answer(body)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply: dict[str, Any] = {"model": "fake-1", "choices": [choice]}
        if self.usage is not None:
            read, written = self.usage
            reply["usage"] = {"prompt_tokens": read, "completion_tokens": written}
        return Act(body=json.dumps(reply).encode())

    def answer(self, body: dict[str, Any]) -> str:
        """The text of its reply."""
        system = [m for m in body["messages"] if m["role"] == "system"]
        if system and self.obeys:
            return WORD.capitalize() + "."
        if (size := image_size(body)) is None:
            return "ready"
        if "Which number" in text_of(body):
            return "I see 12." if self.blind else f"The number is {CODE}."
        return self._place(text_of(body), size)

    def _place(self, text: str, size: Size) -> str:
        # By their shape: they may have been scaled down on the way.
        there = min(
            (target for target in targets() if re.search(rf"\b{target.what}\b", text)),
            key=lambda target: abs(target.width / target.height - size.width / size.height),
        )
        if self.blind:
            return "(1, 1)"
        point = Point(there.x, there.y, UNIT).to(Space.parse(self.space), size)
        digits = 3 if self.space == "unit" else 0
        x, y = f"{point.x:.{digits}f}", f"{point.y:.{digits}f}"
        return f"({y}, {x})" if self.swapped else f"({x}, {y})"


def text_of(body: dict[str, Any]) -> str:
    """All text of a request."""
    return json.dumps(body["messages"])


def image_size(body: dict[str, Any]) -> Size | None:
    """The size of a request's image; None if it has none."""
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else []:
            if part["type"] == "image_url":
                data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                with Image.open(io.BytesIO(data)) as image:
                    return Size(*image.size)
    return None
