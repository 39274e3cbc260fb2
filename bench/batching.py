"""Batches of a local checkpoint against one sample at a time, on the processors of this machine.

A Qwen2.5-VL with random weights is made, asked about screenshots of several sizes through the
adapter itself, and made to write the same number of tokens each time. Rounds of all batch sizes
are interleaved; the figures are medians, by the wall clock and by the CPU time of the process,
which others at work on the machine disturb less. Texts must be the same in all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

SIZES = [(1280, 800), (1440, 900), (1024, 768), (1366, 768)]
MAX_PIXELS = 448 * 448


def make_checkpoint(folder: Path, hidden: int, layers: int) -> int:
    """Write a checkpoint; returns how many parameters it has."""
    import torch
    from transformers import AutoConfig, Qwen2_5_VLForConditionalGeneration

    from tests.support.checkpoint import save_checkpoint

    save_checkpoint(folder)
    config = AutoConfig.from_pretrained(folder)
    heads = hidden // 64
    for name, value in {
        "hidden_size": hidden,
        "intermediate_size": 4 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": max(1, heads // 4),
    }.items():
        setattr(config.text_config, name, value)
    config.text_config.layer_types = ["full_attention"] * layers
    config.text_config.rope_parameters["mrope_section"] = [8, 12, 12]
    config.vision_config.out_hidden_size = hidden
    torch.manual_seed(7)
    model = Qwen2_5_VLForConditionalGeneration(config)
    model.generation_config.pad_token_id = config.text_config.pad_token_id
    model.save_pretrained(folder)
    return sum(p.numel() for p in model.parameters())


def make_screenshots(folder: Path, count: int) -> list[Path]:
    from PIL import Image, ImageDraw

    paths = []
    for n in range(count):
        image = Image.new("RGB", SIZES[n % len(SIZES)], (240, 240, 255 - 5 * n))
        ImageDraw.Draw(image).rectangle((60 * n, 40 * n, 60 * n + 200, 40 * n + 60), fill="navy")
        paths.append(folder / f"{n}.png")
        image.save(paths[-1])
    return paths


async def ask_all(checkpoint: Path, shots: list[Path], rows: int, tokens: int) -> Any:
    """Seconds by wall and CPU that all took together, the model being loaded, and the replies."""
    from screenmark.models import ModelOptions
    from screenmark.models.transformers_adapter import TransformersAdapter
    from screenmark.types import Image, Message, Request, Text

    adapter = TransformersAdapter(
        ModelOptions(
            model=str(checkpoint), adapter="transformers", batch_size=rows, timeout=3600,
            max_pixels=MAX_PIXELS,
        )
    )  # fmt: skip
    await adapter.start()
    cfg = {"min_new_tokens": tokens, "max_new_tokens": tokens}
    requests = [
        Request((Message("user", (Image(str(shot)), Text("Click the button."))),), generate_cfg=cfg)
        for shot in shots
    ]
    try:
        await adapter.generate(requests[0])
        began, worked = time.perf_counter(), time.process_time()
        replies = await asyncio.gather(*map(adapter.generate, requests))
        took = time.perf_counter() - began, time.process_time() - worked
        return took, [reply.text for reply in replies], replies[0].usage
    finally:
        await adapter.close()


def compare(batches: list[int], rounds: int, count: int, tokens: int, sizes: list[str]) -> bool:
    import torch

    same = True
    device = "a GPU" if torch.cuda.is_available() else f"{torch.get_num_threads()} CPU threads"
    for size in sizes:
        hidden, layers = map(int, size.split("x"))
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = Path(folder) / "Qwen2.5-VL-random"
            parameters = make_checkpoint(checkpoint, hidden, layers)
            shots = make_screenshots(Path(folder), count)
            seconds: dict[int, list[tuple[float, float]]] = {rows: [] for rows in batches}
            texts: dict[int, list[str]] = {}
            for _ in range(rounds):
                for rows, found in seconds.items():
                    took, texts[rows], usage = asyncio.run(ask_all(checkpoint, shots, rows, tokens))
                    found.append(took)
        print(
            f"{parameters / 1e6:.0f} million parameters, {count} screenshots, prompts of about "
            f"{usage.input_tokens} tokens, {tokens} new ones each, {device}, {rounds} rounds"
        )
        print(f"{'batch':>6} {'tokens/s':>9} {'ratio':>6} {'a CPU s':>8} {'ratio':>6}  same texts")
        first: list[float] = []
        for rows, found in seconds.items():
            rates = [
                count * tokens / statistics.median(times) for times in zip(*found, strict=True)
            ]
            first = first or rates
            ratios = [rate / base for rate, base in zip(rates, first, strict=True)]
            equal = texts[rows] == texts[batches[0]]
            same &= equal
            shown = f"{rates[0]:9.1f} {ratios[0]:6.2f} {rates[1]:8.1f} {ratios[1]:6.2f}"
            print(f"{rows:6} {shown}  {equal}")
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--sizes", nargs="+", default=["256x8", "1024x16"], metavar="HIDDENxLAYERS")
    options = parser.parse_args()
    fine = compare(options.batches, options.rounds, options.count, options.tokens, options.sizes)
    raise SystemExit(not fine)


if __name__ == "__main__":
    main()
