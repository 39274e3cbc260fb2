"""Who answers: endpoints, embedded models, files of predictions, and your own."""

from __future__ import annotations

from screenmark.models.base import AsyncAdapter, BaseLLMAdapter, ModelOptions
from screenmark.models.encoders import Component, Encoder
from screenmark.models.registry import ADAPTERS, build_adapter, embedded_models

__all__ = [
    "ADAPTERS",
    "AsyncAdapter",
    "BaseLLMAdapter",
    "Component",
    "Encoder",
    "ModelOptions",
    "build_adapter",
    "embedded_models",
]
