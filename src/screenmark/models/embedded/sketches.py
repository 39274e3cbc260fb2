"""Common icons, sketched on a grid of twelve by twelve in `sketches.txt`."""

from __future__ import annotations

from pathlib import Path


def _read_sketches(text: str) -> list[tuple[str, list[str]]]:
    blocks = (block.split("\n") for block in text.strip().split("\n\n"))
    return [(name, rows) for name, *rows in blocks]


SKETCHES = _read_sketches(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"))
"""Names and rows; several sketches may have one name, for filled and drawn in outline."""
