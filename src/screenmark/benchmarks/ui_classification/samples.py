"""One question of classification: a screen, or an icon on it, and the classes it may be of."""

from __future__ import annotations

from screenmark.benchmarks.base import Sample
from screenmark.models.encoders import UI, Component

PixelBox = tuple[int, int, int, int]
"""``x1, y1, x2, y2`` in pixels of the image, origin top left."""


class ClassSample(Sample, frozen=True, kw_only=True):
    """Something with one right class.

    Attributes:
        label: the right class.
        classes: all that may be answered, in the order in which a model is told of them.
        group: what samples that belong together share, such as a page, for intervals.
        file: the image; empty if none is used, or if it was not found.
        width, height: of the image in pixels; 0 without one.
        box: the part of the image that is asked about; None for all of it.
        components: what is said of the screen or the icon: its view hierarchy's elements.
    """

    label: str
    classes: tuple[str, ...]
    group: str
    file: str = ""
    width: int = 0
    height: int = 0
    box: PixelBox | None = None
    components: tuple[Component, ...] = ()

    @property
    def ui(self) -> UI:
        """The screen as encoders take it."""
        return UI(id=self.id, components=self.components, file=self.file)
