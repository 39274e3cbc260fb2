"""Checkpoints that run in this process, through Hugging Face's transformers."""
