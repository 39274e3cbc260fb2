"""Text lines of a screenshot: detection and recognition with the PP-OCR models of RapidOCR.

RapidOCR is used below its one-call interface, because screens differ from photographs: the
pixels are exact, so detection runs without resampling; neighbouring controls are often detected
as one line, so a detected box is cut at wide gaps before it is read; and every line is read at
its own width, which on one core is faster than padded batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from screenmark.models.embedded.ink import Box, ink_box, split_at_gaps
from screenmark.models.embedded.line_cuts import cut_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DETECTION_FILE = "PP-OCRv6_det_small.onnx"
_RECOGNITION_FILE = "PP-OCRv6_rec_small.onnx"

_TILE = 1280
_TILE_OVERLAP = 96
_SMALL_SIDE = 480
_SMALL_SCALE = 1.5
_NETWORK_STRIDE = 32
_MIN_SCORE = 0.5
_CROP_MARGIN = 3
_SAME_ROW = 0.6
_MAX_SLANT = 0.2
_LONG = 1.8


@dataclass(frozen=True)
class TextLine:
    """One run of text: `box` is the tight box of its ink in image pixels, x2 and y2 exclusive.

    `words` are the boxes and texts of its parts between gaps, with the spaces that follow.
    Tilted text is located but not read: its text is empty.
    """

    box: Box
    text: str
    score: float
    words: tuple[tuple[Box, str], ...] = ()

    def shrunk(self, zoom: int) -> TextLine:
        """The same line in an image that is `zoom` times smaller."""
        words = tuple((_divide(box, zoom), text) for box, text in self.words)
        return TextLine(_divide(self.box, zoom), self.text, self.score, words)


class TextReader:
    """Reads the text lines of RGB images. Not thread-safe; the models load on first use."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._engine: Any = None
        self._detector: Any = None
        self._recognizer: Any = None
        self._input: Any = None

    def read(self, pixels: NDArray[np.uint8]) -> list[TextLine]:
        """Return the text lines of an (height, width, 3) RGB image, from top to bottom."""
        self._load()
        bgr = np.ascontiguousarray(pixels[:, :, ::-1])
        straight, tilted = self._detect(bgr)
        boxes = [
            part
            for detected in straight
            if (tight := ink_box(pixels, detected)) is not None
            for part in split_at_gaps(pixels, tight)
        ]
        lines = self._recognize(pixels, bgr, boxes) + [TextLine(box, "", 0.0) for box in tilted]
        return sorted(lines, key=lambda line: (line.box[1], line.box[0]))

    def _load(self) -> None:
        if self._engine is not None:
            return
        import rapidocr
        from rapidocr.ch_ppocr_rec import TextRecInput

        models = Path(rapidocr.__file__).parent / "models"
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,
                "EngineConfig.onnxruntime.intra_op_num_threads": self._threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                # With explicit paths RapidOCR never looks for a download.
                "Det.model_path": str(models / _DETECTION_FILE),
                "Rec.model_path": str(models / _RECOGNITION_FILE),
                "Det.limit_type": "max",
                "Det.limit_side_len": 10 * _TILE,
                "Rec.rec_img_shape": [3, 48, 96],
                "Rec.rec_batch_num": 1,
            }
        )
        self._input = TextRecInput
        self._detector = self._engine._load_det_model()
        self._recognizer = self._engine._load_rec_model()

    def _detect(self, bgr: NDArray[np.uint8]) -> tuple[list[Box], list[Box]]:
        """Boxes of level and of tilted text in an image of any size, in its pixels."""
        import cv2

        height, width = bgr.shape[:2]
        scale = 1.0
        if max(height, width) <= 2 * _SMALL_SIDE and min(height, width) <= _SMALL_SIDE:
            scale = _SMALL_SCALE
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        scaled = bgr if scale == 1 else cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR)

        found: list[tuple[Box, bool]] = []
        columns, rows = _tile_starts(size[0]), _tile_starts(size[1])
        for y, y_end in rows:
            for x, x_end in columns:
                for (x1, y1, x2, y2), level in self._detect_tile(scaled[y:y_end, x:x_end]):
                    # A line cut by the upper or lower edge is whole in the next tile.
                    cut = (y1 <= 1 and y > 0) or (y2 >= y_end - y - 1 and y_end < size[1])
                    if not cut:
                        found.append(((x1 + x, y1 + y, x2 + x, y2 + y), level))
        ratio_x, ratio_y = width / size[0], height / size[1]
        straight, tilted = (
            [box for box, level in found if level is kind] for kind in (True, False)
        )
        if len(rows) * len(columns) > 1:
            straight = _join_overlapping(straight)

        def unscaled(box: Box) -> Box:
            x1, y1, x2, y2 = box
            return int(x1 * ratio_x), int(y1 * ratio_y), round(x2 * ratio_x), round(y2 * ratio_y)

        return [unscaled(box) for box in straight], [unscaled(box) for box in tilted]

    def _detect_tile(self, bgr: NDArray[np.uint8]) -> list[tuple[Box, bool]]:
        """Boxes of text in a tile and whether each is level."""
        import cv2

        height, width = bgr.shape[:2]
        # Padding to the network's stride keeps text pixels exact, resampling would blur them.
        padded = cv2.copyMakeBorder(
            bgr,
            0,
            -height % _NETWORK_STRIDE,
            0,
            -width % _NETWORK_STRIDE,
            cv2.BORDER_REPLICATE,
        )
        quads = self._detector(padded).boxes
        if quads is None:
            return []
        boxes = []
        for quad in quads:
            x1, y1 = (int(v) for v in quad.min(axis=0))
            x2, y2 = (int(v) for v in quad.max(axis=0))
            x2, y2 = min(x2, width), min(y2, height)
            if x2 - x1 >= 3 and y2 - y1 >= 3:
                boxes.append(((x1, y1, x2, y2), not _is_tilted(quad)))
        return boxes

    def _recognize(
        self, pixels: NDArray[np.uint8], bgr: NDArray[np.uint8], boxes: list[Box]
    ) -> list[TextLine]:
        if not boxes:
            return []
        height, width = bgr.shape[:2]
        crops = [
            np.ascontiguousarray(
                bgr[
                    max(0, y1 - _CROP_MARGIN) : min(height, y2 + _CROP_MARGIN),
                    max(0, x1 - _CROP_MARGIN) : min(width, x2 + _CROP_MARGIN),
                ]
            )
            for x1, y1, x2, y2 in boxes
        ]
        read = self._recognizer(self._input(img=crops, return_word_box=True))
        lines = []
        for box, crop, text, score, places in zip(
            boxes, crops, read.txts, read.scores, read.word_results, strict=True
        ):
            if not text.strip() or score < _MIN_SCORE:
                continue
            left = max(0, box[0] - _CROP_MARGIN)
            columns = [column for word in places.word_cols for column in word]
            step = crop.shape[1] / places.line_txt_len if places.line_txt_len else 0.0
            centres = [left + (column + 0.5) * step for column in columns]
            lines += [
                TextLine(part, piece, float(score), words)
                for part, piece, words in cut_line(pixels, box, text, centres)
            ]
        return lines


