"""Render the screens that the bundled questions of `mmbench-gui-l1` ask about.

    python -m tools.make_content_pages [NAME ...] [--out FOLDER] [--chromium PATH]

Renders `tools/content_understanding_pages/*.html` (our own screens of invented products) with the
package's own renderer, offline, and writes lossless PNGs named after page and platform. A page's
size and platform stand in its `<meta name="screen" content="1280x800 desktop">`. Another version
of browser or fonts moves glyphs by pixels, so look at what changed before you keep it.

Needs the extras `render` and `vision`, and the Liberation, DejaVu and URW fonts (Debian:
`apt install fonts-liberation fonts-dejavu fonts-urw-base35`).
"""

from __future__ import annotations

import argparse
import asyncio
import io
import re
from pathlib import Path

from PIL import Image

from screenmark.benchmarks import content_understanding
from screenmark.rendering import Renderer, RenderOptions
from tools.bundle_pages import compress_png

PAGES = Path(__file__).resolve().parent / "content_understanding_pages"
IMAGES = Path(content_understanding.__file__).parent / "data" / "images"

_SCREEN = re.compile(r'<meta name="screen" content="(\d+)x(\d+) (desktop|tablet|mobile)">')


def screen_of(page: Path) -> tuple[int, int, str]:
    """Width and height in pixels, and the platform.

    Raises:
        ValueError: the page does not say.
    """
    found = _SCREEN.search(page.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f'{page}: expected <meta name="screen" content="1280x800 desktop">')
    return int(found[1]), int(found[2]), found[3]


async def render(page: Path, browser: Path | None) -> bytes:
    """The page as a small PNG.

    Raises:
        RuntimeError: it was lost, or something in it failed.
    """
    width, height, _ = screen_of(page)
    options = RenderOptions(width=width, height=height, pages=1, network="block", browser=browser)
    async with Renderer(options) as renderer:
        done = await renderer.render(page)
    faults = [*done.record.script_errors, *done.record.blocked]
    if done.png is None or faults:
        raise RuntimeError(f"{page}: {faults or done.record.lost}")
    with Image.open(io.BytesIO(done.png)) as image:
        return compress_png(image)


def main() -> None:
    parser = argparse.ArgumentParser(description="Render the screens of mmbench-gui-l1.")
    parser.add_argument("names", nargs="*", help="of pages, without .html; default: all")
    parser.add_argument("--out", type=Path, default=IMAGES)
    parser.add_argument("--chromium", type=Path, help="path of a Chromium")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for page in sorted(PAGES.glob("*.html")):
        if arguments.names and page.stem not in arguments.names:
            continue
        png = asyncio.run(render(page, arguments.chromium))
        *_, platform = screen_of(page)
        (arguments.out / f"{page.stem}__{platform}.png").write_bytes(png)


if __name__ == "__main__":
    main()
