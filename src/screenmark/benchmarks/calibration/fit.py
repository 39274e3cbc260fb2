"""Which coordinate space and resize rule do a model's numbers follow?

Every space is a hypothesis: it says which numbers the target's middle has on each page. The one
whose numbers the replies come nearest to wins. How sure that is comes from drawing the pages
anew (bootstrap): the share of draws in which the same one wins. Spaces that hardly differ on
these pages, and that the replies cannot tell apart, are named together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screenmark.geometry import Size, Space, SpaceError

NEAR = 0.05
"""A reply follows a reading if it is so near the target, in shares of the page's sides."""

ENOUGH = 0.6
"""Share of the replies that has to follow the best reading before it is named."""

ALIKE = 0.002
"""Two readings whose typical error differs by less are told apart by nothing here."""

SWAPPED = ", y before x"
"""Behind the name of a space whose numbers come in this order."""

_RESAMPLES = 1000
_MEGAPIXELS = (501_760, 1_003_520, 1_605_632, 2_116_800, 3_686_400, 8_847_360, 12_845_056)
_LONG_EDGES = (512, 768, 1024, 1280, 1344, 1536, 1568, 2000, 2048)
_UNLIMITED = 10**9


class Said(NamedTuple):
    """One reply: its numbers as written, the page's size, and where the target is."""

    numbers: tuple[float, ...]
    size: Size
    x: float
    y: float


class Hypothesis(NamedTuple):
    """A way to read numbers."""

    space: Space
    swapped: bool

    def __str__(self) -> str:
        return str(self.space) + SWAPPED * self.swapped


def hypotheses() -> list[Hypothesis]:
    """Every reading that is tried, the plainest first."""
    names = ["unit", "permille", "percent", "pixel", "fitted(1568, 28, 1568)", "widened(1344)"]
    names += [f"resized(28, 3136, {most})" for most in reversed(_MEGAPIXELS)]
    names += [f"resized(32, 4096, {most})" for most in (16_777_216, 2_097_152, 1_048_576)]
    names += [f"fitted({edge}, 1, {_UNLIMITED})" for edge in _LONG_EDGES]
    spaces = [Space.parse(name) for name in names]
    return [Hypothesis(space, swapped) for swapped in (False, True) for space in spaces]


def fit(said: Sequence[Said], asked: int, *, seed: int = 0) -> dict[str, Any]:
    """Weigh all readings.

    Args:
        said: the replies with numbers in them.
        asked: how many pages were asked about.
        seed: of the draws.

    Returns:
        ``space`` and ``y_first`` of the reading that is followed, or None if none is;
        ``confidence``, ``explained`` (share of the pages that follow it), ``error`` (median, in
        shares of the page), ``alike`` and the ``readings``, the best first.
    """
    tried = hypotheses()
    errors = np.array([[_error(h, one) for one in said] for h in tried]).reshape(len(tried), -1)
    if not said:
        return _nothing(0)
    scores = _scores(errors)
    order = np.argsort(scores, kind="stable")
    best = int(order[0])
    near = (errors < NEAR).sum(axis=1) / max(1, asked)
    readings = [
        {
            "reading": str(tried[n]),
            "space": str(tried[n].space),
            "y_first": tried[n].swapped,
            "explained": float(near[n]),
            "error": float(np.median(errors[n])),
        }
        for n in order[:8]
    ]
    if near[best] < ENOUGH:
        return {**_nothing(len(said)), "readings": readings}
    alike = _alike(scores, best)
    return {
        "num_replies": len(said),
        "space": str(tried[best].space),
        "y_first": tried[best].swapped,
        "explained": float(near[best]),
        "error": float(np.median(errors[best])),
        "confidence": _confidence(errors, alike, seed),
        "alike": [str(tried[n]) for n in alike if n != best],
        "readings": readings,
    }


def _nothing(replies: int) -> dict[str, Any]:
    empty: dict[str, Any] = dict.fromkeys(("space", "y_first", "error", "confidence"))
    return {"num_replies": replies, **empty, "explained": 0.0, "alike": [], "readings": []}


def _error(hypothesis: Hypothesis, said: Said) -> float:
    """Distance from the target as a share of the page's sides; a box counts by its middle."""
    x, y = (float(np.mean(axis)) for axis in (said.numbers[::2], said.numbers[1::2]))
    if hypothesis.swapped:
        x, y = y, x
    try:
        width, height = hypothesis.space.extent(said.size)
    except SpaceError:
        return 1.0
    return min(1.0, float(np.hypot(x / width - said.x, y / height - said.y)))


def _scores(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Typical error of each reading: the mean of those that are not far off, capped.

    A model that misses some pages altogether is not to decide between two fine readings.
    """
    return np.asarray(np.minimum(errors, 2 * NEAR).mean(axis=1))


def _alike(scores: NDArray[np.float64], best: int) -> list[int]:
    return [int(n) for n in np.flatnonzero(scores <= scores[best] + ALIKE)]


def _confidence(errors: NDArray[np.float64], alike: Sequence[int], seed: int) -> float:
    """Share of draws of the pages in which the winner is the best reading, or one like it."""
    generator = np.random.default_rng(seed)
    count = errors.shape[1]
    wins = 0
    for _ in range(_RESAMPLES):
        drawn = generator.integers(count, size=count)
        wins += int(np.argmin(_scores(errors[:, drawn]))) in alike
    return wins / _RESAMPLES
