"""Samples put together: padded on the left, images in a row."""

from typing import Any

import pytest
import torch

from screenmark.models.local.collate import cells_of, collated, kind_of


def sample(tokens: int, patches: int = 4, **more: Any) -> dict[str, Any]:
    return {
        "input_ids": torch.arange(1, tokens + 1)[None],
        "attention_mask": torch.ones(1, tokens, dtype=torch.long),
        "pixel_values": torch.full((patches, 1176), float(tokens)),
        "image_grid_thw": torch.tensor([[1, 2, patches // 2]]),
        **more,
    }


def test_tokens_are_padded_on_the_left_and_images_follow_each_other() -> None:
    batch = collated([sample(5), sample(7, 8)], pad_token=0)
    assert batch["input_ids"].tolist() == [[0, 0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7]]
    assert batch["attention_mask"].tolist() == [[0, 0, 1, 1, 1, 1, 1], [1] * 7]
    assert batch["pixel_values"].shape == (12, 1176)
    assert batch["pixel_values"][:, 0].tolist() == [5.0] * 4 + [7.0] * 8
    assert batch["image_grid_thw"].tolist() == [[1, 2, 2], [1, 2, 4]]


def test_one_sample_stays_as_it_is() -> None:
    one = sample(5)
    assert all(collated([one], 0)[name] is value for name, value in one.items())


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (sample(9, 16), True),
        ({k: v for k, v in sample(9).items() if not k.startswith(("pixel", "image"))}, False),
        (sample(9, pixel_values=torch.zeros(4, 600)), False),
        (sample(9, pixel_values=torch.zeros(4, 1176, dtype=torch.float16)), False),
    ],
    ids=["sizes", "no image", "other patches", "other type"],
)
def test_what_goes_together(other: dict[str, Any], alike: bool) -> None:
    assert (kind_of(sample(5)) == kind_of(other)) is alike


@pytest.mark.parametrize(
    "inputs",
    [
        {"inputs_embeds": torch.zeros(1, 4, 8)},
        {"input_ids": torch.ones(1, 4)},
        sample(5, extra="text"),
        sample(5, scale=torch.tensor(1.0)),
        {**sample(5), "input_ids": torch.ones(2, 5)},
    ],
    ids=["embeddings", "no mask", "no tensor", "scalar", "several rows"],
)
def test_what_goes_alone(inputs: dict[str, Any]) -> None:
    assert kind_of(inputs) is None


def test_size_is_tokens_and_patches() -> None:
    assert cells_of(sample(5, 8), 10) == 5 + 10 + 8 * 1176 // 588
    assert cells_of({"input_ids": torch.ones(1, 4)}, 3) == 7
