"""Adapters for tests that name one."""

from __future__ import annotations

from screenmark.models import BaseLLMAdapter


class Silent(BaseLLMAdapter):
    """Sees nothing."""

    def infer(self, image_path: str, prompt: str) -> str:
        return "[]"
