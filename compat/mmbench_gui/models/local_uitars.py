"""UI-TARS 1.5 from a checkpoint on this machine: the four functions and the parse function.

Copy this file, rename it, change what is different about your model, and name its functions
in a configuration. Every function may be left out; see README.md for what each is handed.
"""

from __future__ import annotations

from typing import Any

from models.screenshots import find_image, resized
from screenmark.answers import get_profile, parse_point
from screenmark.geometry import Size, scaled
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
"""The model's own limits, unless the configuration's ``kwargs`` say otherwise."""


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


def prepare_content(
    message: list[dict[str, str]], processor: Any, **kwargs: Any
) -> list[dict[str, Any]]:
    """Images and texts of the user's messages as the chat template wants them."""
    least = kwargs.get("min_pixels") or MIN_PIXELS
    most = kwargs.get("max_pixels") or MAX_PIXELS
    return [
        {"type": "image", "image": resized(row["value"], least, most)}
        if row["type"] == "image"
        else {"type": "text", "text": row["value"]}
        for row in message
    ]


def preprocess_uitars(
    message: list[dict[str, str]], model: Any, processor: Any, **kwargs: Any
) -> Any:
    """Messages as the model's input; what is returned goes into ``generate``."""
    messages: list[dict[str, Any]] = []
    if message[0]["role"] == "system":
        messages.append({"role": "system", "content": message[0]["value"]})
        message = message[1:]
    content = prepare_content(message, processor, **kwargs)
    messages.append({"role": "user", "content": content})
    text = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    images = [part["image"] for part in content if part["type"] == "image"]
    return processor(text=[text], images=images or None, return_tensors="pt")


def postprocess_uitars(outputs: Any, model: Any, processor: Any, **kwargs: Any) -> str:
    """The model's output as text, the prompt that it starts with left out."""
    reply = outputs[0][kwargs["prompt_length"] :]
    return processor.decode(reply, skip_special_tokens=True).strip()


def parse_grounding_response(
    response: str, meta: dict[str, Any]
) -> tuple[float, float] | str | None:
    """The point that an answer means, as fractions of the image; None if there is none.

    An answer that the target is not on the screenshot is ``"target_absent"``. The model answers
    in pixels of the image after its resize. ``meta["seen_size"]`` is what that resize really
    came to, so limits need not be repeated here.
    """
    original = Size(*meta["image_size"])
    seen = meta.get("seen_size")
    space = scaled(Size(*seen)) if seen else PROFILE.coordinates
    answer = parse_point(response, profile=PROFILE, size=original, space=space)
    if answer.reason == TARGET_ABSENT:
        return TARGET_ABSENT
    x, y = answer.value or (-1, -1)
    return (x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None
