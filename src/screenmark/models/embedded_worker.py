"""A worker process of an embedded model: ``python -m screenmark.models.embedded_worker``.

Reads ``{"image": path, "prompt": …, "size": [width, height], "seen": …}`` and writes
``{"text": …, "seen": …}`` or ``{"error": …, "message": …}``, one JSON line each, until its
input ends. ``seen`` is what the model keeps of an image, as JSON text: who gives it back with
the next question about the same image spares the model a second look.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

import msgspec

from screenmark.errors import ImageError
from screenmark.images import open_rgb


def main(target: str) -> None:
    """Serve the model ``module:Class`` until standard input ends."""
    # Libraries may print; what they say must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    model: Any = None
    for line in sys.stdin.buffer:
        task = msgspec.json.decode(line)
        try:
            if model is None:
                module, _, name = target.partition(":")
                model = getattr(importlib.import_module(module), name)()
            answer = _answer(model, task)
        except ImageError as error:
            answer = {"error": "ImageError", "message": str(error)}
        except Exception as error:
            answer = {"error": type(error).__name__, "message": f"{type(error).__name__}: {error}"}
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()


def _answer(model: Any, task: dict[str, Any]) -> dict[str, Any]:
    seen = task.get("seen")
    if seen is None:
        seen = json.dumps(model.look(open_rgb(task["image"])), ensure_ascii=False, allow_nan=False)
    text = model.answer(task.get("prompt", ""), json.loads(seen), tuple(task["size"]))
    return {"text": text, "seen": seen}


if __name__ == "__main__":
    main(sys.argv[1])
