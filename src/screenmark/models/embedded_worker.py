"""A worker process of an embedded model: ``python -m screenmark.models.embedded_worker``.

Reads ``{"image": path}`` and writes ``{"text": …, "image": facts}`` or ``{"error": …,
"message": …}``, one JSON line each, until its input ends.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

import msgspec

from screenmark.errors import ImageError
from screenmark.images import encode, open_rgb
from screenmark.models.sent import sent_image


def main(target: str) -> None:
    """Serve the parser ``module:Class`` until standard input ends."""
    # Libraries may print; what they say must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    parser: Any = None
    for line in sys.stdin.buffer:
        task = msgspec.json.decode(line)
        try:
            if parser is None:
                module, _, name = target.partition(":")
                parser = getattr(importlib.import_module(module), name)()
            image = sent_image(encode(task["image"]))
            elements = parser.parse(open_rgb(task["image"]))
            text = json.dumps(elements, ensure_ascii=False, allow_nan=False)
            answer = {"text": text, "image": msgspec.to_builtins(image)}
        except ImageError as error:
            answer = {"error": "ImageError", "message": str(error)}
        except Exception as error:
            answer = {"error": type(error).__name__, "message": f"{type(error).__name__}: {error}"}
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
