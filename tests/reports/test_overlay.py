"""Boxes drawn over a screenshot, pixel by pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from screenmark.errors import ImageError
from screenmark.reports.overlay import draw
from screenmark.types import LabelledBox

GREY = (120, 120, 120)
MATCHED, WRONG, OTHER = (0, 158, 115), (213, 94, 0), (230, 159, 0)


@pytest.fixture
def screenshot(tmp_path: Path) -> str:
    path = tmp_path / "page.png"
    Image.new("RGB", (200, 100), GREY).save(path)
    return str(path)


def box(*corners: float, label: str = "matched", truth: bool = False) -> LabelledBox:
    x1, y1, x2, y2 = corners
    return LabelledBox((x1, y1, x2, y2), label, truth)


def coloured(image: Image.Image) -> list[tuple[int, int]]:
    """Pixels of the screenshot, above the legend, that were drawn on."""
    return [
        (x, y) for y in range(100) for x in range(200) if image.getpixel((x, y)) != GREY
    ]  # fmt: skip


def test_the_legend_is_below_and_the_screenshot_stays(screenshot: str) -> None:
    image = draw(screenshot, [])
    assert image.size == (200, 128)
    assert coloured(image) == []
    assert {image.getpixel((x, y)) for x in range(200) for y in range(100, 128)} == {
        (255, 255, 255)
    }


def test_a_predicted_box_is_solid(screenshot: str) -> None:
    image = draw(screenshot, [box(20, 30, 60, 70)])
    for x in range(20, 61):
        assert image.getpixel((x, 30)) == image.getpixel((x, 70)) == MATCHED
    for y in range(30, 71):
        assert image.getpixel((20, y)) == image.getpixel((60, y)) == MATCHED
    assert image.getpixel((40, 50)) == GREY
    assert image.getpixel((18, 30)) == GREY


def test_a_true_box_is_dashed(screenshot: str) -> None:
    image = draw(screenshot, [box(20, 30, 140, 70, truth=True)])
    top = {image.getpixel((x, 30)) for x in range(20, 141)}
    assert top == {MATCHED, GREY}
    drawn = coloured(image)
    assert min(drawn) >= (19, 29)
    assert all(18 <= x <= 142 and 28 <= y <= 72 for x, y in drawn)
    assert not any(30 < x < 130 and 40 < y < 60 for x, y in drawn)


def test_predictions_lie_over_the_truth_whatever_the_order(screenshot: str) -> None:
    boxes = [box(20, 30, 60, 70, label="wrong"), box(20, 30, 60, 70, truth=True)]
    for order in (boxes, boxes[::-1]):
        image = draw(screenshot, order)
        assert all(image.getpixel((x, 30)) == WRONG for x in range(20, 61))


def test_labels_without_a_colour_of_their_own(screenshot: str) -> None:
    image = draw(screenshot, [box(20, 30, 60, 70, label="surprise")])
    assert image.getpixel((20, 30)) == OTHER


@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize(
    "corners",
    [
        pytest.param((0, 0, 1e30, 1e30), id="huge"),
        pytest.param((-1e12, -1e12, 1e12, 50), id="huge on all sides"),
        pytest.param((-500, -500, -400, -400), id="outside"),
        pytest.param((300, 300, 400, 400), id="below"),
        pytest.param((60, 70, 20, 30), id="corners swapped"),
        pytest.param((20, 30, 20, 30), id="a point"),
        pytest.param((0.4, 0.4, 199.6, 99.6), id="fractions"),
    ],
)
def test_any_numbers_can_be_drawn(
    screenshot: str, corners: tuple[float, float, float, float], truth: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # Nothing is asked of Pillow far outside the image: it walks along every pixel there.
    asked: list[float] = []
    for name in ("line", "rectangle"):
        real = getattr(ImageDraw.ImageDraw, name)

        def spy(self: object, xy: tuple[float, ...], *a: object, real=real, **k: object) -> None:  # type: ignore[no-untyped-def]
            asked.extend(xy)
            real(self, xy, *a, **k)

        monkeypatch.setattr(ImageDraw.ImageDraw, name, spy)
    image = draw(screenshot, [box(*corners, truth=truth)])
    assert image.size == (200, 128)
    assert asked
    assert -100 < min(asked) <= max(asked) < 300
    assert len(asked) < 1000


def test_an_edge_outside_the_image_is_not_drawn_inside(screenshot: str) -> None:
    drawn = coloured(draw(screenshot, [box(50, 40, 1e9, 1e9)]))
    assert {x for x, y in drawn if y > 60} == {50, 51}
    assert {y for x, y in drawn if x > 70} == {40, 41}


@pytest.mark.parametrize(
    ("corners", "near"),
    [
        pytest.param((5000, 44, 5012, 56), (199, 50), id="right"),
        pytest.param((-3000, 44, -2988, 56), (0, 50), id="left"),
        pytest.param((90, 900, 110, 912), (100, 99), id="below"),
        pytest.param((-900, -900, -800, -800), (0, 0), id="corner"),
    ],
)
def test_a_prediction_outside_is_an_arrow_to_the_edge(
    screenshot: str, corners: tuple[float, ...], near: tuple[int, int]
) -> None:
    drawn = coloured(draw(screenshot, [box(*corners)]))
    assert drawn
    assert min(abs(x - near[0]) + abs(y - near[1]) for x, y in drawn) <= 4
    assert all(abs(x - near[0]) <= 40 and abs(y - near[1]) <= 40 for x, y in drawn)


def test_the_legend_says_outside(screenshot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda *a, **k: said.append(a[2]))
    draw(screenshot, [box(500, 1, 510, 9, label="wrong")])
    assert said == ["wrong (predicted): 1, outside the image"]


def test_the_legend_is_not_covered(screenshot: str) -> None:
    image = draw(screenshot, [box(0, 50, 199, 127, label="surprise")])
    assert all(image.getpixel((x, 127)) == (255, 255, 255) for x in range(200))


def test_the_legend_counts_each_label(screenshot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    real = ImageDraw.ImageDraw.text

    def text(self: ImageDraw.ImageDraw, xy: tuple[float, float], words: str, **k: Any) -> None:
        said.append(words)
        real(self, xy, words, **k)

    monkeypatch.setattr(ImageDraw.ImageDraw, "text", text)
    boxes = [box(1, 1, 9, 9), box(11, 1, 19, 9), box(1, 1, 9, 9, truth=True)]
    draw(screenshot, [*boxes, box(1, 1, 9, 9, label="wrong")])
    assert said == ["matched (predicted): 2", "matched (true): 1", "wrong (predicted): 1"]


def test_an_image_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no such image file"):
        draw(str(tmp_path / "none.png"), [])
