"""Write the stand-ins for AppSim that `uibert-appsim-rico` and `uibert-appsim-web` come with.

    python -m tools.bundle_pairs --source DIR

DIR holds screenshots of open-source web templates with complete element lists, as for
`tools.bundle_pages`, whose output has to be there: only bundled pages are used, and their
screenshots are not written again.

A pair is the same control (type and description, each once on its page) on two pages of one
template that were taken at different widths, so that it is seldom at the same place. Its nine
distractors are controls of the search page, of its own type first, and of those the nearest to it
in size. Which pairs are taken, and where the right candidate stands among the ten, is decided by
hashes alone. Written are TFRecords with AppSim's features, for `rico` the element lists as view
hierarchies in Rico's form, and for both the text that PP-OCR reads on the pages. Names of icons
are left out: they stand in the pages' code, not on the screen.

Needs the extra `ocr`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from screenmark.benchmarks.ui_components.tfrecord import masked_crc32c
from screenmark.models.embedded.text_lines import TextReader

Page = dict[str, Any]
Element = dict[str, Any]

BENCHMARKS = Path(__file__).resolve().parents[1] / "src" / "screenmark" / "benchmarks"
PAGES = BENCHMARKS / "bundled_pages"
DATA = BENCHMARKS / "ui_components" / "data" / "app_sim"
SPLITS = ("test", "dev")
SEARCHED = {"web": ("desktop",), "rico": ("mobile", "tablet")}
CANDIDATES = 10
MOST_ITEMS = 120
MOST_TEXT_SHARE = 0.7
MOST_A_CONTROL = 20
NO_CONTROLS = frozenset({"text", "heading", "chart", "iframe"})
SIDES = ("xmin", "ymin", "xmax", "ymax")
CLASSES = {
    "link": "android.widget.TextView",
    "text": "android.widget.TextView",
    "heading": "android.widget.TextView",
    "button": "android.widget.Button",
    "input": "android.widget.EditText",
    "textarea": "android.widget.EditText",
    "select": "android.widget.Spinner",
    "checkbox": "android.widget.CheckBox",
    "radio": "android.widget.RadioButton",
    "image": "android.widget.ImageView",
    "icon": "android.widget.ImageView",
    "iframe": "android.webkit.WebView",
}
ICON_CLASSES = {"link": "android.widget.ImageButton", "button": "android.widget.ImageButton"}


class Pair(NamedTuple):
    """One item: the same control on two pages, and the candidates on the second."""

    anchor: Page
    control: Element
    search: Page
    candidates: list[Element]
    label: int


def number_of(*words: object) -> int:
    """A number that looks drawn and is the same every time."""
    digest = hashlib.sha256(" ".join(map(str, words)).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def id_of(page: Page) -> str:
    return Path(page["image_path"]).stem


def read_pages(source: Path, split: str) -> list[Page]:
    """The bundled pages of a split as the source has them, elements without area left out."""
    with gzip.open(source / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        known = {id_of(page): page for page in map(json.loads, lines)}
    bundled = json.loads((PAGES / f"{split}.json").read_text(encoding="utf-8"))
    pages = []
    for entry in bundled:
        page = known[id_of(entry)] | {"platform": entry["platform"]}
        page["elements"] = [e for e in page["elements"] if has_area(e["coordinates"])]
        pages.append(page)
    return pages


def has_area(box: Sequence[int]) -> bool:
    return box[0] < box[2] and box[1] < box[3]


def controls(page: Page) -> dict[tuple[str, str], Element]:
    """Controls that are the only one of their type and description on a page."""
    found = [e for e in page["elements"] if e["type"] not in NO_CONTROLS and e["description"]]
    counts = Counter((e["type"], e["description"]) for e in found)
    return {key: e for e in found if counts[key := (e["type"], e["description"])] == 1}


def distractors(page: Page, target: Element) -> list[Element]:
    """Nine other controls, of the target's type first, then by how alike they are in size."""

    def rank(element: Element) -> tuple[bool, float, int]:
        sizes = [
            (b[2] - b[0], b[3] - b[1]) for b in (element["coordinates"], target["coordinates"])
        ]
        (w1, h1), (w2, h2) = sizes
        return element["type"] != target["type"], abs(w1 - w2) + abs(h1 - h2), element["index"]

    others = [
        e
        for e in page["elements"]
        if e["type"] not in NO_CONTROLS
        and (e["type"], e["description"]) != (target["type"], target["description"])
        and not overlap(e["coordinates"], target["coordinates"])
    ]
    return sorted(others, key=rank)[: CANDIDATES - 1]


def overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(
        one[1], other[1]
    )


def all_pairs(pages: Sequence[Page], searched: Sequence[str]) -> Iterator[Pair]:
    """Every possible item whose search page has one of some form factors."""
    for anchor in pages:
        for search in pages:
            same_template = anchor["source_package"] == search["source_package"]
            if not same_template or search["platform"] not in searched:
                continue
            if anchor["platform"] == search["platform"]:
                continue
            targets = controls(search)
            for key, control in controls(anchor).items():
                if key not in targets:
                    continue
                others = distractors(search, targets[key])
                if len(others) == CANDIDATES - 1:
                    yield shuffled(anchor, control, search, [targets[key], *others])


def shuffled(anchor: Page, control: Element, search: Page, candidates: list[Element]) -> Pair:
    """The item with its candidates, the right one first, in an order that hashes decide."""
    pair = (id_of(anchor), id_of(search), control["index"])
    order = sorted(candidates, key=lambda element: number_of("place", *pair, element["index"]))
    return Pair(anchor, control, search, order, order.index(candidates[0]))


