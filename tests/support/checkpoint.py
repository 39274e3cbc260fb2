"""A tiny Qwen2.5-VL with random weights, saved as real checkpoints are."""

from __future__ import annotations

import json
from pathlib import Path

_SENTENCES = [
    "Click the button at the point (100, 200) and answer with one letter.",
    "Question: what is on the screen? Options: A. a page B. a form C. a list D. a menu",
    "The user sees a screenshot; the answer is x=0.5, y=0.3 or [640, 360].",
]
_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"]
_SPECIAL += ["<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"]
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MAX_PIXELS = 112 * 112


def save_checkpoint(folder: Path) -> Path:
    """Write a whole checkpoint: configuration, weights, tokenizer, image processor, template."""
    import torch
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder.mkdir(parents=True, exist_ok=True)
    _save_processor(folder)
    tokens = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    ids = {token["content"]: token["id"] for token in tokens["added_tokens"]}
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": 512,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "max_position_embeddings": 4096,
            "rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]},
            "bos_token_id": ids["<|endoftext|>"],
            "eos_token_id": ids["<|im_end|>"],
            "pad_token_id": ids["<|endoftext|>"],
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": 32,
            "fullatt_block_indexes": [1],
            "window_size": 56,
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )
    torch.manual_seed(7)
    model = Qwen2_5_VLForConditionalGeneration(config)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    model.save_pretrained(folder)
    return folder


def _save_processor(folder: Path) -> None:
    from transformers import Qwen2VLImageProcessor

    save_tokenizer(folder)
    size = {"shortest_edge": 4 * 28 * 28, "longest_edge": MAX_PIXELS}
    Qwen2VLImageProcessor(size=size).save_pretrained(folder)
    template = json.dumps({"chat_template": TEMPLATE})
    (folder / "chat_template.json").write_text(template, encoding="utf-8")


def save_tokenizer(folder: Path) -> dict[str, int]:
    """Write a small byte-level tokenizer; the numbers of its special tokens by name."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=_SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_SENTENCES, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=_SPECIAL[2],
        pad_token=_SPECIAL[0],
        extra_special_tokens=_SPECIAL,
    )
    fast.save_pretrained(folder)
    return {token: tokenizer.get_vocab()[token] for token in _SPECIAL}
