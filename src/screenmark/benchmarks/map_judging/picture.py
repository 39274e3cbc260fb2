"""Properties of a picture: whether anything is drawn on it at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from screenmark.benchmarks.map_judging.samples import Check, Output, Picture, Task
from screenmark.rendering.picture import BLANK_SHARE, NEARLY_BLANK_SHARE, colour_shares
from screenmark.rendering.site import ORIGIN

BLANK = BLANK_SHARE
"""Share of one colour above which a picture is blank: a zoom control is 0.0004 of a page."""

SUSPICIOUS = NEARLY_BLANK_SHARE
"""Above it a picture is nearly blank; a right map that was drawn out of view has 0.99."""

_DATA = frozenset({"fetch", "xhr"})


def measure(path: Path) -> Picture:
    """Look at an image file, transparent parts as white.

    Raises:
        ImageError: it cannot be decoded in full.
    """
    from screenmark.images import open_rgb

    image = open_rgb(path)
    dominant, colours = colour_shares(np.asarray(image))
    return Picture(
        width=image.width,
        height=image.height,
        dominant=round(dominant, 6),
        colours=colours,
    )


def picture_checks(task: Task, output: Output) -> list[Check]:
    """Whether the picture shows anything."""
    picture = output.picture
    if picture is None:
        return [Check("not_blank", "not_extracted", "there is no picture")]
    found = (
        f"{100 * picture.dominant:.2f} % of {picture.width}x{picture.height} pixels have one "
        f"colour, {picture.colours} colours in all"
    )
    lacking = not_served(output)
    if picture.dominant > SUSPICIOUS and lacking:
        # What it would show with them nobody knows: the machine's lack, not the page's.
        why = f"not served: {', '.join(lacking[:3])}"
        return [Check("not_blank", "not_extracted", f"{why}; {found}")]
    if picture.dominant > BLANK:
        return [Check("not_blank", "failed", f"blank: {found}")]
    if picture.dominant > SUSPICIOUS:
        # A right map that lies out of view looks like this, and so does a sparse drawing.
        return [Check("not_blank", "passed", f"nearly blank: {found}")]
    return [Check("not_blank", "passed", found)]


def not_served(output: Output) -> list[str]:
    """Addresses of scripts, and of others' data, that a page wanted and this machine lacks.

    A file of data that should lie beside the page is the page's own lack.
    """
    blocked = (output.page or {}).get("blocked", ())
    scripts = [entry["url"] for entry in blocked if entry["matters"] and entry["kind"] == "script"]
    data = [
        entry["url"]
        for entry in blocked
        if entry["matters"] and entry["kind"] in _DATA and not _is_own(entry["url"])
    ]
    return [*scripts, *data]


def _is_own(url: str) -> bool:
    return url == ORIGIN or url.startswith(f"{ORIGIN}/")
