"""Write the bundled English pages of the `gui-hallubench` benchmark.

    python -m tools.bundle_pages --source DIR

DIR holds screenshots of open-source web templates with complete element lists: `pages.jsonl.gz`
(one page a line: page_id, image_path, width, height, platform, source_package, source_version,
source_path, elements), the PNG files that its `image_path` names, and `licences/`.

About forty pages become package data in the format of GUI-HalluBench, split by template so that
nothing tuned on `dev` has seen the design of a page in `test`. Which pages is decided by rule alone
(see `select`), never by how a model scores on them. Pixels are kept exactly; the bytes of a PNG may
differ between versions of the libraries. Needs Pillow, NumPy and OpenCV.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import shutil
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

Page = dict[str, Any]
Stratum = tuple[str, str]  # (template, platform)

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "src" / "screenmark" / "benchmarks" / "bundled_pages"
COMPAT = ROOT / "compat" / "gui_hallubench"

QUOTAS: dict[str, dict[Stratum, int]] = {
    "dev": {
        ("admin-lte", "mobile"): 5,
        ("admin-lte", "tablet"): 4,
        ("admin-lte", "desktop"): 5,
        ("startbootstrap-sb-admin", "tablet"): 3,
        ("startbootstrap-sb-admin", "desktop"): 3,
    },
    "test": {
        ("stisla", "mobile"): 5,
        ("stisla", "desktop"): 9,
        ("soft-ui-dashboard", "mobile"): 2,
        ("soft-ui-dashboard", "tablet"): 1,
        ("soft-ui-dashboard", "desktop"): 3,
    },
}
MIN_ELEMENTS = 10
MAX_IMAGE_BYTES = 220_000
MIN_LATIN_SHARE = 0.9
MAX_OVERLAP = 0.9
MAX_CHECKBOX_ASPECT = 2.5
FAULTY = {  # seen by eye on the picture with its boxes drawn
    ("admin-lte", "pages/layout/collapsed-sidebar.html"): "link names are in the collapsed menu",
    ("stisla", "components-chat-box.html"): "lists chat lines that are scrolled out of sight",
    ("stisla", "features-posts.html"): "does not list its styled check boxes",
}

COMPAT_IMAGE_BYTES = 90_000


def read_source(source: Path) -> list[Page]:
    """All pages of the source folder, in its order, `platform` without its `web-` prefix."""
    with gzip.open(source / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages: list[Page] = [json.loads(line) for line in lines]
    for page in pages:
        page["platform"] = page["platform"].removeprefix("web-")
    return pages


def has_area(box: Sequence[int]) -> bool:
    return box[0] < box[2] and box[1] < box[3]


def latin_share(elements: Iterable[Page]) -> float:
    """Share of Latin letters among all letters of the descriptions, 1.0 when there are none."""
    letters = [char for element in elements for char in element["description"] if char.isalpha()]
    latin = sum("LATIN" in unicodedata.name(char, "") for char in letters)
    return latin / len(letters) if letters else 1.0


def is_sound(element: Page) -> bool:
    """False where the annotation cannot be right.

    The inside of an `iframe` has no annotation, so a model that reads it would be scored wrong. A
    wide check box is a styled one whose invisible native control lies over its label.
    """
    x1, y1, x2, y2 = element["coordinates"]
    if element["type"] in ("checkbox", "radio"):
        return bool(x2 - x1 <= MAX_CHECKBOX_ASPECT * (y2 - y1))
    return bool(element["type"] != "iframe")


def is_eligible(page: Page, source: Path) -> bool:
    """Enough elements, English, within the size budget, and soundly annotated."""
    elements = page["elements"]
    return (
        (page["source_package"], page["source_path"]) not in FAULTY
        and len(elements) >= MIN_ELEMENTS
        and all(is_sound(element) for element in elements)
        and latin_share(elements) >= MIN_LATIN_SHARE
        and (source / page["image_path"]).stat().st_size <= MAX_IMAGE_BYTES
    )


def overlap(first: Page, second: Page) -> float:
    """Jaccard index of the pages' sets of (type, description)."""
    left, right = (
        {(element["type"], element["description"]) for element in page["elements"]}
        for page in (first, second)
    )
    return len(left & right) / len(left | right)


def select(candidates: Sequence[Page], count: int, seen: Sequence[Page]) -> list[Page]:
    """Up to `count` pages that have least in common with each other and with `seen`.

    Starts with the page of most elements and then takes, again and again, the page whose largest
    overlap with those taken is smallest; ties go to the alphabetically first path. Pages that
    nearly repeat one already taken are left out.
    """
    left = sorted(candidates, key=lambda page: (-len(page["elements"]), page["source_path"]))
    chosen = left[:1]
    left = sorted(left[1:], key=lambda page: str(page["source_path"]))
    while left and len(chosen) < count:
        nearest = [max(overlap(page, other) for other in (*seen, *chosen)) for page in left]
        best = nearest.index(min(nearest))
        if nearest[best] > MAX_OVERLAP:
            break
        chosen.append(left.pop(best))
    return chosen


def select_split(pages: Sequence[Page], quotas: dict[Stratum, int]) -> list[Page]:
    """The pages of one split, every stratum filled in turn."""
    groups: list[list[Page]] = []
    for stratum, count in quotas.items():
        candidates = [p for p in pages if (p["source_package"], p["platform"]) == stratum]
        groups.append(select(candidates, count, [page for group in groups for page in group]))
    return interleave(groups)


