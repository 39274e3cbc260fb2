"""Points against boxes and polygons."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from screenmark.metrics import center_distance, point_in_shape

BOX = (0.2, 0.4, 0.6, 0.8)
TRIANGLE = (0.0, 0.0, 1.0, 0.0, 0.0, 1.0)
# A letter C, open to the right.
LETTER = (0, 0, 3, 0, 3, 1, 1, 1, 1, 2, 3, 2, 3, 3, 0, 3)

coordinates = st.floats(-2, 2, allow_nan=False)


@pytest.mark.parametrize(
    ("point", "shape", "inside"),
    [
        pytest.param((0.2, 0.4), BOX, True, id="corner"),
        pytest.param((0.6, 0.5), BOX, True, id="right edge"),
        pytest.param((0.3, 0.8), BOX, True, id="bottom edge"),
        pytest.param((0.6001, 0.5), BOX, False, id="just outside"),
        pytest.param((0.5, 0.5), (0.5, 0.5, 0.5, 0.5), True, id="a box without area"),
        pytest.param((0.3, 0.3), TRIANGLE, True, id="in a triangle"),
        pytest.param((0.5, 0.5), TRIANGLE, True, id="on its long edge"),
        pytest.param((0.6, 0.6), TRIANGLE, False, id="in its box only"),
        pytest.param((0.0, 0.0), TRIANGLE, True, id="on a corner"),
        pytest.param((0.0, -0.1), TRIANGLE, False, id="on an edge's line"),
        pytest.param((2, 1.5), LETTER, False, id="in the opening"),
        pytest.param((2, 0.5), LETTER, True, id="in an arm"),
        pytest.param((0.5, 1.5), LETTER, True, id="in the back"),
        pytest.param((-1, 1), LETTER, False, id="left, level with two corners"),
    ],
)
def test_inside(point: tuple[float, float], shape: tuple[float, ...], inside: bool) -> None:
    assert point_in_shape(point, shape) is inside


@pytest.mark.parametrize("shape", [(), (0.1, 0.2), (0, 0, 1, 0, 1), (0, 0, 1, 0, 1, 1, 0)])
def test_what_is_no_shape(shape: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="a box or at least three corners"):
        point_in_shape((0, 0), shape)


@given(coordinates, coordinates, *[coordinates] * 4)
def test_a_box_is_the_polygon_of_its_corners(
    x: float, y: float, x1: float, y1: float, x2: float, y2: float
) -> None:
    x1, x2 = sorted((x1, x2))
    y1, y2 = sorted((y1, y2))
    # Within rounding of an edge the two may differ.
    assume(all(abs(x - edge) > 1e-9 for edge in (x1, x2)))
    assume(all(abs(y - edge) > 1e-9 for edge in (y1, y2)))
    assume(x2 - x1 > 1e-9 and y2 - y1 > 1e-9)
    corners = (x1, y1, x2, y1, x2, y2, x1, y2)
    assert point_in_shape((x, y), corners) == point_in_shape((x, y), (x1, y1, x2, y2))


def test_distance_is_in_target_sizes() -> None:
    assert center_distance((0.4, 0.6), BOX) == pytest.approx(0, abs=1e-12)
    assert center_distance((0.6, 0.6), BOX) == pytest.approx(0.5)
    assert center_distance((0.6, 0.8), BOX) == pytest.approx(math.sqrt(0.5))
    assert center_distance((0.5, 0.5), TRIANGLE) == 0, "the middle of a polygon's box"
    assert math.isfinite(center_distance((1, 1), (0.5, 0.5, 0.5, 0.5)))
