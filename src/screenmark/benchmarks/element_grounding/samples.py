"""An instruction, and where on the screenshot its target is."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from screenmark.benchmarks.base import Sample

Shape: TypeAlias = tuple[float, ...]
"""A box (x1, y1, x2, y2) or a polygon (x1, y1, x2, y2, x3, y3, …), as fractions of the image."""


class GroundingSample(Sample, frozen=True, kw_only=True):
    """One instruction.

    Attributes:
        index: of the item in the annotation.
        image_path: as the annotation gives it.
        file: where the image was found; empty if it was not.
        width, height: of the image in pixels; 0 if it cannot be read.
        instruction: what to do or to find.
        target: whether there is such a thing on the screenshot.
        shapes: places that count as the target; none if it is absent.
        groups: what the results are broken down by: platform, data_type, application, …
        annotated_box: the box or polygon in the annotation's own numbers.
        offers_absence: whether the prompt says how to answer that there is no such thing; the
            same for all samples of a data set, so that it gives nothing away.
    """

    index: int
    image_path: str
    file: str
    width: int
    height: int
    instruction: str
    target: Literal["present", "absent"] = "present"
    shapes: tuple[Shape, ...] = ()
    groups: dict[str, str] = msgspec.field(default_factory=dict)
    language: str = "en"
    annotated_box: tuple[float, ...] | None = None
    offers_absence: bool = False
