"""What a reply keeps of an image that was sent."""

from __future__ import annotations

from screenmark.images import EncodedImage
from screenmark.types import SentImage


def sent_image(image: EncodedImage) -> SentImage:
    """The facts about an encoded image, without its bytes."""
    return SentImage(
        sha256=image.sha256,
        media_type=image.media_type,
        bytes=len(image.data),
        width=image.width,
        height=image.height,
        note=image.note,
    )