def interleave(groups: Sequence[Sequence[Page]]) -> list[Page]:
    """One page of each group in turn, so that the first N pages of a split are a varied sample."""
    longest = max(len(group) for group in groups)
    return [group[rank] for rank in range(longest) for group in groups if rank < len(group)]


def to_seed_format(page: Page) -> Page:
    """One annotation entry: the seed's keys, then the page-level keys that we add."""
    kept = [element for element in page["elements"] if has_area(element["coordinates"])]
    return {
        "image_path": f"images/{Path(page['image_path']).name}",
        "language": "en",
        "platform": page["platform"],
        "width": page["width"],
        "height": page["height"],
        "source": {
            "package": page["source_package"],
            "version": page["source_version"],
            "path": page["source_path"],
            "licence": "MIT",
        },
        "elements": [
            {
                "type": element["type"],
                "index": index,
                "description": element["description"],
                "coordinates": element["coordinates"],
            }
            for index, element in enumerate(kept)
        ],
    }


def dump_annotation(entries: Sequence[Page]) -> str:
    """A JSON array with one page a line, so that a changed page is one changed line."""
    lines = (json.dumps(entry, ensure_ascii=False, allow_nan=False) for entry in entries)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def compress_png(image: Image.Image) -> bytes:
    """The smallest PNG that we can write whose RGB pixels equal those of `image`.

    Flat screenshots compress best with no PNG filter, which Pillow cannot be told for RGB images.
    """
    rgb = np.asarray(image.convert("RGB"))
    unfiltered = [cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE]
    best = [cv2.IMWRITE_PNG_COMPRESSION, 9]
    variants = [cv2.imencode(".png", rgb[:, :, ::-1], unfiltered + best)[1].tobytes()]
    colours, indexes = np.unique(rgb.reshape(-1, 3), axis=0, return_inverse=True)
    palette = None
    if len(colours) <= 256:
        palette = Image.fromarray(indexes.reshape(rgb.shape[:2]).astype(np.uint8))
        palette.putpalette(colours.astype(np.uint8).tobytes())
    for variant in filter(None, (Image.fromarray(rgb), palette)):
        buffer = io.BytesIO()
        variant.save(buffer, "PNG", optimize=True)
        variants.append(buffer.getvalue())
    smallest = min(variants, key=len)
    with Image.open(io.BytesIO(smallest)) as written:
        if not np.array_equal(np.asarray(written.convert("RGB")), rgb):
            raise RuntimeError("the compressed PNG differs from its original")
    return smallest


def write_compat_sample(entries: Sequence[Page], language: str, count: int) -> None:
    """Copy the first `count` small pages into the layout of the GUI-HalluBench repository.

    `entries` are bundled pages, whose images are already written. Paths in the sample are relative
    to the root of that layout, as they are there.
    """
    sizes = [(DATA / entry["image_path"]).stat().st_size for entry in entries]
    small = [e for e, size in zip(entries, sizes, strict=True) if size <= COMPAT_IMAGE_BYTES]
    images = COMPAT / "data" / "images" / language
    annotation = COMPAT / "data" / "annotation" / language / f"ui_elements_{language}.json"
    shutil.rmtree(images, ignore_errors=True)
    images.mkdir(parents=True)
    annotation.parent.mkdir(parents=True, exist_ok=True)
    moved = []
    for entry in small[:count]:
        name = Path(entry["image_path"]).name
        shutil.copyfile(DATA / entry["image_path"], images / name)
        moved.append(entry | {"image_path": f"data/images/{language}/{name}"})
    annotation.write_text(dump_annotation(moved), encoding="utf-8", newline="\n")


def remove_images(annotation: Path) -> None:
    """Delete the images that an earlier run wrote for this annotation."""
    if annotation.exists():
        for entry in json.loads(annotation.read_text(encoding="utf-8")):
            (DATA / entry["image_path"]).unlink(missing_ok=True)


def write_split(name: str, pages: Sequence[Page], source: Path) -> list[Page]:
    """Write `data/NAME.json` and its images; returns the annotation entries."""
    annotation = DATA / f"{name}.json"
    remove_images(annotation)
    entries = [to_seed_format(page) for page in pages]
    (DATA / "images").mkdir(parents=True, exist_ok=True)
    for page, entry in zip(pages, entries, strict=True):
        with Image.open(source / page["image_path"]) as image:
            (DATA / entry["image_path"]).write_bytes(compress_png(image))
    annotation.write_text(dump_annotation(entries), encoding="utf-8", newline="\n")
    return entries


def copy_licences(source: Path) -> None:
    """Copy the licence texts that the templates ship, named by package."""
    target = DATA / "LICENCES"
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted((source / "licences").glob("*.LICENSE.txt")):
        text = path.read_text(encoding="utf-8")
        (target / f"{path.name.removesuffix('.LICENSE.txt')}.txt").write_text(
            text, encoding="utf-8", newline="\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the bundled English pages.")
    parser.add_argument("--source", type=Path, required=True, help="folder with pages.jsonl.gz")
    source: Path = parser.parse_args().source
    eligible = [page for page in read_source(source) if is_eligible(page, source)]
    for split, quotas in QUOTAS.items():
        entries = write_split(split, select_split(eligible, quotas), source)
        if split == "test":
            write_compat_sample(entries, "en", count=5)
    copy_licences(source)


if __name__ == "__main__":
    main()
