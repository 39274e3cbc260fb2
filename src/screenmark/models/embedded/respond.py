"""From a prompt and the elements of a page to an answer in the form that the prompt asks for."""

from __future__ import annotations

import json
from typing import Any

from screenmark.models.embedded.choices import choose
from screenmark.models.embedded.grounding import find
from screenmark.models.embedded.screen import screen_of
from screenmark.models.embedded.tasks import Choose, Find, read_task


def respond(prompt: str, elements: list[dict[str, Any]], size: tuple[int, int]) -> str:
    """Answer `prompt` about a page of `size` (width, height) in pixels.

    A question with options gets a letter; an instruction gets ``(x, y)`` in whole pixels, or the
    prompt's own words for an absent target; all else gets the elements as a JSON array.
    """
    task = read_task(prompt)
    if isinstance(task, Choose):
        return choose(screen_of(elements, size), task.question, task.options)
    if isinstance(task, Find):
        return _place(task, elements, size)
    plain = [{k: v for k, v in element.items() if k != "shape"} for element in elements]
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def _place(task: Find, elements: list[dict[str, Any]], size: tuple[int, int]) -> str:
    match, good = find(screen_of(elements, size), task.instruction)
    if task.absence is not None and not good:
        return task.absence
    # Who may not decline points at something.
    x, y = match.point if match is not None else (size[0] // 2, size[1] // 2)
    return f"({min(max(x, 0), size[0] - 1)}, {min(max(y, 0), size[1] - 1)})"
