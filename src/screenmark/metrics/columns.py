"""Element lists of a page, checked once and held as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from screenmark.errors import DataError
from screenmark.metrics.boxes import BoxError, Floats, box_array, read_box

Element: TypeAlias = Mapping[str, Any]


class Columns(NamedTuple):
    """The elements of one page.

    Attributes:
        boxes: shape (4, n), rows ``x1, y1, x2, y2`` in pixels.
        descriptions: n strings, empty for an element without a description.
    """

    boxes: Floats
    descriptions: list[str]


def read_page(
    predicted: Sequence[Element], true: Sequence[Element], image_path: str | None = None
) -> tuple[Columns, Columns]:
    """Check the predicted and the true elements of one screenshot, as columns.

    Args:
        predicted: dicts with ``coordinates`` and, optionally, ``description``.
        true: the same.
        image_path: the screenshot, for the message of an error.

    Raises:
        DataError: naming the screenshot, the element and the field at fault.
    """
    sides = {"prediction": predicted, "ground truth": true}
    for role, elements in sides.items():
        if not isinstance(elements, list | tuple):
            problem = f"expected a list of elements in the {role}, got {type(elements).__name__}"
            raise DataError(problem, sample=image_path, field="elements")
    both = [*predicted, *true]
    try:
        boxes = box_array([element["coordinates"] for element in both])
        descriptions = [element.get("description", "") for element in both]
    except (AttributeError, KeyError, TypeError, ValueError):
        for role, elements in sides.items():
            _raise_first_problem(elements, role, image_path)
        raise
    if set(map(type, descriptions)) - {str}:
        for role, elements in sides.items():
            _raise_first_problem(elements, role, image_path)
        descriptions = ["" if text is None else text for text in descriptions]
    n = len(predicted)
    return Columns(boxes[:, :n], descriptions[:n]), Columns(boxes[:, n:], descriptions[n:])


def _raise_first_problem(elements: Sequence[object], role: str, image_path: str | None) -> None:
    for index, element in enumerate(elements):
        found = _find_problem(element)
        if found is not None:
            field, problem = found
            raise DataError(
                f"{problem} (in the {role})", sample=image_path, field=f"elements[{index}]{field}"
            )


def _find_problem(element: object) -> tuple[str, str] | None:
    """The field at fault, relative to the element, and what is wrong; None if all is well."""
    if not isinstance(element, Mapping):
        return "", f"expected an object, got {type(element).__name__}"
    if "coordinates" not in element:
        return ".coordinates", "missing; expected four numbers [x1, y1, x2, y2]"
    try:
        read_box(element["coordinates"])
    except BoxError as error:
        part = "" if error.position is None else f"[{error.position}]"
        return f".coordinates{part}", str(error)
    description = element.get("description")
    if description is not None and not isinstance(description, str):
        return ".description", f"expected text, got {type(description).__name__}"
    return None
