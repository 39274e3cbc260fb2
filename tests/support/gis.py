"""A small task sheet, folders of outputs, and replies of a judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

SHEET = """번호,레벨,문항,데이터셋,언어
1,Level1,Show Seoul on a map,cities,en
2,Level 2,아프리카 지도를 그리시오,,ko
3,L3,Draw the Alps,,en
"""

MARKS = {
    "exists": 20,
    "accuracy": 28,
    "requirement": 24,
    "completeness": 18,
    "spatial_location": 15,
    "geometry_validity": 5,
    "numeric_match": 10,
}


def picture(path: Path, *, blank: bool = False) -> Path:
    """A drawing with many colours, or a white page."""
    image = Image.new("RGB", (320, 200), "white")
    if not blank:
        draw = ImageDraw.Draw(image)
        for n in range(40):
            draw.rectangle((n * 8, 20, n * 8 + 7, 190), fill=(n * 6, 200 - n * 4, 40 + n * 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
    return path


def make_outputs(base: Path, *models: str, tasks: tuple[int, ...] = (1, 2, 3)) -> Path:
    """A sheet ``tasks.csv`` in ``base``, and pictures of every model for the tasks."""
    base.mkdir(parents=True, exist_ok=True)
    (base / "tasks.csv").write_text(SHEET, encoding="utf-8")
    for model in models:
        for number in tasks:
            picture(base / model / f"{number}.png")
    return base


def reply(reason: str = "fine", **marks: Any) -> str:
    """A judge's reply of 120 points, or other marks."""
    return json.dumps({**MARKS, **marks, "reason": reason})


def of_total(total: int) -> str:
    """A judge's reply whose marks sum up to so many points, between 50 and 130."""
    rest = total - 50
    accuracy, rest = min(rest, 30), rest - min(rest, 30)
    requirement, rest = min(rest, 30), rest - min(rest, 30)
    return reply(f"t{total}", accuracy=accuracy, requirement=requirement, completeness=rest)
