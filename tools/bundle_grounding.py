"""Write the bundled items of the `mmbench-gui-l2` benchmark.

    python -m tools.bundle_grounding --source DIR

DIR is the folder that `tools.bundle_pages` takes, with `grounding.jsonl.gz` (one item a line:
image_path, kind, target_type, target_name, bbox, element_index) beside `pages.jsonl.gz`. It says
which elements of a page can be named and which names of a template are absent from a page; the
sentences are written here. `grounding_items_en.jsonl` and `grounding_items_zh.jsonl` beside this
file hold what people wrote while looking at the pages, one line an element:

    {"page", "element", "basic"?, "advanced"?, "data_type"?}   an item, or a better sentence for it
    {"page", "element", "drop"}                                a target that is no good, and why
    {"page", "absent", "basic" | "advanced"}                   an absent target of that type
    {"page", "absent_name", "drop"}                            a name that is no good, and why

`page` is the name of the picture without `.png`, `element` the index in the page's element list.
An element with a sentence by function gets one by name too, so every `advanced` item has a pair.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.bundle_pages import dump_annotation

Record = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "src" / "screenmark" / "benchmarks"
DATA = BENCHMARKS / "element_grounding" / "data"

APPS = {
    "admin-lte": "AdminLTE",
    "startbootstrap-sb-admin": "SB Admin",
    "soft-ui-dashboard": "Soft UI Dashboard",
    "stisla": "Stisla",
    "zh_admin_dashboard__desktop": "云帆后台",
    "zh_bank_transfer__desktop": "青杉银行",
    "zh_calendar__tablet": "日历",
    "zh_chat_list__mobile": "聊天",
    "zh_food_delivery__mobile": "外卖",
    "zh_hospital__tablet": "青杉市中心医院",
    "zh_product__desktop": "半山集市",
    "zh_settings__mobile": "设置",
    "zh_train_tickets__desktop": "畅行铁路订票",
    "zh_weather__mobile": "天气",
}
SENTENCES = {
    "button": 'Click the "{}" button',
    "checkbox": 'Toggle the "{}" checkbox',
    "input": 'Click into the "{}" field',
    "link": 'Open the "{}" link',
    "select": 'Open the "{}" drop-down list',
    "textarea": 'Click into the "{}" text area',
}
ICONS = {  # name in the icon font -> what a person would call it
    "bars": "Click the menu (three bars) icon",
    "bell": "Click the bell icon",
    "envelope": "Click the envelope icon",
    "expand arrows alt": "Click the full-screen icon",
    "minus": "Click the minus icon",
    "search": "Click the magnifier icon",
    "th large": "Click the icon of four squares in the top right corner",
    "times": "Click the close (x) icon",
    "wrench": "Click the wrench icon",
}
TEXTLESS_TYPES = {"checkbox", "icon", "image", "radio", "slider"}
TEXTLESS_NAMES = {"alt", "icon-class", "none", "title"}  # names that the picture does not show
MAX_UNPAIRED = 1  # present items a page that nobody wrote a line for


@dataclass
class Page:
    """A bundled page and everything known about its targets.

    `present` maps an element index to its facts (basic, advanced, data_type, target_type), `absent`
    lists (instruction, grounding_type, target_type).
    """

    name: str
    entry: Record
    name_sources: list[str | None]
    present: dict[int, Record] = field(default_factory=dict)
    absent: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def template(self) -> str:
        return str(self.entry["source"]["package"])


def read_lines(path: Path) -> list[Record]:
    """The records of a JSON Lines file, compressed or not."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_pages(splits: Sequence[str], source: Path) -> dict[str, Page]:
    """The bundled pages of some splits by name, in their order."""
    names = {
        Path(page["image_path"]).stem: [element["name_source"] for element in page["elements"]]
        for page in read_lines(source / "pages.jsonl.gz")
    }
    pages = {}
    for split in splits:
        path = BENCHMARKS / "bundled_pages" / f"{split}.json"
        for entry in json.loads(path.read_text(encoding="utf-8")):
            name = Path(entry["image_path"]).stem
            unknown = [None] * len(entry["elements"])
            pages[name] = Page(name, entry, names.get(name, unknown))
            if len(pages[name].name_sources) != len(entry["elements"]):
                raise ValueError(f"{name}: the source lists other elements than the bundled page")
    return pages


def target_type(page: Page, element: int) -> str:
    """Type of the element; links and buttons that show nothing but a glyph are icons."""
    kind = str(page.entry["elements"][element]["type"])
    glyph = page.name_sources[element] in ("icon-class", "none")
    return "icon" if glyph and kind in ("button", "link") else kind


def data_type(page: Page, element: int) -> str:
    """`icon` for what shows no text of its own, as far as the element list can tell."""
    kind = page.entry["elements"][element]["type"]
    name_source = page.name_sources[element]
    textless = name_source in TEXTLESS_NAMES or (kind, name_source) == ("button", "aria-label")
    return "icon" if textless or kind in TEXTLESS_TYPES else "text"


def plain_sentence(page: Page, element: int) -> str:
    """The sentence that names an element by what it shows.

    Raises:
        KeyError: there is none for such an element; it needs a line in the table.
    """
    name = page.entry["elements"][element]["description"]
    kind = target_type(page, element)
    return ICONS[name] if kind == "icon" else SENTENCES[kind].format(name)


