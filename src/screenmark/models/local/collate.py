"""Inputs of several samples as those of one batch."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

_PATCH_NUMBERS: Final = 3 * 14 * 14
"""Numbers of a patch of 14 x 14 pixels, three colours each."""

_PADDING: Final = {"labels": -100}


def kind_of(inputs: Mapping[str, Any]) -> Hashable | None:
    """What two samples have to have in common to go into one batch; None if one goes alone.

    The same inputs, and all but their first side, and the length of the prompt, the same.
    """
    import torch

    ids, mask = inputs.get("input_ids"), inputs.get("attention_mask")
    if not isinstance(ids, torch.Tensor) or ids.ndim != 2 or ids.shape[0] != 1 or mask is None:
        return None
    kind = []
    for name, value in inputs.items():
        if not isinstance(value, torch.Tensor) or value.ndim == 0:
            return None
        along = _follows_tokens(value, ids.shape[1])
        kind.append((name, along, value.dtype, tuple(value.shape[2 if along else 1 :])))
    return tuple(kind)


def cells_of(inputs: Mapping[str, Any], new_tokens: int) -> int:
    """The size of a sample: tokens of its prompt and its reply, and patches of its images."""
    ids, pixels = inputs.get("input_ids"), inputs.get("pixel_values")
    tokens = 0 if ids is None else int(ids.shape[-1])
    patches = 0 if pixels is None else int(pixels.numel()) // _PATCH_NUMBERS
    return tokens + new_tokens + patches


def collated(rows: Sequence[Mapping[str, Any]], pad_token: int) -> dict[str, Any]:
    """Inputs of one kind as one batch: tokens padded on the left, images one after the other.

    Args:
        rows: inputs of one sample each, alike by `kind_of`.
        pad_token: what stands before shorter prompts; masked, so that no model reads it.
    """
    import torch

    if len(rows) == 1:
        return dict(rows[0])
    lengths = [int(row["input_ids"].shape[1]) for row in rows]
    longest = max(lengths)
    batch = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        if all(
            _follows_tokens(value, length) for value, length in zip(values, lengths, strict=True)
        ):
            fill = pad_token if name == "input_ids" else _PADDING.get(name, 0)
            values = [_padded(value, longest, fill) for value in values]
        batch[name] = torch.cat(values)
    return batch


def _follows_tokens(value: Any, tokens: int) -> bool:
    """Whether it holds something for each token of one prompt."""
    return bool(value.ndim >= 2 and value.shape[0] == 1 and value.shape[1] == tokens)


def _padded(value: Any, length: int, fill: int) -> Any:
    missing = length - value.shape[1]
    if not missing:
        return value
    import torch

    before = value.new_full((1, missing, *value.shape[2:]), fill)
    return torch.cat([before, value], dim=1)
