"""Render and annotate the bundled Chinese pages of the `gui-hallubench` benchmark.

    python -m tools.make_chinese_pages [--chromium PATH]

Renders `tools/chinese_pages/*.html` (our own pages) at device scale 1, lists their elements from
the DOM (`annotate.js`) and writes `data/zh.json` and its images in the format of GUI-HalluBench.

Needs Playwright for Python, Pillow, NumPy and OpenCV (`pip install playwright pillow numpy
opencv-python-headless`), a Chromium (Debian: `apt install chromium`; Playwright's own download is
not used) and the Noto CJK fonts (Debian: `apt install fonts-noto-cjk`). Another version of browser
or fonts moves boxes by pixels.
"""

from __future__ import annotations

import argparse
import io
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tools.bundle_pages import (
    DATA,
    Page,
    compress_png,
    dump_annotation,
    interleave,
    remove_images,
    write_compat_sample,
)

PAGES = Path(__file__).resolve().parent / "chinese_pages"
VIEWPORTS = {"mobile": (390, 844), "desktop": (1280, 800), "tablet": (820, 1180)}
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--disable-lcd-text",
    "--font-render-hinting=none",
)
TEXT_MARGIN = 2

Pixels = npt.NDArray[np.uint8]  # height x width x 3


def render(browser: Browser, path: Path) -> tuple[str, bytes, list[dict[str, Any]]]:
    """One page's platform, screenshot (PNG) and raw elements (`annotate.js`, CSS pixels)."""
    context = browser.new_context(java_script_enabled=True, locale="zh-CN", offline=True)
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        platform = page.locator("meta[name=platform]").get_attribute("content")
        if platform not in VIEWPORTS:
            raise ValueError(f"{path}: platform is {platform!r}, expected one of {[*VIEWPORTS]}")
        width, height = VIEWPORTS[platform]
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => document.fonts.ready.then(() => true)")
        elements = page.evaluate((PAGES / "annotate.js").read_text(encoding="utf-8"))
        return platform, page.screenshot(animations="disabled"), elements
    finally:
        context.close()


def is_uniform(pixels: Pixels) -> bool:
    return bool((pixels == pixels[:1, :1]).all())


def trim_rows(box: list[int], pixels: Pixels) -> list[int]:
    """Take the empty rows above and below a text out of its box, but for a small margin.

    The line box of a CJK font is half as high again as its glyphs; people draw boxes round glyphs.
    """
    x1, y1, x2, y2 = box
    rows = pixels[y1:y2, x1:x2]
    inked = np.flatnonzero((rows != rows[:, :1]).any(axis=(1, 2)))
    if not inked.size:
        return box
    top, bottom = y1 + int(inked[0]), y1 + int(inked[-1]) + 1
    return [x1, max(y1, top - TEXT_MARGIN), x2, min(y2, bottom + TEXT_MARGIN)]


def to_pixel_elements(raw: Sequence[dict[str, Any]], pixels: Pixels) -> list[Page]:
    """Elements in the seed's form: whole pixels, nothing invisible, numbered from 0."""
    elements: list[Page] = []
    for item in raw:
        x1, y1, x2, y2 = item["box"]
        box = [math.floor(x1), math.floor(y1), math.ceil(x2), math.ceil(y2)]
        if is_uniform(pixels[box[1] : box[3], box[0] : box[2]]):
            continue
        if item["type"] in ("text", "heading"):
            box = trim_rows(box, pixels)
        elements.append(
            {
                "type": item["type"],
                "index": len(elements),
                "description": item["description"],
                "coordinates": box,
            }
        )
    return elements


def write_page(browser: Browser, path: Path) -> Page:
    """Render one page, write its image and return its annotation entry."""
    platform, screenshot, raw = render(browser, path)
    with Image.open(io.BytesIO(screenshot)) as image:
        pixels = np.asarray(image.convert("RGB"))
        name = f"images/zh_{path.stem}__{platform}.png"
        (DATA / name).write_bytes(compress_png(image))
    return {
        "image_path": name,
        "language": "zh",
        "platform": platform,
        "width": pixels.shape[1],
        "height": pixels.shape[0],
        "source": {
            "package": "screenmark-chinese-pages",
            "version": "1.0",
            "path": path.name,
            "licence": "Apache-2.0",
        },
        "elements": to_pixel_elements(raw, pixels),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Render and annotate the Chinese pages.")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="path of a Chromium")
    chromium = parser.parse_args().chromium
    if chromium is None:
        parser.error("no chromium on the PATH; install it or name one with --chromium")
    annotation = DATA / "zh.json"
    remove_images(annotation)
    (DATA / "images").mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM_FLAGS))
        entries = [write_page(browser, path) for path in sorted(PAGES.glob("*.html"))]
        browser.close()
    entries = interleave([[e for e in entries if e["platform"] == p] for p in VIEWPORTS])
    annotation.write_text(dump_annotation(entries), encoding="utf-8", newline="\n")
    write_compat_sample(entries, "zh", count=3)


if __name__ == "__main__":
    main()