def _divide(box: Box, zoom: int) -> Box:
    x1, y1, x2, y2 = box[0] // zoom, box[1] // zoom, -(-box[2] // zoom), -(-box[3] // zoom)
    return x1, y1, max(x2, x1 + 1), max(y2, y1 + 1)


def _is_tilted(quad: NDArray[np.int32]) -> bool:
    """True for text set at a slant, as on the axes of charts and on ribbons.

    The direction of a compact quadrilateral says nothing: an icon may fill one at any angle.
    """
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    length, height = float(np.hypot(*across)), float(np.hypot(*down))
    if max(length, height) < _LONG * min(length, height):
        return False
    dx, dy = (abs(int(v)) for v in across)
    return min(dx, dy) > _MAX_SLANT * max(dx, dy)


def _tile_starts(length: int) -> list[tuple[int, int]]:
    """Cut [0, length) into overlapping spans no longer than a tile."""
    if length <= 2000:
        return [(0, length)]
    count = -(-(length - _TILE_OVERLAP) // (_TILE - _TILE_OVERLAP))
    step = (length - _TILE_OVERLAP) / count
    return [
        (round(i * step), min(length, round((i + 1) * step) + _TILE_OVERLAP)) for i in range(count)
    ]


def _join_overlapping(boxes: list[Box]) -> list[Box]:
    """Join boxes that overlap on one row: parts of a line that a tile's edge has cut."""
    joined: list[Box] = []
    for box in sorted(boxes):
        for i, other in enumerate(joined):
            height = min(box[3], other[3]) - max(box[1], other[1])
            low = min(box[3] - box[1], other[3] - other[1])
            if box[0] <= other[2] and height >= _SAME_ROW * low:
                joined[i] = (
                    min(box[0], other[0]),
                    min(box[1], other[1]),
                    max(box[2], other[2]),
                    max(box[3], other[3]),
                )
                break
        else:
            joined.append(box)
    return joined
