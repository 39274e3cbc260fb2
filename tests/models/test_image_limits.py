"""Which limits hold for a run: the user's, else the strictest provider's."""

from __future__ import annotations

from typing import Any

import pytest

from screenmark.errors import UsageError
from screenmark.models import BaseLLMAdapter, ModelOptions
from screenmark.models.image_limits import limits_at, limits_of_run
from screenmark.models.presets import presets
from screenmark.types import ImageLimits


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://API.OpenAI.com:443/v1/chat/completions", "openai"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "dashscope"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "dashscope"),
        ("https://api.anthropic.com", "anthropic"),
        ("https://open.bigmodel.cn/api/paas/v4", "zhipu"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "gemini"),
        ("http://127.0.0.1:8000/v1", None),
        ("https://api.openai.com.example.org/v1", None),
    ],
)
def test_limits_of_an_address(url: str, provider: str | None) -> None:
    assert limits_at(url) == (presets()[provider].limits if provider else ImageLimits())


@pytest.mark.parametrize(
    ("provider", "base64_characters"),
    [
        ("openai", 20_000_000),
        ("openai-responses", 20_000_000),
        ("dashscope", 10_000_000),
        ("anthropic", 5_000_000),
        ("zhipu", 5_000_000),
        ("volcengine", 10_000_000),
        ("gemini", 19_000_000),
    ],
)
def test_a_data_url_fits_too(provider: str, base64_characters: int) -> None:
    most = presets()[provider].max_image_bytes
    assert most is not None
    assert len("data:image/webp;base64,") + -(-most // 3) * 4 <= base64_characters


class Model(BaseLLMAdapter):
    def __init__(self, limits: ImageLimits | None) -> None:
        self.image_limits = limits

    def infer(self, image_path: str, prompt: str) -> str:
        return ""


@pytest.mark.parametrize(
    ("options", "theirs", "expected"),
    [
        pytest.param({}, [ImageLimits()], None, id="none"),
        pytest.param({}, [None], None, id="takes files"),
        pytest.param({}, [ImageLimits(5, 9)], ImageLimits(5, 9), id="documented"),
        pytest.param(
            {}, [ImageLimits(5, 9), ImageLimits(), ImageLimits(7, 8)], ImageLimits(5, 8),
            id="the strictest replica",
        ),
        pytest.param(
            {"max_image_pixels": 100}, [ImageLimits(5, 9)], ImageLimits(100, 9),
            id="an option goes first",
        ),
        pytest.param(
            {"max_image_bytes": 3}, [ImageLimits()], ImageLimits(None, 3), id="an option alone"
        ),
        pytest.param(
            {"max_image_edge": 9}, [ImageLimits(max_edge=7)], ImageLimits(max_edge=9), id="an edge"
        ),
        pytest.param(
            {}, [ImageLimits(max_edge=7), ImageLimits(max_edge=6)], ImageLimits(max_edge=6),
            id="the strictest edge",
        ),
    ],
)  # fmt: skip
def test_limits_of_a_run(
    options: dict[str, Any], theirs: list[ImageLimits | None], expected: ImageLimits | None
) -> None:
    assert limits_of_run(ModelOptions(**options), [Model(one) for one in theirs]) == expected


def test_an_option_that_cannot_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="--max-image-bytes: custom reads image files"):
        limits_of_run(ModelOptions(max_image_bytes=5), [Model(ImageLimits()), Model(None)])
