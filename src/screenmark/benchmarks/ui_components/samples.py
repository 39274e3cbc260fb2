"""One question of component retrieval: an expression or an anchor, and the candidates."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from screenmark.benchmarks.base import Sample

Box = tuple[float, float, float, float]
"""``x1, y1, x2, y2`` in fractions of the screen's width and height, origin top left."""

Variant: TypeAlias = Literal["released", "no-vh-boxes", "matched-distractors"]
"""What of the data is handed out; see `load_expressions`."""

MATCHED = 0.5
"""IoU from which a candidate is taken for a leaf of the view hierarchy."""

_ROUNDING = 1e-6


def box_problem(box: Box) -> str | None:
    """Why a box is none on the screen, or None if it is one."""
    x1, y1, x2, y2 = box
    inside = min(box) >= -_ROUNDING and max(box) <= 1 + _ROUNDING
    if inside and x1 < x2 and y1 < y2:
        return None
    found = ", ".join(f"{value:g}" for value in box)
    return (
        "expected xmin < xmax and ymin < ymax, all from 0 to 1 as fractions of the screen, "
        f"found {found}"
    )


class Leaf(msgspec.Struct, frozen=True, omit_defaults=True):
    """A leaf of a screen's view hierarchy; ``box`` is None where it is withheld."""

    box: Box | None = None
    class_name: str = ""
    text: str = ""
    description: str = ""
    resource_id: str = ""


class Candidate(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the boxes that an expression may be about.

    Attributes:
        number: its position in the data, by which answers name it in every variant.
        iou: the highest IoU with any leaf; 0 without leaves.
        leaf: position of that leaf if the IoU is at least `MATCHED`, else None.
        ocr: the recognised text within the box; empty without any.
    """

    number: int
    box: Box
    iou: float = 0.0
    leaf: int | None = None
    ocr: str = ""


class Anchor(msgspec.Struct, frozen=True, omit_defaults=True):
    """A component of another screen, to which the right candidate is similar.

    Attributes:
        image_id: of its screen.
        leaf: what the view hierarchy says of it; None without one, or where no leaf matches.
        ocr: the recognised text within its box; empty without any.
        file, width, height: of its screenshot, as for `RetrievalSample`.
    """

    image_id: str
    box: Box
    leaf: Leaf | None = None
    ocr: str = ""
    file: str = ""
    width: int = 0
    height: int = 0


class RetrievalSample(Sample, frozen=True, kw_only=True):
    """What is looked for, and the candidates on one screen.

    Attributes:
        image_id: number of the screen in Rico, or its name.
        expression: what is looked for, in words; empty where it is like the ``anchor``.
        file: the screenshot; empty if none is used, or if it was not found.
        width, height: of the screenshot in pixels; 0 without one.
        label: number of the right candidate.
    """

    image_id: str
    candidates: tuple[Candidate, ...]
    leaves: tuple[Leaf, ...]
    label: int
    expression: str = ""
    anchor: Anchor | None = None
    file: str = ""
    width: int = 0
    height: int = 0

    def leaf_of(self, candidate: Candidate) -> Leaf | None:
        """The leaf that a candidate is taken for, or None."""
        return None if candidate.leaf is None else self.leaves[candidate.leaf]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the candidates, in order."""
        return [candidate.number for candidate in self.candidates]

    @property
    def place(self) -> int:
        """Where among the candidates the right one is."""
        return self.numbers.index(self.label)
