"""From lines, icons and rectangles to the elements of a page in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from screenmark.models.embedded.bars import find_bar_links
from screenmark.models.embedded.controls import Control, find_controls
from screenmark.models.embedded.glyphs import find_bullets, find_icons, find_pictures
from screenmark.models.embedded.ink import Box
from screenmark.models.embedded.link_colour import inline_links, is_link_coloured
from screenmark.models.embedded.menus import find_menus
from screenmark.models.embedded.panels import panel_items
from screenmark.models.embedded.paragraphs import Paragraph, find_paragraphs
from screenmark.models.embedded.regions import find_frames, find_regions
from screenmark.models.embedded.text_kinds import sort_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from screenmark.models.embedded.text_lines import TextLine
    from screenmark.models.embedded.typography import SetLine

_MIN_ICON = 9


def build_elements(
    pixels: NDArray[np.uint8], text_lines: Sequence[TextLine]
) -> list[dict[str, Any]]:
    """Return the elements of an (height, width, 3) RGB page whose text lines are known."""
    regions = find_regions(pixels)
    frames = find_frames(regions)
    text = sort_text(pixels, frames, text_lines)
    lines = text.lines
    pictures = find_pictures(regions, text.ink)
    icons = find_icons(regions, frames, text.ink)
    icons += [symbol for symbol in text.symbols if not _covers(icons, symbol)]
    icons = [icon for icon in icons if not _covers(pictures, icon)]
    controls = find_controls(pixels, regions, frames, lines, icons)
    lines, icons = _unclaimed(lines, icons, controls)
    menus = find_menus(panel_items(regions, lines, icons), controls)
    lines, icons = _unclaimed(lines, icons, menus)
    links = find_bar_links(panel_items(regions, lines, icons), text.separators, pixels.shape[1])
    lines, icons = _unclaimed(lines, icons, links)

    kept = [c for c in controls if not _covers([row.box for row in [*menus, *links]], c.box)]
    found = [_element(c.kind, c.box, c.text) for c in [*kept, *menus, *links]]
    marks = icons + find_bullets(pixels, lines)
    marks += [control.box for control in controls if control.kind in {"checkbox", "radio"}]
    for paragraph in find_paragraphs(lines, marks):
        found += _text_elements(pixels, paragraph)
    taken = [tuple(element["coordinates"]) for element in found]
    found += [_element("image", box, "") for box in pictures if not _covers(taken, box)]
    found += [_element("icon", box, "") for box in icons if _is_icon(box, lines)]
    return _in_reading_order(_on_page(found, pixels.shape[1], pixels.shape[0]))


def _unclaimed(
    lines: list[SetLine], icons: list[Box], owners: Sequence[Control]
) -> tuple[list[SetLine], list[Box]]:
    used_lines = {id(line) for owner in owners for line in owner.lines}
    used_icons = {icon for owner in owners for icon in owner.icons}
    return (
        [line for line in lines if id(line) not in used_lines],
        [icon for icon in icons if icon not in used_icons],
    )


def _is_icon(box: Box, lines: Sequence[SetLine]) -> bool:
    """False for signs too slight to be elements of their own and for rings around text."""
    slight = min(box[2] - box[0], box[3] - box[1]) < _MIN_ICON
    return not slight and not any(
        box[0] <= (line.ink[0] + line.ink[2]) / 2 <= box[2] and box[1] <= line.middle <= box[3]
        for line in lines
    )


def _text_elements(pixels: NDArray[np.uint8], paragraph: Paragraph) -> list[dict[str, Any]]:
    """The elements of one paragraph: itself, or the link it is, and links of a part of it."""
    is_link = all(is_link_coloured(pixels, line.ink) for line in paragraph.lines)
    elements = [_element("link" if is_link else "text", paragraph.box, paragraph.text)]
    for line in () if is_link else paragraph.lines:
        elements += [_element("link", box, text) for box, text in inline_links(pixels, line)]
    return elements


def _element(kind: str, box: Box, description: str) -> dict[str, Any]:
    return {"type": kind, "description": description, "coordinates": list(box)}


def _covers(boxes: Sequence[Any], box: Box) -> bool:
    """True where one of `boxes` covers most of `box`, or the other way round."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    for other in boxes:
        width = min(box[2], other[2]) - max(box[0], other[0])
        height = min(box[3], other[3]) - max(box[1], other[1])
        if width > 0 and height > 0:
            smaller = min(area, (other[2] - other[0]) * (other[3] - other[1]))
            if width * height > 0.6 * smaller:
                return True
    return False


def _on_page(elements: list[dict[str, Any]], width: int, height: int) -> list[dict[str, Any]]:
    kept = []
    for element in elements:
        x1, y1, x2, y2 = element["coordinates"]
        x1, y1, x2, y2 = max(0, x1), max(0, y1), min(width, x2), min(height, y2)
        if x2 > x1 and y2 > y1:
            kept.append({**element, "coordinates": [int(x1), int(y1), int(x2), int(y2)]})
    return kept


def _in_reading_order(elements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort into rows from top to bottom, within a row from left to right, and number."""
    rows: list[list[dict[str, Any]]] = []
    floor = -1.0
    for element in sorted(elements, key=lambda e: (e["coordinates"][1], e["coordinates"][0])):
        _, y1, _, y2 = element["coordinates"]
        if (y1 + min(y2, y1 + 40)) / 2 > floor or not rows:
            rows.append([])
            floor = min(y2, y1 + 40)
        rows[-1].append(element)
    ordered = [e for row in rows for e in sorted(row, key=lambda e: e["coordinates"][0])]
    return [
        {
            "type": element["type"],
            "index": index,
            "description": element["description"],
            "coordinates": element["coordinates"],
        }
        for index, element in enumerate(ordered)
    ]
