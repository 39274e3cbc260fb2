"""Which space the numbers of a reply are in, its screenshot having been scaled or not."""

from __future__ import annotations

from screenmark.geometry import Size, Space, scaled
from screenmark.types import Reply


def space_of_reply(space: Space, reply: Reply) -> Space:
    """The space of a reply about the last of the images that it was sent.

    A model that answers in pixels answers in those of the image as it was sent; where the model
    runs here, the size that its own resize came to is known.
    """
    sent = reply.images[-1] if reply.images else None
    if space.kind == "resized" and sent is not None and sent.seen_width and sent.seen_height:
        return scaled(Size(sent.seen_width, sent.seen_height))
    if sent is not None and sent.original_width is not None:
        return space.as_sent(Size(sent.width, sent.height))
    return space
