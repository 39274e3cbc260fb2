"""Rico's view hierarchies as components, with the size that their bounds are in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from screenmark.benchmarks.ui_components.rico import parse_hierarchy
from screenmark.jsonfile import read_bytes
from screenmark.models.encoders import Component


class Hierarchy(NamedTuple):
    """The visible leaves of a screen, boxes in fractions of its root.

    Attributes:
        width, height: of the root, in pixels of the device.
    """

    leaves: tuple[Component, ...]
    width: float
    height: float


def read_hierarchy(file: Path) -> Hierarchy:
    """Read ``NUMBER.json`` as Rico has it.

    Raises:
        DataError: the file cannot be read, or is no view hierarchy; the node is named.
    """
    data = read_bytes(file)
    leaves = parse_hierarchy(file, data)
    tree: Any = msgspec.json.decode(data)
    root = tree.get("activity", tree)
    x1, y1, x2, y2 = root.get("root", root)["bounds"]
    components = tuple(
        Component(
            box=leaf.box,
            class_name=leaf.class_name,
            text=leaf.text,
            description=leaf.description,
            resource_id=leaf.resource_id,
        )
        for leaf in leaves
    )
    return Hierarchy(components, float(x2 - x1), float(y2 - y1))
