"""How many samples fit into memory at once: estimated, then learned the hard way."""

from __future__ import annotations

from typing import Any, Final

from screenmark.errors import ModelError

MOST_ROWS: Final = 16
"""Largest batch on a GPU that is tried unless somebody asks for more."""

FEW_ROWS: Final = 4
"""The same on a CPU, where the replies of a larger one are long in coming."""

_SHARE_OF_GPU: Final = 0.8
"""Part of the free memory that is planned with."""

_SHARE_OF_MACHINE: Final = 0.5
"""The same of the machine's, where others work too and running out ends the process."""

_HIDDEN_STATES: Final = 24
"""Vectors of the hidden size that a token takes while a layer works on it, with all around it."""

_WORDS: Final = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "alloc_failed",
)


class OutOfMemory(ModelError):
    """A batch, or a single sample, does not fit into memory."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error is PyTorch's, a driver's or Python's way to say that memory ran out."""
    import torch

    if isinstance(error, (OutOfMemory, MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(w in str(error).lower() for w in _WORDS)


class Room:
    """Rows that a batch may have.

    The size of a sample is counted in cells: tokens that it holds in the end and patches of its
    images. A batch takes its rows times the cells of the largest, as all are padded to that.

    Args:
        rows: most rows whatever their size.
        cells: how many fit, if that can be told; None for any number.
    """

    def __init__(self, rows: int, cells: int | None = None) -> None:
        self._rows = rows
        self._cells = cells

    def rows(self, cells: int) -> int:
        """Most rows of a batch whose largest sample takes ``cells``; at least one."""
        fit = self._rows if self._cells is None else self._cells // max(1, cells)
        return max(1, min(self._rows, fit))

    def was_too_small(self, rows: int, cells: int) -> None:
        """Remember that so many rows of this size did not fit: half of them may."""
        half = max(1, rows // 2) * cells
        self._cells = half if self._cells is None else min(self._cells, half)

    def one_at_a_time(self) -> None:
        """The model cannot do batches."""
        self._rows = 1


def plannable_bytes(device: str) -> int:
    """Bytes that batches may take, once the weights are loaded.

    Args:
        device: ``cuda`` or ``cpu``.
    """
    if device == "cuda":
        import torch

        return int(_SHARE_OF_GPU * torch.cuda.mem_get_info()[0])
    import psutil

    return int(_SHARE_OF_MACHINE * psutil.virtual_memory().available)


def cells_that_fit(room_bytes: int, config: Any, bytes_a_number: int) -> int | None:
    """An estimate of the cells that memory has room for; None if the model's sizes are unknown.

    A cell is a key and a value in every layer, and what one layer needs while it works.

    Args:
        room_bytes: what batches may take.
        config: the checkpoint's configuration.
        bytes_a_number: of the type that it computes in.
    """
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    hidden = getattr(text, "hidden_size", None)
    heads = getattr(text, "num_attention_heads", None)
    layers = getattr(text, "num_hidden_layers", None)
    if not (hidden and heads and layers):
        return None
    keys = (getattr(text, "num_key_value_heads", None) or heads) * (
        getattr(text, "head_dim", None) or hidden // heads
    )
    numbers: int = 2 * layers * keys + _HIDDEN_STATES * hidden
    return max(1, room_bytes // (numbers * bytes_a_number))
