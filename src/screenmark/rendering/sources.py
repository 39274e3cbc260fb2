"""Which sources a route table has, by the options."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from screenmark.rendering.options import RenderOptions
    from screenmark.rendering.routes import Source


def make_sources(options: RenderOptions) -> Sequence[Source]:
    """The sources that are asked, in order, for what a page does not bring itself."""
    return ()
