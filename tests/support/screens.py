"""Small annotations of the grounding and multiple-choice formats, with real image files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image

from screenmark.benchmarks import Benchmark, Sample
from screenmark.types import Outcome, Record, Reply

SIZE = (200, 100)

QUESTION: dict[str, Any] = {
    "question": "Which one is marked?",
    "options": {"A": "Calendar", "B": "Layout", "C": "Charts", "D": "Widgets"},
    "answer": "A",
    "explanation": "It carries a badge.",
    "difficulty": "easy",
}
L1: dict[str, Any] = {
    "index": 0,
    "image_path": "home.png",
    "image_size": list(SIZE),
    "platform": "os_web",
    "app_name": "Shop",
    "groups": [QUESTION, {**QUESTION, "answer": "B"}, {**QUESTION, "answer": "C"}],
}
L2: dict[str, Any] = {
    "index": 0,
    "image_path": "home.png",
    "instruction": "Open the menu",
    "bbox": [0.1, 0.2, 0.3, 0.6],
    "image_size": list(SIZE),
    "data_type": "icon",
    "platform": "os_web",
    "app_name": "Shop",
    "grounding_type": "basic",
}
SPOT: dict[str, Any] = {
    "img_filename": "home.png",
    "bbox": [20, 20, 40, 40],
    "instruction": "open the menu",
    "data_type": "icon",
    "data_source": "windows",
}
PRO: dict[str, Any] = {
    "img_filename": "cad/home.png",
    "bbox": [20, 20, 60, 60],
    "instruction": "open the menu",
    "instruction_cn": "打开菜单",
    "id": "cad_0",
    "application": "cad",
    "platform": "windows",
    "img_size": list(SIZE),
    "ui_type": "icon",
    "group": "CAD",
}
OSWORLD: dict[str, Any] = {
    "image_path": "home.png",
    "image_size": list(SIZE),
    "instruction": "Open the menu",
    "box_type": "bbox",
    "box_coordinates": [20, 20, 40, 40],
    "GUI_types": ["Menu", "Icon"],
}


def image(path: Path, size: tuple[int, int] = SIZE) -> Path:
    """Write an image and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (90, 120, 160)).save(path)
    return path


def write(path: Path, items: Any) -> Path:
    """Write an annotation as given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(items, ensure_ascii=False), encoding="utf-8")
    return path


def answered(
    benchmark: Benchmark[Any, Any],
    samples: Sequence[Sample],
    replies: Sequence[str | Reply | None],
    repeat: int = 0,
) -> list[Record]:
    """Records of a run in which the samples got these replies; None is a failure to ask."""
    records = []
    for position, (sample, given) in enumerate(zip(samples, replies, strict=True)):
        reply = Reply(given) if isinstance(given, str) else given
        answer = None if reply is None else benchmark.parse(reply, sample)
        records.append(
            Record(
                sample_id=sample.id,
                position=position,
                repeat=repeat,
                outcome=Outcome.API_ERROR if answer is None else answer.outcome,
                sample=msgspec.to_builtins(sample),
                reply=reply,
                answer=answer,
                score=benchmark.score(sample, answer),
            )
        )
    return records
