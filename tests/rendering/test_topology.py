from __future__ import annotations

from typing import Any

import pytest
import shapely

from screenmark.rendering.topology import decode_shapes


def topology(ring: list[list[float]]) -> dict[str, Any]:
    shape = {"type": "Polygon", "arcs": [[0]], "properties": {"name": "Land"}}
    return {"arcs": [ring], "objects": {"countries": {"geometries": [shape]}}}


@pytest.mark.parametrize(
    ("ring", "area", "bounds"),
    [
        pytest.param([[0, 0], [10, 0], [10, 5], [0, 5], [0, 0]], 50, (0, 0, 10, 5), id="plain"),
        pytest.param(
            [[175, 0], [-175, 0], [-175, 5], [175, 5], [175, 0]],
            50,
            (-180, 0, 180, 5),
            id="over-the-antimeridian",
        ),
        pytest.param(
            [[-180, -80], [-90, -80], [0, -80], [90, -80], [179, -80], [-180, -80]],
            3600,
            (-180, -90, 180, -80),
            id="round-a-pole",
        ),
    ],
)
def test_shapes_on_a_flat_map(
    ring: list[list[float]], area: float, bounds: tuple[float, ...]
) -> None:
    found = list(decode_shapes(topology(ring), "countries"))
    assert {name for name, _ in found} == {"Land"}
    assert all(polygon.is_valid for _, polygon in found)
    assert sum(polygon.area for _, polygon in found) == pytest.approx(area)
    assert shapely.total_bounds([polygon for _, polygon in found]) == pytest.approx(bounds)


def test_arcs_are_joined_turned_and_scaled() -> None:
    held = {
        "transform": {"scale": [0.5, 0.5], "translate": [10, 20]},
        "arcs": [[[0, 0], [20, 0], [0, 20]], [[0, 0], [0, 20], [20, 0]]],
        "objects": {"countries": {"geometries": [{"type": "Polygon", "arcs": [[0, -2]]}]}},
    }
    [(name, polygon)] = decode_shapes(held, "countries")
    assert name == ""
    assert polygon.equals(shapely.box(10, 20, 20, 30))
