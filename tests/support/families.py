"""Tiny checkpoints of other families than Qwen2.5-VL, and LoRA adapters, with random weights."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from tests.support.checkpoint import MAX_PIXELS, TEMPLATE, save_tokenizer

_TEXT = {
    "vocab_size": 512,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
}


def save_qwen3_vl(folder: Path) -> Path:
    """A Qwen3-VL: patches of 16 pixels, vision features fed into several layers."""
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
    )

    folder.mkdir(parents=True, exist_ok=True)
    ids = save_tokenizer(folder)
    size = {"shortest_edge": 4 * 32 * 32, "longest_edge": MAX_PIXELS}
    Qwen2VLImageProcessor(size=size, patch_size=16).save_pretrained(folder)
    template = json.dumps({"chat_template": TEMPLATE})
    (folder / "chat_template.json").write_text(template, encoding="utf-8")
    config = Qwen3VLConfig(
        text_config={
            **_TEXT,
            "head_dim": 16,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [4, 2, 2],
            },
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": 32,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0, 1],
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )
    return _save(Qwen3VLForConditionalGeneration, config, ids, folder)


def save_llava(folder: Path) -> Path:
    """A LLaVA: CLIP on a square image of a fixed size, and a Llama."""
    from transformers import (
        AutoTokenizer,
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    folder.mkdir(parents=True, exist_ok=True)
    ids = save_tokenizer(folder)
    side = {"height": 56, "width": 56}
    LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": 56}, crop_size=side),
        tokenizer=AutoTokenizer.from_pretrained(folder),
        patch_size=14,
        vision_feature_select_strategy="default",
        image_token="<|image_pad|>",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    vision = CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        image_size=56, patch_size=14,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=vision,
        text_config=LlamaConfig(**_TEXT),
        image_token_index=ids["<|image_pad|>"],
        vision_feature_layer=-2,
    )
    return _save(LlavaForConditionalGeneration, config, ids, folder)


def save_lora(checkpoint: Path, folder: Path, seed: int = 1) -> Path:
    """A LoRA adapter of a checkpoint, strong enough that it changes what is said."""
    import peft
    import torch
    import transformers

    config = transformers.AutoConfig.from_pretrained(checkpoint)
    model = getattr(transformers, config.architectures[0]).from_pretrained(checkpoint)
    settings = peft.LoraConfig(
        r=4, lora_alpha=64, target_modules=["q_proj", "v_proj", "down_proj"],
        init_lora_weights=False,
    )  # fmt: skip
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft's, about transformers
        made = peft.get_peft_model(model, settings)
    made.save_pretrained(folder)
    return folder


def _save(kind: Any, config: Any, ids: dict[str, int], folder: Path) -> Path:
    import torch

    torch.manual_seed(7)
    model = kind(config)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    model.save_pretrained(folder)
    return folder
