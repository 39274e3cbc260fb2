"""LoRA adapters, of the stand-in."""
