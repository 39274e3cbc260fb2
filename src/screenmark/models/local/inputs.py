"""From messages to what ``generate`` takes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from screenmark.errors import ModelError
from screenmark.images import EncodedImage, to_rgb
from screenmark.models.local.wrapped import LocalModel
from screenmark.models.sent import sent_image
from screenmark.types import Image, Message, SentImage


def default_inputs(
    messages: Sequence[Message], images: Sequence[EncodedImage], model: LocalModel
) -> dict[str, Any]:
    """The checkpoint's own chat template over the messages, and its image processor.

    Args:
        images: those of the messages, in order, within the run's limits.

    Raises:
        ModelError: the checkpoint takes no images, or has no chat template.
    """
    from PIL import Image as PillowImage

    processor = model.processor
    if images and not hasattr(processor, "image_processor"):
        raise ModelError("this checkpoint has no image processor: it takes text only")
    if not getattr(processor, "chat_template", None):
        raise ModelError(
            "this checkpoint has no chat template; write its prompt in a function of your own "
            "(--preprocess)"
        )
    opened = iter([to_rgb(PillowImage.open(io.BytesIO(image.data))) for image in images])
    rows = [
        {
            "role": message.role,
            "content": [
                {"type": "image", "image": next(opened)}
                if isinstance(part, Image)
                else {"type": "text", "text": part.text}
                for part in message.parts
            ],
        }
        for message in messages
    ]
    inputs = processor.apply_chat_template(
        rows, tokenize=True, add_generation_prompt=True, return_dict=True, return_tensors="pt"
    )
    return dict(inputs)


def on_device(
    inputs: Mapping[str, Any], model: LocalModel, *, like_weights: bool = False
) -> dict[str, Any]:
    """Inputs with their tensors where the model is.

    Args:
        like_weights: give fractions the type of the model's weights too.
    """
    import torch

    moved = {}
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor):
            to_type = like_weights and value.is_floating_point()
            value = value.to(model.device, dtype=model.dtype if to_type else None)  # noqa: PLW2901
        moved[name] = value
    return moved


def prompt_length(inputs: Mapping[str, Any]) -> int:
    """Tokens of the prompt, which the output starts with; 0 if it goes in as embeddings."""
    ids = inputs.get("input_ids")
    return 0 if ids is None else int(ids.shape[-1])


def images_seen(
    images: Sequence[EncodedImage], inputs: Mapping[str, Any], model: LocalModel
) -> tuple[SentImage, ...]:
    """The facts about the images, the model's own resize among them where it can be told.

    Models of Qwen's kind say how many patches an image was cut into.
    """
    sent = tuple(map(sent_image, images))
    grids = inputs.get("image_grid_thw")
    patch = getattr(getattr(model.processor, "image_processor", None), "patch_size", None)
    if grids is None or not isinstance(patch, int) or len(grids) != len(sent):
        return sent
    return tuple(
        msgspec.structs.replace(image, seen_width=int(w) * patch, seen_height=int(h) * patch)
        for image, (_, h, w) in zip(sent, grids.tolist(), strict=True)
    )