def has_words(element: Element) -> bool:
    """Whether its description can be read on the screen."""
    return element["name_source"] not in {"icon-class", "aria-label", "title", "alt"}


def chosen(pairs: Iterable[Pair]) -> list[Pair]:
    """Some of them: of each control few, those with words at most a share of all."""
    order = sorted(
        pairs,
        key=lambda p: number_of("order", id_of(p.anchor), id_of(p.search), p.control["index"]),
    )
    taken: Counter[tuple[str, str, str]] = Counter()
    kinds: dict[bool, list[Pair]] = {True: [], False: []}
    for pair in order:
        key = (pair.search["source_package"], pair.control["type"], pair.control["description"])
        if taken[key] < MOST_A_CONTROL:
            taken[key] += 1
            kinds[has_words(pair.control)].append(pair)
    without = kinds[False][: round(MOST_ITEMS * (1 - MOST_TEXT_SHARE))]
    most = round(len(without) * MOST_TEXT_SHARE / (1 - MOST_TEXT_SHARE))
    picked = {id(pair) for pair in [*without, *kinds[True][:most]]}
    return [pair for pair in order if id(pair) in picked]


def fractions(page: Page, box: Sequence[int]) -> list[float]:
    width, height = page["width"], page["height"]
    return [box[0] / width, box[1] / height, box[2] / width, box[3] / height]


def features(pair: Pair) -> dict[str, list[Any]]:
    """AppSim's features of an item."""
    anchor = fractions(pair.anchor, pair.control["coordinates"])
    boxes = [fractions(pair.search, element["coordinates"]) for element in pair.candidates]
    found: dict[str, list[Any]] = {
        "anchor/image/id": [id_of(pair.anchor).encode()],
        "search/image/id": [id_of(pair.search).encode()],
        "search/correct/index": [pair.label],
    }
    for place, side in enumerate(SIDES):
        found[f"anchor/image/anchor/bbox/{side}"] = [anchor[place]]
        found[f"search/image/candidate/bbox/{side}"] = [box[place] for box in boxes]
    return dict(sorted(found.items()))


def record(values: dict[str, list[Any]]) -> bytes:
    """Features as one record of a TFRecord file."""
    entries = (field(1, name.encode()) + field(2, feature(list_)) for name, list_ in values.items())
    payload = field(1, b"".join(field(1, entry) for entry in entries))
    length = struct.pack("<Q", len(payload))
    return length + checksum(length) + payload + checksum(payload)


def checksum(data: bytes) -> bytes:
    return struct.pack("<I", masked_crc32c(data))


def feature(values: list[Any]) -> bytes:
    if isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values))
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def hierarchy(page: Page) -> dict[str, Any]:
    """The element list as a view hierarchy of Rico's form, all elements below the root."""
    children = [
        {
            "bounds": element["coordinates"],
            "class": class_of(element),
            "text": element["description"] if has_words(element) else "",
            "content-desc": [described(element)],
            "resource-id": f"{page['source_package']}:id/{element['dom_id']}"
            if element.get("dom_id")
            else None,
            "clickable": element["interactable"],
            "visible-to-user": True,
        }
        for element in page["elements"]
    ]
    root = {
        "bounds": [0, 0, page["width"], page["height"]],
        "class": "android.widget.FrameLayout",
        "visible-to-user": True,
        "children": children,
    }
    return {"activity_name": page["source_path"], "activity": {"root": root}}


def class_of(element: Element) -> str:
    if element["name_source"] == "icon-class" and element["type"] in ICON_CLASSES:
        return ICON_CLASSES[element["type"]]
    return CLASSES.get(element["type"], "android.view.View")


def described(element: Element) -> str | None:
    """What assistive technology would be told that is not to be seen."""
    shown = has_words(element) or element["name_source"] == "icon-class"
    return None if shown else element["description"]


def recognised(page: Page, reader: TextReader) -> list[dict[str, Any]]:
    """The lines that are read on a page, boxes in fractions."""
    with Image.open(PAGES / "images" / f"{id_of(page)}.png") as image:
        pixels = np.asarray(image.convert("RGB"))
    return [
        {"text": line.text, "box": [round(v, 4) for v in fractions(page, line.box)]}
        for line in reader.read(pixels)
        if line.text
    ]


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the stand-ins for AppSim.")
    parser.add_argument("--source", type=Path, required=True, help="folder with pages.jsonl.gz")
    source: Path = parser.parse_args().source
    reader = TextReader()
    for split in SPLITS:
        pages = read_pages(source, split)
        used: dict[str, Page] = {}
        for task, searched in SEARCHED.items():
            pairs = chosen(all_pairs(pages, searched))
            target = DATA / task / f"{split}.tfrecord"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(b"".join(record(features(pair)) for pair in pairs))
            seen = {id_of(page): page for pair in pairs for page in (pair.anchor, pair.search)}
            used |= seen
            if task == "rico":
                for name, page in seen.items():
                    write_json(DATA / "hierarchies" / f"{name}.json", hierarchy(page))
            words = sum(has_words(pair.control) for pair in pairs)
            print(f"{task} {split}: {len(pairs)} items, {words} with words, {len(seen)} pages")
        for name, page in used.items():
            write_json(DATA / "ocr" / f"{name}.json", recognised(page, reader))


if __name__ == "__main__":
    main()
