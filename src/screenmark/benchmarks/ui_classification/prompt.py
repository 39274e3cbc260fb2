"""What a model is asked: which class of a closed list something is of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from screenmark.benchmarks.content_understanding.prompt import replace_all
from screenmark.benchmarks.page_parsing.prompt import read_template
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.errors import DataError, UsageError
from screenmark.models.encoders import Component

MODALITIES: Final = ("img", "ocr", "vh")
"""Screenshot, recognised text, view hierarchy."""

_LONGEST: Final = 80
_MOST_ELEMENTS: Final = 200

TEMPLATES: Final = {
    "icon": """\
This is about one icon of a user interface. Which class is it of, by what it stands for?

{instruction}

Classes: {options}

Exactly one class is right. Answer with its name as it stands in the list and nothing else.
""",
    "sync": """\
This is about a screenshot and a list of elements of a user interface. Was the list taken from the \
very screen that the screenshot shows ("synced"), or from another one ("unsynced")? The list may \
leave elements of the screen out; what it names has to be there, at its place.

{instruction}

Classes: {options}

Answer with one of the two words and nothing else.
""",
    "screen": """\
This is about one screen of a mobile app. Which class is it of?

{instruction}

Classes: {options}

Exactly one class is right. Answer with its name as it stands in the list and nothing else.
""",
}
"""The built-in prompt of each task with its places still open."""

_PLACES: Final = "boxes in thousandths of the width and height, origin top left"
_SHOWN: Final = {
    "icon": "The image shows the icon, cut out and enlarged.",
    "sync": "The image is the screenshot.",
    "screen": "The image is a screenshot of it.",
}
_LISTED: Final = {
    "icon": "What the view hierarchy says of it:",
    "sync": f"The list of elements, {_PLACES}:",
    "screen": f"The elements of its view hierarchy, {_PLACES}:",
}


def read_modalities(
    said: str | None, *, held: Collection[str], why_not: Mapping[str, str]
) -> tuple[str, ...]:
    """The inputs that a run uses, in a fixed order.

    Args:
        said: as on the command line, ``img,vh``; None for what is held, but not ``ocr``.
        held: what the data has.
        why_not: of what it has not, the reason.

    Raises:
        UsageError: an unknown one, none at all, or one that the data does not hold.
    """
    if said is None:
        return tuple(word for word in ("img", "vh") if word in held)
    words = [word.strip().lower() for word in said.split(",") if word.strip()]
    if not words or any(word not in MODALITIES for word in words):
        known = ", ".join(MODALITIES)
        raise UsageError(f"--modalities {said}: expected one or more of {known}, with commas")
    for word in words:
        if word not in held:
            raise UsageError(f"--modalities {word}: {why_not[word]}")
    return tuple(word for word in MODALITIES if word in words)


def own_template(path: Path) -> str:
    """A prompt of the user's.

    Raises:
        DataError: it cannot be read, or leaves out the classes.
    """
    text = read_template(path)
    if "{options}" not in text:
        raise DataError("expected {options} in the prompt, for the classes", file=path)
    return text


def fill(
    text: str,
    task: str,
    sample: ClassSample,
    modalities: Collection[str],
    recognised: Iterable[Component],
) -> str:
    """Put what is known, and the classes, where the template wants them."""
    known = instruction(task, sample, modalities, recognised)
    parts = {
        "{instruction}": known,
        "{question}": known,
        "{options}": ", ".join(sample.classes),
        "{width}": str(sample.width),
        "{height}": str(sample.height),
    }
    return replace_all(text, parts)


def instruction(
    task: str,
    sample: ClassSample,
    modalities: Collection[str],
    recognised: Iterable[Component],
) -> str:
    """What a model is told of the sample, beside the image."""
    parts = []
    if "img" in modalities:
        parts.append(_SHOWN[task])
    if "ocr" in modalities:
        lines = [_line(component) for component in recognised]
        parts.append("\n".join([f"Text recognised on the screenshot, {_PLACES}:", *_cut(lines)]))
    if "vh" in modalities:
        placed = task != "icon"
        lines = [_line(c, placed=placed) for c in sample.components] or ["- nothing"]
        parts.append("\n".join([_LISTED[task], *_cut(lines)]))
    return "\n\n".join(parts) or "Nothing of it is given."


def _cut(lines: list[str]) -> list[str]:
    left = len(lines) - _MOST_ELEMENTS
    return lines if left <= 0 else [*lines[:_MOST_ELEMENTS], f"- and {left} more"]


def _line(component: Component, *, placed: bool = True) -> str:
    """An element on one line, its texts quoted: apps write what they like."""
    named = (
        ("", component.text or component.ocr),
        ("description ", component.description),
        ("id ", component.resource_id),
    )
    said = [name + json.dumps(text[:_LONGEST], ensure_ascii=False) for name, text in named if text]
    words = ", ".join([*([component.class_name] if component.class_name else []), *said])
    if not placed or component.box is None:
        return f"- {words}"
    box = ", ".join(str(round(1000 * value)) for value in component.box)
    return f"- [{box}] {words}"
