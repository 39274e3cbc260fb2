"""Controls: rectangles that hold one row of text, one icon, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from screenmark.models.embedded.ink import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from screenmark.models.embedded.regions import Frame, RegionMap
    from screenmark.models.embedded.typography import SetLine

# Heights of controls in pixels and in font sizes of their text; lower frames are badges.
_MAX_HEIGHT = 72
_MAX_EMS = 4.2
_MIN_EMS = 1.6
_MIN_EMPTY_HEIGHT = 18
_EMPTY_ASPECT = 2.2
_CHECK_SIDES = (9, 20)
# Difference of a colour channel that makes a fill the point of a control.
_STRONG_FILL = 60
# Area of an inner frame, as a share of the outer one, that makes it a control of its own.
_INNER_SHARE = 0.1
_WIDE_GAP_EMS = 2.0
_MAX_BUTTON_EMS = 24
_MAX_ICON_BUTTON = 56
_MAX_BADGE_CHARS = 4


@dataclass(frozen=True)
class Control:
    """A control's box in pixels, its element type, its lines from left to right, its icons."""

    box: Box
    kind: str
    lines: tuple[SetLine, ...] = ()
    icons: tuple[Box, ...] = ()
    filled: bool = False

    @property
    def text(self) -> str:
        """What is written on the control; a lone letter is an icon that was read as one."""
        return " ".join(
            line.text for line in self.lines if len(line.text) > 1 or line.text.isdigit()
        )


@dataclass
class _Page:
    pixels: NDArray[np.uint8]
    regions: RegionMap
    frames: Sequence[Frame]
    lines: list[SetLine]
    icons: list[Box]
    claimed: list[Box] = field(default_factory=list)
    colours: dict[int, NDArray[np.float64]] = field(default_factory=dict)


def find_controls(
    pixels: NDArray[np.uint8],
    regions: RegionMap,
    frames: Sequence[Frame],
    lines: Sequence[SetLine],
    icons: Sequence[Box],
) -> list[Control]:
    """Classify `frames` (smallest first); a frame takes what smaller ones in it hold."""
    page = _Page(pixels, regions, frames, list(lines), list(icons))
    stacked = _stacked(frames)
    controls: list[Control] = []
    for i, frame in enumerate(frames):
        control = _classify(page, frame, i in stacked)
        if control is None:
            continue
        # A frame takes over the small ones in it, such as badges and parts of icons.
        controls = [other for other in controls if not _inside(other.box, control.box)]
        controls.append(control)
        page.claimed.append(control.box)
    return controls


def _classify(page: _Page, frame: Frame, stacked: bool) -> Control | None:
    if frame.height > _MAX_HEIGHT or any(
        _inside(box, frame.box) and _area(box) > _INNER_SHARE * _area(frame.box)
        for box in page.claimed
    ):
        return None
    if any(_inside(frame.box, line.box) for line in page.lines):
        return None
    lines = [line for line in page.lines if _holds(frame.box, line.box)]
    lines.sort(key=lambda line: line.box[0])
    icons = [icon for icon in page.icons if _inside(icon, frame.box)]
    if lines:
        control = _with_text(page, frame, lines, icons)
        if control is None or frame.apart or stacked:
            return control
        # Buttons of several colours may touch; the head of a card has its title on the left.
        free = not _has_side_neighbour(page.frames, frame)
        return control if free and _is_centred(control) else None
    if not frame.apart:
        return None
    low, high = _CHECK_SIDES
    square = max(frame.width, frame.height) <= 1.25 * min(frame.width, frame.height)
    if square and low <= frame.width <= high and low <= frame.height <= high:
        part = any(_inside(frame.box, icon) and _larger(icon, frame.box) for icon in page.icons)
        kind = "radio" if frame.is_round else "checkbox"
        return None if part else Control(frame.box, kind, (), tuple(icons))
    compact = frame.height <= _MAX_ICON_BUTTON and frame.width <= 3 * frame.height
    if len(icons) == 1 and compact and _padded(frame.box, icons[0]):
        return Control(frame.box, "button", (), tuple(icons))
    empty = frame.height >= _MIN_EMPTY_HEIGHT and frame.width >= _EMPTY_ASPECT * frame.height
    if empty and len(icons) <= 1 and not _is_strongly_filled(page, frame):
        return Control(frame.box, "input", (), tuple(icons))
    return None


def _with_text(page: _Page, frame: Frame, lines: list[SetLine], icons: list[Box]) -> Control | None:
    em = max(line.em for line in lines)
    one_row = max(line.ink[1] for line in lines) < min(line.ink[3] for line in lines)
    if not one_row or not _MIN_EMS * em <= frame.height <= _MAX_EMS * em or len(lines) > 3:
        return None
    if not _is_label(lines):
        return None
    content = sorted([line.ink for line in lines] + icons)
    if _wide_gaps(content, em) > 1 or frame.sides[0] == frame.sides[2] == 0:
        return None
    left = content[0][0] - frame.box[0]
    right = frame.box[2] - max(box[2] for box in content)
    strong = _is_strongly_filled(page, frame)
    starts_left = right > max(2 * left, 2.5 * em)
    if strong and starts_left and frame.width > _MAX_BUTTON_EMS * em:
        # A coloured strip with a message at its left end is an alert, not a button.
        return None
    is_field = not strong and (starts_left or _wide_gaps(content, em))
    kind = "input" if is_field else "button"
    return Control(frame.box, kind, tuple(lines), tuple(icons), strong)


