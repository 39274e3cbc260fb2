"""How many samples fit at once."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from screenmark.errors import ModelError
from screenmark.models.local.memory import OutOfMemory, Room, cells_that_fit, is_out_of_memory


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), True),
        (RuntimeError("CUDA error: out of memory"), True),
        (RuntimeError("DefaultCPUAllocator: not enough memory"), True),
        (RuntimeError("cuBLAS error: CUBLAS_STATUS_ALLOC_FAILED"), True),
        (MemoryError(), True),
        (OutOfMemory("x"), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("out of memory"), False),
        (ModelError("no reply"), False),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_what_running_out_of_memory_looks_like(error: BaseException, memory: bool) -> None:
    assert is_out_of_memory(error) is memory


def test_room_is_rows_times_the_largest() -> None:
    room = Room(16, 8000)
    assert [room.rows(cells) for cells in (100, 500, 1000, 4000, 9000)] == [16, 16, 8, 2, 1]
    assert Room(16).rows(10**9) == 16


def test_room_learns_and_only_ever_shrinks() -> None:
    room = Room(16)
    room.was_too_small(8, 1000)
    assert [room.rows(cells) for cells in (1000, 250, 2000, 5000)] == [4, 16, 2, 1]
    room.was_too_small(16, 4000)  # of another kind, from before: no reason to dare more
    assert room.rows(1000) == 4
    room.was_too_small(3, 1000)
    assert room.rows(1000) == 1
    room.one_at_a_time()
    assert room.rows(1) == 1


def config(**more: Any) -> Any:
    text = SimpleNamespace(
        hidden_size=3584,
        num_attention_heads=28,
        num_hidden_layers=28,
        num_key_value_heads=4,
        **more,
    )
    return SimpleNamespace(get_text_config=lambda: text)


def test_estimate_for_a_7b_in_two_bytes() -> None:
    # Keys and values: 2 x 28 layers x 4 heads x 128; around them 24 vectors of 3584.
    a_cell = 2 * (2 * 28 * 4 * 128 + 24 * 3584)
    assert cells_that_fit(10 * a_cell, config(), 2) == 10
    assert cells_that_fit(0, config(), 2) == 1
    wide = 2 * (2 * 28 * 4 * 256 + 24 * 3584)
    assert cells_that_fit(10 * wide, config(head_dim=256), 2) == 10
    assert cells_that_fit(1 << 30, SimpleNamespace(), 2) is None
