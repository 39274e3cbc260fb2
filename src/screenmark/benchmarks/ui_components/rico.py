"""Rico's view hierarchies: ``ID.json`` beside the screenshot ``ID.jpg``.

The tree is below ``activity.root`` (in Rico's semantic annotations it is the whole file). Bounds
are pixels of the device, [x1, y1, x2, y2], and may be of a larger screen than the screenshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from screenmark.benchmarks.ui_components.samples import Box, Leaf
from screenmark.errors import DataError

_MOST_NODES: Final = 100_000
_CLASSES: Final = (  # the first that the class's name ends in
    ("TextInputEditText", "TEXT_INPUT"),
    ("AutoCompleteTextView", "TEXT_INPUT"),
    ("EditText", "TEXT_INPUT"),
    ("CheckedTextView", "CHECK_BOX"),
    ("TextView", "TEXT_VIEW"),
    ("ImageButton", "IMAGE_BUTTON"),
    ("ImageView", "IMAGE_VIEW"),
    ("RadioButton", "RADIO_BUTTON"),
    ("ToggleButton", "SWITCH"),
    ("FloatingActionButton", "IMAGE_BUTTON"),
    ("Button", "TEXT_BUTTON"),
    ("CheckBox", "CHECK_BOX"),
    ("Switch", "SWITCH"),
    ("SwitchCompat", "SWITCH"),
    ("ProgressBar", "PROGRESS_BAR"),
    ("SeekBar", "PROGRESS_BAR"),
    ("WebView", "WEB_VIEW"),
    ("ListView", "LIST_VIEW"),
    ("CardView", "CARD_VIEW"),
    ("TabView", "TAB_VIEW"),
    ("Toolbar", "TOOL_BAR"),
    ("Layout", "LAYOUT"),
)


def parse_hierarchy(file: Path, data: bytes) -> list[Leaf]:
    """The visible leaves of a hierarchy in its order, boxes in fractions of its root.

    Raises:
        DataError: it is not JSON, has no root, or a node is not what it should be.
    """
    try:
        tree: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise DataError(f"not JSON: {error}", file=file) from None
    root = tree.get("activity", tree) if isinstance(tree, dict) else None
    root = root.get("root", root) if isinstance(root, dict) else None
    if not isinstance(root, dict) or "bounds" not in root:
        raise DataError("expected a view hierarchy", file=file, field="activity.root")
    x1, y1, x2, y2 = _bounds(file, root, "root")
    if x2 <= x1 or y2 <= y1:
        raise DataError("the root has no area", file=file, field="activity.root.bounds")
    return [
        _leaf(file, path, node, (x1, y1, x2, y2))
        for path, node in _leaves(file, root)
        if _is_visible(file, path, node)
    ]


def class_of(name: str) -> str:
    """A node's class as RefExp writes it: TEXT_VIEW and the like, others without their package."""
    short = name.rsplit(".", 1)[-1].rsplit("$", 1)[-1]
    return next((known for ending, known in _CLASSES if short.endswith(ending)), short)


def resource_name(resource_id: str) -> str:
    """``com.example:id/sign_in`` as ``signIn``, the way RefExp writes it."""
    words = resource_id.rsplit("/", 1)[-1].split("_")
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:])


def _leaves(file: Path, root: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Nodes without children, with their paths; no recursion, as trees come from outside."""
    stack: list[tuple[str, Any]] = [("root", root)]
    for _ in range(_MOST_NODES):
        if not stack:
            return
        path, node = stack.pop()
        if not isinstance(node, dict):
            raise DataError("expected a node", file=file, field=path)
        children = node.get("children") or []
        if not isinstance(children, list):
            raise DataError("expected a list", file=file, field=f"{path}.children")
        below = [(f"{path}.children[{n}]", c) for n, c in enumerate(children) if c is not None]
        if below:
            stack += reversed(below)
        else:
            yield path, node
    raise DataError(f"more than {_MOST_NODES:,} nodes", file=file)


def _is_visible(file: Path, path: str, node: dict[str, Any]) -> bool:
    x1, y1, x2, y2 = _bounds(file, node, path)
    return node.get("visible-to-user", True) is not False and x1 < x2 and y1 < y2


def _leaf(file: Path, path: str, node: dict[str, Any], screen: Box) -> Leaf:
    left, top, right, bottom = screen
    x1, y1, x2, y2 = _bounds(file, node, path)
    wide, high = right - left, bottom - top
    return Leaf(
        box=((x1 - left) / wide, (y1 - top) / high, (x2 - left) / wide, (y2 - top) / high),
        class_name=class_of(_text(file, node, path, "class")),
        text=_text(file, node, path, "text"),
        description=_text(file, node, path, "content-desc"),
        resource_id=resource_name(_text(file, node, path, "resource-id")),
    )


def _bounds(file: Path, node: dict[str, Any], path: str) -> Box:
    found = node.get("bounds")
    if not isinstance(found, list) or len(found) != 4:
        raise DataError("expected four numbers", file=file, field=f"{path}.bounds")
    if not all(type(v) in {int, float} and abs(v) < 1e6 for v in found):
        raise DataError("expected four numbers", file=file, field=f"{path}.bounds")
    x1, y1, x2, y2 = map(float, found)
    return x1, y1, x2, y2


def _text(file: Path, node: dict[str, Any], path: str, key: str) -> str:
    """A text; null counts as none, and of a list the first (Rico has ``content-desc`` in one)."""
    value = node.get(key)
    if isinstance(value, list):
        value = value[0] if value else None
    if value is not None and not isinstance(value, str):
        raise DataError("expected a text", file=file, field=f"{path}.{key}")
    return " ".join((value or "").split())
