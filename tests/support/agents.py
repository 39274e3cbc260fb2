"""Models of a user's own that act, for tests: they know how far they are by the prompt alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from PIL import Image

from screenmark.models import BaseLLMAdapter


def turn_of(prompt: str) -> int:
    """The number of the turn that a prompt asks for, counted from 1."""
    return int(re.findall(r"Turn (\d+) of \d+", prompt)[-1])


class Clicker(BaseLLMAdapter):
    """Clicks as often as the task wants, then says that it is done."""

    name = "clicker"
    seen: ClassVar[list[str]] = []

    def infer(self, image_path: str, prompt: str) -> str:
        Clicker.seen.append(prompt)
        with Image.open(Path(image_path)) as image:
            width, height = image.size
        found = re.search(r"Task: Click (\d) times", prompt)
        assert found is not None
        if turn_of(prompt) > int(found[1]):
            return "All clicked.\nDONE"
        return f"I click.\n```python\npyautogui.click(x={width // 2}, y={height // 2})\n```"


class Babbler(BaseLLMAdapter):
    """Never says what to do."""

    name = "babbler"

    def infer(self, image_path: str, prompt: str) -> str:
        return "What a nice screen."


class Planner(BaseLLMAdapter):
    """Says in words what `Clicker` does; asked for a place, knows one."""

    name = "planner"

    def infer(self, image_path: str, prompt: str) -> str:
        if "Instruction:" in prompt:
            return "not on screen" if "nowhere" in prompt else "(100, 50)"
        where = "nowhere" if turn_of(prompt) == 1 else "the middle"
        return f'Let me click. {{"action": "click", "point": "{where}"}}'
