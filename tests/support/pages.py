"""Small annotations with real image files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

ELEMENT: dict[str, Any] = {
    "type": "button",
    "index": 0,
    "description": "OK",
    "coordinates": [10, 10, 40, 30],
}


def make_pages(
    folder: Path, count: int = 3, *, size: tuple[int, int] = (100, 80), **changes: Any
) -> Path:
    """Write ``count`` pages with one element each and return the annotation's path.

    ``changes`` go into the first page's only element.
    """
    (folder / "images").mkdir(parents=True, exist_ok=True)
    pages = []
    for n in range(count):
        name = f"images/{n}.png"
        Image.new("RGB", size, (n * 20 % 256, 90, 160)).save(folder / name)
        element = {**ELEMENT, **(changes if n == 0 else {})}
        pages.append({"image_path": name, "elements": [element]})
    return write_pages(folder, pages)


def write_pages(folder: Path, pages: Any, name: str = "pages.json") -> Path:
    """Write an annotation as given; NaN is written as the word, which is not JSON."""
    annotation = folder / name
    annotation.write_text(json.dumps(pages, ensure_ascii=False), encoding="utf-8")
    return annotation


REPLY = json.dumps([ELEMENT])
"""A reply that is right for every page of `make_pages`."""
