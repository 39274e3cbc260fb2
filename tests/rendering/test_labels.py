from __future__ import annotations

import pytest

from screenmark.rendering.basemap import Place
from screenmark.rendering.labels import place_labels

SEOUL = Place("Seoul", 0.852, 0.387, 9.8e6, city=True)
INCHEON = Place("Incheon", 0.8515, 0.3872, 2.6e6, city=True)
VILLAGE = Place("Village", 0.9, 0.4, 900, city=True)
KOREA = Place("South Korea", 0.855, 0.391, 0.01)


@pytest.mark.parametrize(
    ("zoom", "names"),
    [
        (0, set()),
        (3, {"Seoul"}),
        (6, {"Seoul", "South Korea"}),
        (9, {"Seoul", "Incheon", "Village"}),
    ],
)
def test_names_by_zoom(zoom: int, names: set[str]) -> None:
    labels = place_labels([KOREA, SEOUL, INCHEON, VILLAGE], zoom)
    assert {label.text for label in labels} == names


def test_names_do_not_touch() -> None:
    places = [
        Place(f"City {i}", 0.5 + i % 20 / 5000, 0.4 + i // 20 / 5000, 1e7 - i, city=True)
        for i in range(400)
    ]
    boxes = [label.box for label in place_labels(places, 8)]
    assert 10 < len(boxes) < 400
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
            assert apart
