"""In how many processes a local model runs, with which GPUs, and how much each does at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from screenmark.errors import UsageError
from screenmark.models.base import ModelOptions
from screenmark.models.local.memory import FEW_ROWS, MOST_ROWS

_DEVICES = "CUDA_VISIBLE_DEVICES"


class Layout(NamedTuple):
    """How a local model uses a machine.

    Attributes:
        workers: processes; with one the model is in this process.
        rows: most samples of a batch.
        gpus: GPUs of the machine that may be used.
    """

    workers: int
    rows: int
    gpus: int

    @property
    def in_flight(self) -> int:
        """Requests that keep all workers busy.

        With batches, twice what they hold: the next one is gathered and made ready meanwhile.
        """
        return self.workers * (self.rows if self.rows == 1 else 2 * self.rows)


def layout(options: ModelOptions, gpus: int, *, batches: bool = True) -> Layout:
    """How a machine with so many GPUs is used.

    Args:
        batches: whether several samples can be asked at once.

    Raises:
        UsageError: more workers than GPUs, a GPU that is not there, or a batch where there can
            be none.
    """
    if options.batch_size not in {None, 1} and not batches:
        raise UsageError(
            "--batch-size: functions of your own are given one sample at a time; leave it out"
        )
    _check_devices(options.device_map, gpus)
    spread = options.device_map is not None
    workers = options.workers or (gpus if gpus and not spread else 1)
    if gpus and workers > gpus:
        raise UsageError(f"--workers {workers}: there are only {gpus} GPUs, one for each process")
    rows = options.batch_size or (MOST_ROWS if gpus else FEW_ROWS)
    return Layout(workers, rows if batches else 1, gpus)


def _check_devices(name: str | None, gpus: int) -> None:
    """See that a GPU which ``--device-map`` names is there, before any weights are read."""
    if name is None or not name.startswith("cuda"):
        return
    number = name.removeprefix("cuda").removeprefix(":") or "0"
    if number.isascii() and number.isdigit() and int(number) < gpus:
        return
    there = "PyTorch finds no GPU here"
    if gpus:
        there = "there is cuda:0" if gpus == 1 else f"there are cuda:0 to cuda:{gpus - 1}"
    raise UsageError(f"--device-map {name}: {there}; auto spreads a checkpoint over all there is")


def count_gpus() -> int:
    """GPUs that PyTorch can use here."""
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def environment(number: int, plan: Layout, own: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of worker ``number``: its share of the GPUs, or of the processors.

    Args:
        own: this process's environment.
    """
    environ = dict(os.environ if own is None else own)
    if plan.gpus:
        named = [name.strip() for name in environ.get(_DEVICES, "").split(",") if name.strip()]
        devices = named or [str(n) for n in range(plan.gpus)]
        each = len(devices) // plan.workers
        environ[_DEVICES] = ",".join(devices[number * each : (number + 1) * each])
    else:
        # Else each worker would start a thread for each processor.
        environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // plan.workers)))
    return environ
