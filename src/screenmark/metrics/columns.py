"""Element lists of pages, checked and held as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from screenmark.errors import DataError
from screenmark.metrics.boxes import BoxError, Floats, box_array, read_box

Element: TypeAlias = Mapping[str, Any]


class Page(NamedTuple):
    """What was predicted for a screenshot and what is true."""

    image_path: str | None
    predicted: Sequence[Element]
    true: Sequence[Element]


class Columns(NamedTuple):
    """The elements of some pages: for each its predicted elements, then its true ones.

    Attributes:
        boxes: shape (4, n), rows ``x1, y1, x2, y2`` in pixels.
        descriptions: n strings, empty for an element without a description.
        counts: for each page the numbers of predicted and of true elements.
    """

    boxes: Floats
    descriptions: list[str]
    counts: list[tuple[int, int]]


_COORDINATES = itemgetter("coordinates")
_DESCRIPTION = itemgetter("description")


def read_pages(pages: Sequence[Page]) -> Columns:
    """Check the elements of pages, and turn them into columns.

    An element is a dict with ``coordinates`` and, optionally, ``description``.

    Raises:
        DataError: naming the screenshot, the element and the field at fault.
    """
    elements: list[Element] = []
    for page in pages:
        if not isinstance(page.predicted, list | tuple) or not isinstance(page.true, list | tuple):
            _raise_first_problem(pages)
        elements += page.predicted
        elements += page.true
    try:
        boxes = box_array(list(map(_COORDINATES, elements)))
        descriptions = _descriptions(elements)
    except (AttributeError, KeyError, TypeError, ValueError):
        _raise_first_problem(pages)
        raise
    types = set(map(type, descriptions))
    if types - {str, type(None)}:
        _raise_first_problem(pages)
    if types != {str}:
        descriptions = ["" if text is None else text for text in descriptions]
    counts = [(len(page.predicted), len(page.true)) for page in pages]
    return Columns(boxes, descriptions, counts)


def _descriptions(elements: Sequence[Element]) -> list[Any]:
    try:
        return list(map(_DESCRIPTION, elements))
    except KeyError:
        return [element.get("description", "") for element in elements]


def _raise_first_problem(pages: Sequence[Page]) -> None:
    for path, predicted, true in pages:
        for role, elements in (("prediction", predicted), ("ground truth", true)):
            if not isinstance(elements, list | tuple):
                found = type(elements).__name__
                problem = f"expected a list of elements in the {role}, got {found}"
                raise DataError(problem, sample=path, field="elements")
            for index, element in enumerate(elements):
                fault = _find_problem(element)
                if fault is not None:
                    field, problem = fault
                    raise DataError(
                        f"{problem} (in the {role})",
                        sample=path,
                        field=f"elements[{index}]{field}",
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
