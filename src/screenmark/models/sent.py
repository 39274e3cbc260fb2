"""Images of a request: encoded for sending, and what a reply keeps of them."""

from __future__ import annotations

import asyncio

from screenmark.images import EncodedImage, encode
from screenmark.types import Request, SentImage


async def encode_images(request: Request) -> list[EncodedImage]:
    """The images of a request in order, within its limits. Drop them once they are sent.

    Raises:
        ImageError: one of them cannot be sent.
    """
    limits = request.image_limits
    if limits is None:
        return [encode(path) for path in request.images]
    # Scaling takes a third of a second, in which other replies should not wait.
    return await asyncio.to_thread(lambda: [encode(path, limits) for path in request.images])


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
