"""Make the bundled icons of uibert-icon-32 and uibert-icon-77 from two npm packages.

    npm pack @tabler/icons@3.52.0 @material-design-icons/svg@0.14.15
    mkdir tabler material
    tar xzf tabler-icons-*.tgz -C tabler && tar xzf material-design-icons-*.tgz -C material
    python tools/bundle_icons.py tabler/package material/package

Icons get their class by name, as ``tools/icon_classes.txt`` has it, and are drawn black on white
by Chromium. One package is to learn from, the other to test on, so that nobody is tested on the
drawings that were learned. Drawings that look the same are kept once.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageChops, ImageStat

_ROOT = Path(__file__).parent.parent
_OUT = _ROOT / "src/screenmark/benchmarks/ui_classification/data/icons"
_TILE, _DRAWN, _COLUMNS = 48, 40, 32
_MOST = {"train": 12, "test": 8}
_FEW = 4
_SAME = 0.4  # of 255, the mean difference of two drawings that are one


class Icon(NamedTuple):
    """An icon of a package, and the classes that its name puts it in."""

    name: str
    style: str
    file: Path
    fine: str
    coarse: str


class Package(NamedTuple):
    """An unpacked package: styles are its folders of SVG files, by what is taken first."""

    folder: Path
    styles: tuple[str, ...]
    spare: tuple[str, ...]

    def files(self, name: str, styles: Iterable[str]) -> Iterator[tuple[str, Path]]:
        for style in styles:
            file = self.folder / style / f"{name}.svg"
            if file.is_file():
                yield Path(style).name, file

    def variants(self, starred: str) -> list[str]:
        """Names that are a starred one and one word more, in an order that says nothing."""
        paths = (self.folder / self.styles[0]).glob(f"{starred}.svg")
        found = (path.stem for path in paths)
        names = (name for name in found if "-" not in name.removeprefix(starred[:-1]))
        return sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())


def icons_of(package: Package, classes: Iterable[tuple[str, str, list[str]]]) -> list[Icon]:
    """Every icon of the package that a class names; first the plain names, then the variants."""
    found = []
    rows = list(classes)
    named = {name for *_, names in rows for name in names}
    for fine, coarse, names in rows:
        plain = [name for name in names if not name.endswith("*")]
        more = [v for name in names if name.endswith("*") for v in package.variants(name)]
        missing = [name for name in plain if not list(package.files(name, package.styles))]
        if missing:
            print(f"{fine}: the package has no {', '.join(missing)}")
        files = [(n, *f) for n in plain for f in package.files(n, package.styles)]
        files += [(n, *f) for n in plain for f in package.files(n, package.spare)][
            : max(0, _FEW - len(files))
        ]
        others = [name for name in more if name not in named]
        files += [(n, *f) for n in others for f in package.files(n, package.styles[:1])]
        found += [Icon(name, style, file, fine, coarse) for name, style, file in files]
    return found


def drawn(icons: list[Icon]) -> list[Image.Image]:
    """Each icon as a grey tile."""
    rows = -(-len(icons) // _COLUMNS)
    cells = "".join(f'<i><img src="{icon.file.resolve().as_uri()}"></i>' for icon in icons)
    page = (
        f"<style>*{{margin:0}}body{{width:{_COLUMNS * _TILE}px;display:flex;flex-wrap:wrap;"
        f"background:#fff}}i{{width:{_TILE}px;height:{_TILE}px;display:flex;align-items:center;"
        f"justify-content:center}}img{{width:{_DRAWN}px;height:{_DRAWN}px}}</style>{cells}"
    )
    with tempfile.TemporaryDirectory() as folder:
        html, png = Path(folder) / "icons.html", Path(folder) / "icons.png"
        html.write_text(page, encoding="utf-8")
        command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        command += ["--allow-file-access-from-files", f"--screenshot={png}"]
        command += [f"--window-size={_COLUMNS * _TILE},{rows * _TILE}", html.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        sheet = Image.open(io.BytesIO(png.read_bytes())).convert("L")
    return [sheet.crop(_box(number)) for number in range(len(icons))]


def _box(number: int) -> tuple[int, int, int, int]:
    x, y = number % _COLUMNS * _TILE, number // _COLUMNS * _TILE
    return x, y, x + _TILE, y + _TILE


def chosen(icons: list[Icon], most: int) -> list[tuple[Icon, Image.Image]]:
    """At most so many of each class, each drawing once."""
    kept: list[tuple[Icon, Image.Image]] = []
    counts: Counter[str] = Counter()
    for icon, tile in zip(icons, drawn(icons), strict=True):
        if tile.getextrema() == (255, 255):
            raise SystemExit(f"{icon.file}: drawn empty")
        twins = [other for other, drawing in kept if _alike(tile, drawing)]
        if any(other.fine != icon.fine for other in twins):
            raise SystemExit(f"{icon.name} is drawn as {twins[0].name}, of another class")
        if not twins and counts[icon.fine] < most:
            counts[icon.fine] += 1
            kept.append((icon, tile))
    return kept


def _alike(one: Image.Image, other: Image.Image) -> bool:
    """Whether two tiles differ by no more than the smoothing of edges."""
    return ImageStat.Stat(ImageChops.difference(one, other)).mean[0] < _SAME


def write(split: str, package: Package, kept: list[tuple[Icon, Image.Image]]) -> dict[str, Any]:
    """The sheet of a split; what to say of it in the list."""
    rows = -(-len(kept) // _COLUMNS)
    sheet = Image.new("L", (_COLUMNS * _TILE, rows * _TILE), 255)
    for number, (_, tile) in enumerate(kept):
        sheet.paste(tile, _box(number)[:2])
    # Sixteen greys are all that edges need.
    sheet.quantize(16, dither=Image.Dither.NONE).save(_OUT / f"{split}.png", optimize=True)
    about = json.loads((package.folder / "package.json").read_text(encoding="utf-8"))
    licence = (package.folder / "LICENSE").read_text(encoding="utf-8")
    name = about["name"].strip("@").replace("/", "-")
    (_OUT.parent / "LICENCES").mkdir(exist_ok=True)
    (_OUT.parent / "LICENCES" / f"{name}.txt").write_text(licence, encoding="utf-8")
    counts = Counter(icon.fine for icon, _ in kept)
    few = [f"{name} {count}" for name, count in counts.items() if count < _FEW]
    print(f"{split}: {len(kept)} icons of {len(counts)} classes, fewest: {', '.join(few)}")
    return {
        "package": about["name"],
        "version": about["version"],
        "licence": about["license"],
        "icons": [[icon.name, icon.style, icon.fine, icon.coarse] for icon, _ in kept],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learned", type=Path, help="@tabler/icons, unpacked")
    parser.add_argument("tested", type=Path, help="@material-design-icons/svg, unpacked")
    given = parser.parse_args()
    table = (Path(__file__).parent / "icon_classes.txt").read_text(encoding="utf-8")
    lines = [line for line in table.splitlines() if line and not line.startswith("#")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    packages = {
        "train": Package(given.learned, ("icons/outline", "icons/filled"), ()),
        "test": Package(given.tested, ("filled", "outlined"), ("sharp", "round")),
    }
    _OUT.mkdir(parents=True, exist_ok=True)
    splits = {}
    for column, (split, package) in enumerate(packages.items(), start=2):
        icons = icons_of(package, [(row[0], row[1], row[column].split()) for row in rows])
        splits[split] = write(split, package, chosen(icons, _MOST[split]))
    data = {"tile": _TILE, "columns": _COLUMNS, "splits": splits}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (_OUT / "icons.json").write_text(text.replace("],[", "],\n["), encoding="utf-8")


if __name__ == "__main__":
    main()
