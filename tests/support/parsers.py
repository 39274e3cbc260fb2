"""A model for worker processes that does what the image's width tells it."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from PIL.Image import Image

DIE, RAISE, CHATTER, SLEEP = 13, 14, 15, 16


class Fragile:
    """Answers with its process id and the image's size, or with what was seen before."""

    def look(self, image: Image) -> list[Any]:
        if image.width == DIE:
            sys.stderr.write("out of memory\n")
            sys.stderr.flush()
            os._exit(7)
        if image.width == RAISE:
            raise ValueError("no such thing")
        if image.width == CHATTER:
            sys.stdout.write("loading…\n")
            os.write(1, b"native noise\n")
        if image.width == SLEEP:
            time.sleep(60)
        return [os.getpid(), list(image.size)]

    def answer(self, prompt: str, seen: list[Any], size: tuple[int, int]) -> str:
        return json.dumps([*seen, prompt, size] if prompt else seen)