def add_written(pages: dict[str, Page], lines: Sequence[Record]) -> None:
    """Add the lines of a table that describe an item."""
    for line in lines:
        if "drop" in line:
            continue
        page = pages[line["page"]]
        if "absent" in line:
            grounding = "basic" if "basic" in line else "advanced"
            page.absent.append((line[grounding], grounding, line["absent"]))
            continue
        element = line["element"]
        if element in page.present:
            raise ValueError(f"{page.name}: two lines for element {element}")
        page.present[element] = {
            "basic": line.get("basic") or plain_sentence(page, element),
            "advanced": line.get("advanced"),
            "data_type": line.get("data_type") or data_type(page, element),
            "target_type": target_type(page, element),
        }


def add_sourced(pages: dict[str, Page], items: Sequence[Record], lines: Sequence[Record]) -> None:
    """Add items of the source that no line of the table replaces or drops.

    Every page gets `MAX_UNPAIRED` present ones, those whose sentences are rarest so far, as the
    bars of a template are the same on all its pages. A name is absent from one page of a template.
    """
    dropped = {
        (line["page"], line.get("element", line.get("absent_name")))
        for line in lines
        if "drop" in line
    }
    by_page: dict[str, list[Record]] = {name: [] for name in pages}
    for item in items:
        by_page.get(Path(item["image_path"]).stem, []).append(item)
    seen: Counter[str] = Counter()
    for page in pages.values():
        free = []
        for item in by_page[page.name]:
            element = item["element_index"]
            if item["kind"] == "absent":
                key = f"{page.template} {item['target_name']}"
                if (page.name, item["target_name"]) not in dropped and not seen[key]:
                    seen[key] += 1
                    sentence = SENTENCES[item["target_type"]].format(item["target_name"])
                    page.absent.append((sentence, "basic", item["target_type"]))
            elif item["bbox"] != page.entry["elements"][element]["coordinates"]:
                raise ValueError(f"{page.name}: element {element} has another box in the source")
            elif (page.name, element) not in dropped and element not in page.present:
                free.append(element)
        for _ in range(min(MAX_UNPAIRED, len(free))):
            element = min(free, key=lambda element: seen[plain_sentence(page, element)])
            free.remove(element)
            seen[plain_sentence(page, element)] += 1
            add_written(pages, [{"page": page.name, "element": element}])


def check(page: Page) -> None:
    """Raise ValueError for a sentence that a page has twice or that gives the label away."""
    sentences = [sentence for sentence, _, _ in page.absent]
    for element, facts in page.present.items():
        label = str(page.entry["elements"][element]["description"]).casefold()
        advanced = facts["advanced"]
        sentences += [facts["basic"], *([advanced] if advanced else [])]
        if advanced and len(label) > 1 and label in advanced.casefold():
            raise ValueError(f"{page.name}: {advanced!r} contains the label {label!r}")
    for sentence, count in Counter(sentences).items():
        if count > 1:
            raise ValueError(f"{page.name}: {sentence!r} stands {count} times")


def records(page: Page) -> Iterator[Record]:
    """The items of a page without their index, in the order of their hashes."""
    size = [page.entry["width"], page.entry["height"]]
    head = {"image_path": f"{page.name}.png", "image_size": size}
    tail = {
        "platform": f"web-{page.entry['platform']}",
        "app_name": APPS.get(page.template) or APPS[page.name],
        "language": page.entry["language"],
    }
    found: list[tuple[str, str, str, str, int | None]] = [
        (facts[grounding], grounding, facts["target_type"], facts["data_type"], element)
        for element, facts in page.present.items()
        for grounding in ("basic", "advanced")
        if facts[grounding]
    ]
    found += [
        (sentence, grounding, kind, "icon" if kind in TEXTLESS_TYPES else "text", None)
        for sentence, grounding, kind in page.absent
    ]
    found.sort(key=lambda item: hashlib.sha256(f"{page.name} {item[0]}".encode()).digest())
    for sentence, grounding, kind, shown, element in found:
        box = None if element is None else page.entry["elements"][element]["coordinates"]
        yield {
            **head,
            "instruction": sentence,
            "bbox": box and [round(v / size[i % 2], 4) for i, v in enumerate(box)],
            "data_type": shown,
            "grounding_type": grounding,
            "target": "absent" if box is None else "present",
            "target_type": kind,
            **tail,
            "element_index": element,
        }


def interleave(pages: Sequence[Page]) -> list[Record]:
    """One item of each page in turn, numbered, so that the first N are a varied sample."""
    groups = [list(records(page)) for page in pages]
    longest = max(len(group) for group in groups)
    turns = [group[rank] for rank in range(longest) for group in groups if rank < len(group)]
    return [{"index": index, **record} for index, record in enumerate(turns)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the bundled grounding items.")
    parser.add_argument("--source", type=Path, required=True, help="folder with grounding.jsonl.gz")
    source: Path = parser.parse_args().source
    sourced = read_lines(source / "grounding.jsonl.gz")
    DATA.mkdir(parents=True, exist_ok=True)
    for name, language, splits in (("en", "en", ("test", "dev")), ("zh", "zh", ("zh",))):
        pages = read_pages(splits, source)
        lines = read_lines(Path(__file__).with_name(f"grounding_items_{language}.jsonl"))
        add_written(pages, lines)
        add_sourced(pages, sourced, lines)
        for page in pages.values():
            check(page)
        text = dump_annotation(interleave(list(pages.values())))
        (DATA / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
