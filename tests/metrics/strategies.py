"""Small random pages for property tests: boxes that touch, coincide, and have no area."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_side = st.integers(0, 6) | st.sampled_from([0.5, 1.25, 3.0])


@st.composite
def boxes(draw: st.DrawFn) -> list[float]:
    """A box ``[x1, y1, x2, y2]`` on a coarse grid, ints and floats mixed."""
    x1, y1 = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    return [x1, y1, x1 + draw(_side), y1 + draw(_side)]


@st.composite
def elements(draw: st.DrawFn) -> dict[str, Any]:
    """An element; some have no description, or None."""
    element: dict[str, Any] = {"type": "text", "coordinates": draw(boxes())}
    description = draw(st.none() | st.text("ab 中", max_size=6))
    if description is not None or draw(st.booleans()):
        element["description"] = description
    return element


pages = st.lists(elements(), max_size=9)

thresholds = st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 1.0])
