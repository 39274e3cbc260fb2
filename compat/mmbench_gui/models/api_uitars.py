"""UI-TARS 1.5 behind an OpenAI-style endpoint: the functions and the parse function.

Copy this file, rename it, change what is different about your model, and name its functions
in a configuration. Every function may be left out; see README.md for what each is handed.
"""

from __future__ import annotations

import base64
import io
from typing import Any

from models.screenshots import find_image, resized
from screenmark.answers import get_profile, parse_point
from screenmark.geometry import Size
from screenmark.types import TARGET_ABSENT

GROUNDING_user_prompt = (
    "Find the element on the screenshot that the instruction is about. Reply with one point "
    "inside it, as (x,y), and nothing else.\nInstruction: {instruction}"
)
ABSENT_user_prompt = "If there is no such thing on the screenshot, answer: not on screen"
QA_user_prompt = (
    "Look at the screenshot and answer the question about it.\n{instruction}\n"
    "Reply with the letter of the right option and nothing else."
)

PROFILE = get_profile("ui-tars-1.5")
MIN_PIXELS = 100 * 28 * 28
MAX_PIXELS = 16384 * 28 * 28
"""The limits of the server's resize, unless the configuration's ``kwargs`` say otherwise."""


def build_custom_prompt(line: dict[str, Any], dataset: str) -> list[dict[str, str]]:
    """A row of data as messages; put one with the role ``system`` first if the model wants it."""
    prompts = {
        "GUIElementGrounding": GROUNDING_user_prompt,
        "GUIContentUnderstanding": QA_user_prompt,
    }
    text = prompts[dataset].format(instruction=line["instruction"])
    if line.get("offers_absence"):
        # Some targets of this data set are not there. All rows say so, so it gives none away.
        text += "\n" + ABSENT_user_prompt
    return [
        {"role": "user", "type": "image", "value": find_image(line["image_path"])},
        {"role": "user", "type": "text", "value": text},
    ]


def prepare_content(message: list[dict[str, str]], **kwargs: Any) -> list[dict[str, Any]]:
    """Images and texts of the user's messages as parts of a chat message.

    Images are brought to the size that the server's own resize would give them. It then
    changes nothing, and the model's pixels are those of the image that went out. PNG loses
    nothing of small text.
    """
    least = kwargs.get("min_pixels") or MIN_PIXELS
    most = kwargs.get("max_pixels") or MAX_PIXELS
    detail = kwargs.get("img_detail", "high")
    content: list[dict[str, Any]] = []
    for row in message:
        if row["type"] == "text":
            content.append({"type": "text", "text": row["value"]})
            continue
        file = io.BytesIO()
        resized(row["value"], least, most).save(file, "PNG")
        url = "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")
        content.append({"type": "image_url", "image_url": {"url": url, "detail": detail}})
    return content


def preprocess_uitars(
    message: list[dict[str, str]], model: Any, processor: Any, **kwargs: Any
) -> list[dict[str, Any]]:
    """The finished messages of the request; ``model`` and ``processor`` are None on this route."""
    messages: list[dict[str, Any]] = []
    if message[0]["role"] == "system":
        messages.append({"role": "system", "content": message[0]["value"]})
        message = message[1:]
    messages.append({"role": "user", "content": prepare_content(message, **kwargs)})
    return messages


def postprocess_uitars(outputs: str, model: Any, processor: Any, **kwargs: Any) -> str:
    """What is scored of a reply: all of it here, coordinates and all."""
    return outputs.strip()


def parse_grounding_response(
    response: str, meta: dict[str, Any]
) -> tuple[float, float] | str | None:
    """The point that an answer means, as fractions of the image; None if there is none.

    An answer that the target is not on the screenshot is ``"target_absent"``. The model answers
    in pixels of the image that went out, whose size is in ``meta``.
    """
    original = Size(*meta["image_size"])
    space = PROFILE.coordinates
    if meta.get("sent_size"):
        space = space.as_sent(Size(*meta["sent_size"]))
    answer = parse_point(response, profile=PROFILE, size=original, space=space)
    if answer.reason == TARGET_ABSENT:
        return TARGET_ABSENT
    x, y = answer.value or (-1, -1)
    return (x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None
