"""The embedded model `ocr` on drawn screens, whose elements are known."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from screenmark.images import open_rgb
from screenmark.metrics import compute_iou
from screenmark.models.embedded import ocr
from screenmark.models.embedded.ocr import OcrParser
from tests.models.embedded import drawing

pytest.importorskip("rapidocr")

Element = dict[str, Any]


@pytest.fixture(scope="module")
def parser() -> OcrParser:
    return OcrParser()


def best(elements: list[Element], box: drawing.Box) -> Element:
    """The element that overlaps `box` most."""
    assert elements, "nothing was found"
    return max(elements, key=lambda element: compute_iou(element["coordinates"], box))


@pytest.fixture(scope="module")
def form(parser: OcrParser) -> tuple[dict[str, drawing.Box], list[Element]]:
    """A form of one control of each kind, and what the parser finds on it."""
    image, pen = drawing.blank()
    boxes = {
        "heading": drawing.write(pen, (40, 20), "Account settings", size=28),
        "label": drawing.write(pen, (40, 80), "Email address"),
        "input": drawing.text_input(pen, (40, 104, 380, 142), "name@example.com"),
        "empty input": drawing.rectangle(pen, (40, 170, 380, 208), outline=drawing.BORDER),
        "checkbox": drawing.rectangle(pen, (40, 230, 54, 244), outline=drawing.GREY),
        "button": drawing.button(pen, (40, 270, 150, 308), "Save"),
        "icon": drawing.magnifier(pen, (560, 30)),
        "image": drawing.rectangle(pen, (460, 120, 600, 240), fill=drawing.GREY),
        "link": drawing.write(pen, (40, 340), "Forgot password", fill=drawing.BLUE),
    }
    return boxes, parser.parse(image)


@pytest.mark.parametrize(
    ("name", "kind", "description"),
    [
        ("heading", "text", "Account settings"),
        ("label", "text", "Email address"),
        ("input", "input", "name@example.com"),
        ("empty input", "input", ""),
        ("checkbox", "checkbox", ""),
        ("button", "button", "Save"),
        ("icon", "icon", ""),
        ("image", "image", ""),
        ("link", "link", "Forgot password"),
    ],
)
def test_finds_each_kind_of_element(
    form: tuple[dict[str, drawing.Box], list[Element]], name: str, kind: str, description: str
) -> None:
    boxes, elements = form
    element = best(elements, boxes[name])
    assert compute_iou(element["coordinates"], boxes[name]) > 0.6
    assert (element["type"], element["description"]) == (kind, description)


def test_reports_nothing_else_and_in_reading_order(
    form: tuple[dict[str, drawing.Box], list[Element]],
) -> None:
    boxes, elements = form
    assert len(elements) == len(boxes)
    assert [element["index"] for element in elements] == list(range(len(elements)))
    order = [element["description"] for element in elements if element["description"]]
    assert order == [
        "Account settings",
        "Email address",
        "name@example.com",
        "Save",
        "Forgot password",
    ]


def test_joins_wrapped_lines_and_keeps_the_spaces(parser: OcrParser) -> None:
    image, pen = drawing.blank()
    first = drawing.write(pen, (40, 100), "The quick brown fox jumps over the lazy dog and then")
    last = drawing.write(pen, (40, 122), "takes a rest in the shade of a tree.")
    box = (first[0], first[1], first[2], last[3])
    element = best(parser.parse(image), box)
    assert compute_iou(element["coordinates"], box) > 0.7
    assert element["description"] == (
        "The quick brown fox jumps over the lazy dog and then takes a rest in the shade of a tree."
    )


def test_rows_of_a_menu_reach_across_its_panel(parser: OcrParser) -> None:
    image, pen = drawing.blank(800, 480)
    drawing.rectangle(pen, (0, 0, 220, 480), fill=(52, 58, 64))
    names = ["Dashboard", "Customers", "Invoices", "Reports", "Settings"]
    for row, name in enumerate(names):
        drawing.write(pen, (24, 60 + 44 * row), name, fill=(230, 230, 230))
    elements = parser.parse(image)
    links = [element for element in elements if element["type"] == "link"]
    assert [link["description"] for link in links] == names
    for row, link in enumerate(links):
        middle = 70 + 44 * row
        assert compute_iou(link["coordinates"], (0, middle - 22, 220, middle + 22)) > 0.8


def test_same_image_same_elements(parser: OcrParser) -> None:
    image, pen = drawing.blank()
    drawing.button(pen, (40, 40, 160, 78), "Continue")
    drawing.write(pen, (40, 120), "Two of three steps are done")
    assert parser.parse(image) == parser.parse(image) == OcrParser().parse(image)


def test_loads_without_network_and_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    image, pen = drawing.blank(320, 160)
    drawing.write(pen, (40, 60), "Order number")
    assert len(OcrParser().parse(image)) == 1
    assert capfd.readouterr() == ("", "")


def noise(width: int, height: int) -> Image.Image:
    values = np.random.default_rng(7).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Image.new("RGB", (1, 1)), id="one pixel"),
        pytest.param(lambda: Image.new("RGB", (1, 300)), id="one column"),
        pytest.param(lambda: Image.new("RGB", (300, 2)), id="two rows"),
        pytest.param(lambda: Image.new("RGB", (640, 400), "white"), id="white"),
        pytest.param(lambda: Image.new("RGB", (30_000, 24), "white"), id="very wide"),
        pytest.param(lambda: Image.new("RGB", (40, 5_000), "black"), id="very tall"),
    ],
)
def test_finds_nothing_where_nothing_is(parser: OcrParser, make: Callable[[], Image.Image]) -> None:
    assert parser.parse(make()) == []


@pytest.mark.parametrize("size", [(9, 9), (33, 200), (500, 300), (2600, 70)])
def test_boxes_are_whole_pixels_inside_the_image(parser: OcrParser, size: tuple[int, int]) -> None:
    for element in parser.parse(noise(*size)):
        x1, y1, x2, y2 = element["coordinates"]
        assert all(type(value) is int for value in (x1, y1, x2, y2))
        assert 0 <= x1 < x2 <= size[0]
        assert 0 <= y1 < y2 <= size[1]


def test_reads_across_the_tiles_of_a_wide_image(parser: OcrParser) -> None:
    image, pen = drawing.blank(5_000, 60)
    texts = {text: drawing.write(pen, (x, 20), text) for text, x in TILE_TEXTS.items()}
    elements = parser.parse(image)
    for text, box in texts.items():
        element = best(elements, box)
        assert element["description"] == text
        assert compute_iou(element["coordinates"], box) > 0.5


TILE_TEXTS = {
    "First of all": 30,
    "A long line of text that the edge of a tile is sure to cut": 1_080,
    "Middle of the page": 2_440,
    "Right at the end": 4_850,
}


def test_boxes_of_a_shrunk_image_are_in_its_own_pixels(
    parser: OcrParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr, "_MAX_PIXELS", 100_000)
    image, pen = drawing.blank(800, 500)
    box = drawing.write(pen, (200, 300), "A large heading", size=60)
    (element,) = parser.parse(image)
    assert element["description"] == "A large heading"
    assert compute_iou(element["coordinates"], box) > 0.6


def test_finds_the_same_on_a_screen_of_double_density(parser: OcrParser) -> None:
    image, pen = drawing.blank()
    boxes = [drawing.text_input(pen, (40, 40, 380, 78), "Street and number")]
    boxes += [drawing.text_input(pen, (40, 100, 380, 138), "Town or village")]
    boxes += [drawing.button(pen, (40, 160, 190, 198), "Place the order")]
    boxes += [drawing.write(pen, (40, 220), "Delivery takes about three days")]
    elements = parser.parse(image.resize((1_280, 800), Image.Resampling.NEAREST))
    assert [element["type"] for element in elements] == ["input", "input", "button", "text"]
    for element, box in zip(elements, boxes, strict=True):
        double = [2 * value for value in box]
        assert compute_iou(element["coordinates"], double) > 0.7


def saved_page(mode: str, path: Path) -> drawing.Box:
    image, pen = drawing.blank(320, 160)
    box = drawing.write(pen, (40, 60), "Order number")
    if mode == "I;16":
        grey = np.asarray(image.convert("L"), dtype=np.uint16) * 257
        Image.fromarray(grey).save(path)
    elif mode == "RGBA":
        # Dark text on transparent pixels that are black underneath.
        alpha = Image.eval(image.convert("L"), lambda value: 255 - value)
        layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
        layer.putalpha(alpha)
        layer.save(path)
    else:
        image.convert(mode).save(path)
    return box


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("RGB", "page.png"),
        ("L", "page.png"),
        ("1", "page.png"),
        ("P", "page.gif"),
        ("RGBA", "page.png"),
        ("I;16", "page.png"),
        ("CMYK", "page.jpg"),
        ("RGB", "屏幕 截图*.png"),
    ],
)
def test_reads_files_of_every_mode(parser: OcrParser, tmp_path: Path, mode: str, name: str) -> None:
    box = saved_page(mode, tmp_path / name)
    elements = parser.parse(open_rgb(tmp_path / name))
    element = best(elements, box)
    assert element["description"] == "Order number"
    assert set(element) == {"type", "index", "description", "coordinates"}
    assert compute_iou(element["coordinates"], box) > 0.5


def test_refuses_a_senseless_number_of_threads() -> None:
    with pytest.raises(ValueError, match="threads"):
        OcrParser(threads=0)