def _is_label(lines: Sequence[SetLine]) -> bool:
    """True for one text, perhaps behind an icon read as a letter and before a short badge."""
    long = [i for i, line in enumerate(lines) if len(line.text) > _MAX_BADGE_CHARS]
    main = long[0] if long else 0
    lead = lines[:main]
    return len(long) <= 1 and all(len(x.text) == 1 and not x.text.isdigit() for x in lead)


def _wide_gaps(content: Sequence[Box], em: float) -> int:
    """How often neighbours in a row stand further apart than the parts of one label."""
    gaps, reach = 0, content[0][2]
    for box in content[1:]:
        gaps += box[0] - reach > _WIDE_GAP_EMS * em
        reach = max(reach, box[2])
    return gaps


def _is_centred(control: Control) -> bool:
    """True where one connected label stands in the middle of a control of moderate width."""
    content = sorted([line.ink for line in control.lines] + list(control.icons))
    em = max(line.em for line in control.lines)
    left = content[0][0] - control.box[0]
    right = control.box[2] - max(box[2] for box in content)
    compact = control.box[2] - control.box[0] <= _MAX_BUTTON_EMS * em
    return compact and not _wide_gaps(content, em) and abs(left - right) <= 0.5 * em


def _is_strongly_filled(page: _Page, frame: Frame) -> bool:
    """True where the inside differs much from the colour above it."""
    inside = _colour(page, frame.label)
    outside = _colour(page, frame.sides[1])
    return bool(np.abs(inside - outside).max() > _STRONG_FILL)


def _colour(page: _Page, label: int) -> NDArray[np.float64]:
    if not label:
        return np.zeros(3)
    if label not in page.colours:
        x1, y1, x2, y2 = (int(v) for v in page.regions.boxes[label])
        mask = page.regions.labels[y1:y2, x1:x2] == label
        page.colours[label] = np.median(page.pixels[y1:y2, x1:x2][mask], axis=0)
    return page.colours[label]


def _stacked(frames: Sequence[Frame]) -> set[int]:
    """Indices of three and more frames of one size that touch in a column, as list groups do."""
    follower: dict[int, int] = {}
    low = [i for i, frame in enumerate(frames) if frame.height <= _MAX_HEIGHT]
    low.sort(key=lambda i: frames[i].box[1])
    for place, i in enumerate(low):
        upper = frames[i]
        for j in low[place + 1 :]:
            lower = frames[j]
            if lower.box[1] > upper.box[3] + 3:
                break
            if (
                abs(upper.box[0] - lower.box[0]) <= 2
                and abs(upper.box[2] - lower.box[2]) <= 2
                and abs(upper.box[3] - lower.box[1]) <= 3
                and abs(upper.height - lower.height) <= 2
                and not _has_side_neighbour(frames, upper)
                and not _has_side_neighbour(frames, lower)
            ):
                follower[i] = j
    found: set[int] = set()
    for i, j in follower.items():
        if j in follower:
            found |= {i, j, follower[j]}
    return found


def _has_side_neighbour(frames: Sequence[Frame], frame: Frame) -> bool:
    """True where a frame of the same height adjoins left or right, as table cells do."""
    return any(
        abs(other.box[1] - frame.box[1]) <= 2
        and abs(other.box[3] - frame.box[3]) <= 2
        and (abs(other.box[0] - frame.box[2]) <= 3 or abs(other.box[2] - frame.box[0]) <= 3)
        for other in frames
    )


def _inside(inner: Box, outer: Box) -> bool:
    return (
        inner[0] >= outer[0]
        and inner[1] >= outer[1]
        and inner[2] <= outer[2]
        and inner[3] <= outer[3]
    )


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _larger(a: Box, b: Box) -> bool:
    return max(a[2] - a[0] - b[2] + b[0], a[3] - a[1] - b[3] + b[1]) > 2


def _holds(frame: Box, line: Box) -> bool:
    x, y = (line[0] + line[2]) / 2, (line[1] + line[3]) / 2
    return (
        frame[0] <= x <= frame[2]
        and frame[1] <= y <= frame[3]
        and line[0] >= frame[0] - 2
        and line[2] <= frame[2] + 2
    )


def _padded(frame: Box, icon: Box) -> bool:
    """True where the icon keeps clear of the frame's sides."""
    return icon[0] - frame[0] >= 2 and frame[2] - icon[2] >= 2 and icon[1] - frame[1] >= 2
