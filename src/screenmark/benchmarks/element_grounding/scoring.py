"""Where the model points against where the target is."""

from __future__ import annotations

import re
from typing import Any, Final

from screenmark.benchmarks.element_grounding.samples import GroundingSample, Shape
from screenmark.metrics.points import center_distance, point_in_shape
from screenmark.types import TARGET_ABSENT, Answer, Outcome

_NUMBER = r"((?:[+-]|(?<!\d))(?:\d+\.\d*|\.\d+|\d+))"
# The public parser's one pattern: two numbers, of which the second may be named. What it allows
# around them (a name, a bracket) changes no result. Starting within a number changes none
# either, and not to do so keeps the time linear.
_FIRST_PAIR: Final = re.compile(
    rf"{_NUMBER}[,;\s]+(?:y\s*(?:[:=]\s*)?)?([+-]?(?:\d+\.\d*|\.\d+|\d+))", re.IGNORECASE
)
_LONGEST = 100_000


def score_point(sample: GroundingSample, answer: Answer | None, *, compat: bool) -> dict[str, Any]:
    """``hit`` is 1 or 0; for an absent target, 1 if the model says that it is absent.

    ``distance`` is that of the point from the target's middle, in target sizes, and ``inside``
    whether the point is on the image at all; both None without a point or a target.
    """
    point = answer.value if answer is not None else None
    shapes = _compat_shapes(sample) if compat else sample.shapes
    if sample.target == "absent":
        refused = answer is not None and answer.outcome is Outcome.REFUSED
        hit = refused and answer is not None and answer.reason == TARGET_ABSENT
    else:
        hit = point is not None and any(point_in_shape(point, shape) for shape in shapes)
    distance = None
    if point is not None and shapes:
        distance = min(center_distance(point, shape) for shape in shapes)
    return {
        "hit": int(hit),
        "point": point,
        "target": sample.target,
        "distance": distance,
        "inside": None if point is None else all(0 <= number <= 1 for number in point),
    }


def compat_point(text: str, sample: GroundingSample) -> Answer:
    """What the public implementation of MMBench-GUI L2 reads, its quirks included.

    The first two numbers with a separator between them. If either is above 1 both are taken
    for pixels of the original image; so 0 to 1000 is read as pixels, and a box by its corner.
    """
    found = _FIRST_PAIR.search(text[:_LONGEST])
    if found is None:
        return Answer(Outcome.UNPARSEABLE, reason="no two numbers with a separator between them")
    x, y = float(found[1]), float(found[2])
    if (x > 1 or y > 1) and sample.width:
        x, y = x / sample.width, y / sample.height
    return Answer(Outcome.OK, [x, y])


def _compat_shapes(sample: GroundingSample) -> tuple[Shape, ...]:
    """The box as the public implementation reads it: of pixels unless all four are in [0, 1].

    An edge marked by -1 therefore has the whole box divided by the image's size.
    """
    box = sample.annotated_box
    if box is None or all(0 <= number <= 1 for number in box) or not sample.width:
        return sample.shapes
    sides = (sample.width, sample.height)
    mended = [0.0 if number == -1 else number for number in box]
    return (tuple(number / sides[position % 2] for position, number in enumerate(mended)),)
