"""What classical image analysis sees of an icon, and of a list of boxes on a screenshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.images import open_rgb

Matrix = NDArray[np.float64]
"""Shape (samples, features)."""

_SIDE: Final = 32
_CELL: Final = 8
_BINS: Final = 9
_SMALL: Final = 16
_UNIFORM: Final = 3.0
_RING: Final = 2


def icon_features(samples: Sequence[ClassSample]) -> Matrix:
    """Gradients by direction in overlapping cells, and the icon itself in 16 x 16 pixels.

    Each icon is cut to its ink and brought to 32 x 32 pixels, dark on light or light on dark.

    Raises:
        ImageError: an image cannot be read.
    """
    sheets: dict[str, NDArray[np.uint8]] = {}
    rows = []
    for sample in samples:
        if sample.file not in sheets:
            sheets[sample.file] = _grey(sample.file)
        tile = sheets[sample.file]
        if sample.box is not None:
            x1, y1, x2, y2 = sample.box
            tile = tile[y1:y2, x1:x2]
        ink, shape = _ink(tile)
        rows.append(np.concatenate([_gradients(ink), _resized(ink, _SMALL).ravel() * 0.5, shape]))
    return np.stack(rows)


def pair_features(samples: Sequence[ClassSample]) -> Matrix:
    """How well boxes fit a screenshot: ink inside, edges along the sides, room for texts.

    Raises:
        ImageError: an image cannot be read.
    """
    screens: dict[str, NDArray[np.uint8]] = {}
    rows = []
    for sample in samples:
        if sample.file not in screens:
            screens[sample.file] = _grey(sample.file)
        rows.append(_fit(screens[sample.file], sample))
    return np.stack(rows)


def inked_share(samples: Sequence[ClassSample]) -> NDArray[np.float64]:
    """Of each sample's boxes, the share in which the screenshot is not of one colour.

    Raises:
        ImageError: an image cannot be read.
    """
    shares: NDArray[np.float64] = pair_features(samples)[:, 0]
    return shares


def _grey(file: str) -> NDArray[np.uint8]:
    return np.asarray(open_rgb(file).convert("L"), dtype=np.uint8)


def _ink(tile: NDArray[np.uint8]) -> tuple[Matrix, NDArray[np.float64]]:
    """The inked part as (32, 32) from 0 to 1, and its proportions and share of the tile."""
    border = np.concatenate([tile[0], tile[-1], tile[:, 0], tile[:, -1]])
    ink = np.abs(tile.astype(np.float64) - np.median(border)) / 255
    rows, columns = np.nonzero(ink.max(axis=1) > 0.25)[0], np.nonzero(ink.max(axis=0) > 0.25)[0]
    if not len(rows) or not len(columns):
        return np.zeros((_SIDE, _SIDE)), np.zeros(4)
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = cut.shape
    side = max(height, width)
    square = np.zeros((side, side))
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = cut
    shape = [height / side, width / side, side / max(tile.shape), cut.mean()]
    return _resized(square, _SIDE), np.array(shape)


def _resized(square: Matrix, side: int) -> Matrix:
    from PIL import Image

    image = Image.fromarray(np.clip(square * 255, 0, 255).astype(np.uint8))
    small = image.resize((side, side), Image.Resampling.BILINEAR, reducing_gap=None)
    found: Matrix = np.asarray(small, dtype=np.float64) / 255
    return found


def _gradients(ink: Matrix) -> NDArray[np.float64]:
    """Histograms of unsigned gradient directions in cells that overlap by half, each normalised."""
    padded = np.pad(ink, 1, mode="edge")
    down = padded[2:, 1:-1] - padded[:-2, 1:-1]
    across = padded[1:-1, 2:] - padded[1:-1, :-2]
    size = np.hypot(across, down)
    angle = np.mod(np.arctan2(down, across), np.pi) / np.pi * _BINS
    lower = np.floor(angle).astype(int)
    part = angle - lower
    planes = np.zeros((_BINS, *ink.shape))
    y, x = np.indices(ink.shape)
    np.add.at(planes, (lower % _BINS, y, x), size * (1 - part))
    np.add.at(planes, ((lower + 1) % _BINS, y, x), size * part)
    step = _CELL // 2
    cells = [
        planes[:, row : row + _CELL, column : column + _CELL].sum(axis=(1, 2))
        for row in range(0, _SIDE - _CELL + 1, step)
        for column in range(0, _SIDE - _CELL + 1, step)
    ]
    table = np.stack(cells)
    table /= np.linalg.norm(table, axis=1, keepdims=True) + 0.2
    return table.ravel()


def _fit(screen: NDArray[np.uint8], sample: ClassSample) -> NDArray[np.float64]:
    height, width = screen.shape
    found = []
    for component in sample.components:
        if component.box is None:
            continue
        x1, y1, x2, y2 = component.box
        left, right = int(x1 * width), min(width, max(int(x1 * width) + 1, round(x2 * width)))
        top, bottom = int(y1 * height), min(height, max(int(y1 * height) + 1, round(y2 * height)))
        inside = screen[top:bottom, left:right].astype(np.float64)
        if not inside.size:
            continue
        around = screen[
            max(0, top - _RING) : bottom + _RING, max(0, left - _RING) : right + _RING
        ].astype(np.float64)
        spread = inside.std()
        ink = np.abs(inside - np.median(inside)) > 40
        columns, rows = ink.any(axis=0).mean(), ink.any(axis=1).mean()
        letters = len(component.text)
        found.append(
            (
                float(spread > _UNIFORM),
                min(spread, 80) / 80,
                columns,
                rows,
                # Ink that is cut off by the box's sides belongs to something else.
                float(np.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]]).mean()),
                abs(inside.mean() - around.mean()) / 255,
                np.log1p(letters) * columns,
                np.log1p(letters) * (1 - columns),
            )
        )
    if not found:
        return np.zeros(16)
    table = np.array(found)
    return np.concatenate([table.mean(axis=0), np.quantile(table, 0.2, axis=0)])
