"""Images of a request: encoded for sending, and what a reply keeps of them."""

from __future__ import annotations

from screenmark.images import EncodedImage, encode_async
from screenmark.types import Request, SentImage


async def encode_images(request: Request) -> list[EncodedImage]:
    """The images of a request in order, within its limits. Drop them once they are sent.

    Raises:
        ImageError: one of them cannot be sent.
    """
    return [await encode_async(path, request.image_limits) for path in request.images]


def sent_image(image: EncodedImage) -> SentImage:
    """The facts about an encoded image, without its bytes."""
    return SentImage(
        sha256=image.sha256,
        media_type=image.media_type,
        bytes=len(image.data),
        width=image.width,
        height=image.height,
        note=image.note,
        original_width=image.original_width,
        original_height=image.original_height,
    )
