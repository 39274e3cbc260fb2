"""Runs whose screenshots are scaled down before they are sent."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import screenmark
from screenmark import images
from screenmark.benchmarks.page_parsing import PageParsing
from screenmark.engine import rescore
from screenmark.errors import RunFolderError, UsageError
from screenmark.models import BaseLLMAdapter
from screenmark.models.openai import OpenAIAdapter
from screenmark.types import ImageLimits, Outcome
from tests.support.endpoint import Act, FakeEndpoint, prompt_of
from tests.support.pages import write_pages

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")

WIDTH, HEIGHT = 1000, 750
TRUTH: list[dict[str, Any]] = [
    {"type": "button", "index": 0, "description": "OK", "coordinates": [600, 450, 750, 500]},
    {"type": "text", "index": 1, "description": "Name", "coordinates": [20, 30, 200, 50]},
    {"type": "icon", "index": 2, "description": "close", "coordinates": [950, 10, 990, 45]},
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """One page of 1000 x 750 pixels, a PNG of about 150 KB."""
    images.CACHE.clear()
    noise = Image.effect_noise((WIDTH // 2, HEIGHT // 2), 40).resize((WIDTH, HEIGHT), 0)
    noise.convert("RGB").save(tmp_path / "big.png")
    return write_pages(tmp_path, [{"image_path": "big.png", "elements": TRUTH}])


def size_of(body: dict[str, Any]) -> tuple[int, int]:
    """Width and height of the image in a request."""
    (image,) = (p for p in body["messages"][0]["content"] if p["type"] == "image_url")
    data = base64.b64decode(image["image_url"]["url"].partition(",")[2])
    with Image.open(io.BytesIO(data)) as shown:
        return shown.size


def sees(space: str) -> Any:
    """A model that knows the truth and the picture it was sent, nothing else."""

    def act(number: int, body: dict[str, Any]) -> Act:
        width, height = size_of(body)
        full = {"pixel": (width, height), "permille": (1000, 1000), "unit": (1, 1)}[space]
        elements = []
        for element in TRUTH:
            x1, y1, x2, y2 = element["coordinates"]
            corners = [x1 / WIDTH, y1 / HEIGHT, x2 / WIDTH, y2 / HEIGHT]
            digits = 4 if space == "unit" else 0
            box = [round(part * full[n % 2], digits) for n, part in enumerate(corners)]
            elements.append({**element, "coordinates": box})
        return Act(content=json.dumps(elements))

    return act


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    options = {"model": "m", "api_base": [endpoint.url], **options}
    return screenmark.run("gui-hallubench", annotation=annotation, **options)


@pytest.mark.parametrize(
    ("profile", "limits"),
    [
        pytest.param("pixel", {"max_image_pixels": 120_000}, id="pixel, pixels"),
        pytest.param("pixel", {"max_image_bytes": 40_000}, id="pixel, bytes"),
        pytest.param(
            "pixel", {"max_image_pixels": 110_000, "max_image_bytes": 40_000}, id="pixel, both"
        ),
        pytest.param("permille", {"max_image_pixels": 120_000}, id="permille, pixels"),
        pytest.param("pixel", {"max_image_edge": 400}, id="pixel, edge"),
        pytest.param("unit", {"max_image_bytes": 40_000}, id="unit, bytes"),
    ],
)
def test_a_model_that_sees_less_is_scored_on_the_original(
    page: Path, profile: str, limits: dict[str, int]
) -> None:
    with FakeEndpoint(sees(profile)) as endpoint:
        finished = run(endpoint, page, profile=profile, **limits)
    (body,) = endpoint.requests
    width, height = size_of(body)
    assert width < WIDTH
    assert width * height <= limits.get("max_image_pixels", width * height)
    assert width <= limits.get("max_image_edge", width)
    stated = re.search(r"(\d+) pixels wide and (\d+) pixels high", prompt_of(body))
    assert stated is not None
    assert stated.groups() == (str(width), str(height))
    if profile == "pixel":
        assert f"x from 0 to {width}, y from 0 to {height}" in prompt_of(body)

    assert finished.results["overall_f1"] == 1.0
    (record,) = finished.records
    assert record.reply is not None
    (sent,) = record.reply.images
    assert (sent.width, sent.height) == (width, height)
    assert (sent.original_width, sent.original_height) == (WIDTH, HEIGHT)
    assert sent.bytes <= limits.get("max_image_bytes", sent.bytes)
    assert sent.note == f"scaled from {WIDTH}x{HEIGHT} to {width}x{height} (Lanczos), PNG"
    shown = PageParsing.sample_tables(record)[0].rows
    assert ("image", sent.note) in shown
    assert record.answer is not None
    for found, true in zip(record.answer.value, TRUTH, strict=True):
        assert found["coordinates"] == pytest.approx(true["coordinates"], abs=WIDTH / width)
    assert rescore(finished.path) == finished.results


def test_without_limits_nothing_is_scaled(page: Path) -> None:
    with FakeEndpoint(sees("pixel")) as endpoint:
        finished = run(endpoint, page)
    assert size_of(endpoint.requests[0]) == (WIDTH, HEIGHT)
    (record,) = finished.records
    assert record.reply is not None
    assert record.reply.images[0].original_width is None
    assert record.answer is not None
    assert record.answer.value[0]["coordinates"] == [600, 450, 750, 500]


def test_scaled_once_for_prompt_retries_and_repeats(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scaled: list[str] = []
    convert = images._converted

    def counted(*args: Any) -> images.EncodedImage:
        scaled.append(args[4])
        return convert(*args)

    monkeypatch.setattr(images, "_converted", counted)
    sees_pixels = sees("pixel")

    def act(number: int, body: dict[str, Any]) -> Act:
        return Act(status=503) if number == 0 else sees_pixels(number, body)

    with FakeEndpoint(act) as endpoint:
        finished = run(endpoint, page, max_image_bytes=40_000, repeats=3)
    assert len(endpoint.requests) == 4
    assert finished.results["overall_f1"] == 1.0
    assert len(scaled) == 1


@pytest.mark.parametrize("limits", [{"max_image_pixels": 500}, {"max_image_bytes": 100}])
def test_an_image_that_cannot_fit_is_not_sent(page: Path, limits: dict[str, int]) -> None:
    with FakeEndpoint(sees("pixel")) as endpoint:
        finished = run(endpoint, page, **limits)
    assert not endpoint.requests
    (record,) = finished.records
    assert record.outcome is Outcome.IMAGE_ERROR
    assert record.failure is not None
    assert "1000x750 pixels do not fit into" in record.failure.message


def test_limits_make_another_run_and_old_answers_do_not_hold(page: Path) -> None:
    with FakeEndpoint(sees("permille")) as endpoint:
        first = run(endpoint, page, profile="permille")
        with pytest.raises(RunFolderError, match=r"--max-image-pixels \(the run has None, the"):
            run(endpoint, page, resume=first.path, max_image_pixels=120_000)
        forked = run(endpoint, page, resume=first.path, fork=True, max_image_pixels=120_000)
        assert len(endpoint.requests) == 2
        again = run(endpoint, page, resume=forked.path, fork=True)
        assert len(endpoint.requests) == 2, "the same limits, and the option is inherited"
    assert again.manifest.identity["max_image_pixels"] == 120_000
    assert again.manifest.identity["max_image_edge"] is None


def test_words_that_do_not_state_the_size_do_not_hide_the_limits(
    page: Path, tmp_path: Path
) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("List everything, 0 to 1000.", encoding="utf-8")
    options: dict[str, Any] = {"profile": "permille", "prompt": prompt}
    with FakeEndpoint(sees("permille")) as endpoint:
        first = run(endpoint, page, **options)
        run(endpoint, page, resume=first.path, fork=True, max_image_pixels=120_000)
        assert len(endpoint.requests) == 2


def test_a_limit_that_the_provider_documents(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documented = ImageLimits(max_bytes=40_000)
    monkeypatch.setattr("screenmark.models.openai.limits_at", lambda url: documented)
    with FakeEndpoint(sees("pixel")) as endpoint:
        finished = run(endpoint, page)
        assert size_of(endpoint.requests[0])[0] < WIDTH
        assert finished.manifest.identity["max_image_bytes"] == 40_000
        run(endpoint, page, max_image_bytes=10**8)
        assert size_of(endpoint.requests[1])[0] == WIDTH, "the user may know better"


class Own(BaseLLMAdapter):
    """A model that is handed the file."""

    def infer(self, image_path: str, prompt: str) -> str:
        with Image.open(image_path) as image:
            assert image.size == (WIDTH, HEIGHT)
        return json.dumps(TRUTH)


@pytest.mark.parametrize("name", ["max_image_pixels", "max_image_bytes", "max_image_edge"])
def test_a_model_that_is_handed_files_cannot_have_limits(page: Path, name: str) -> None:
    flag = "--" + name.replace("_", "-")
    limits: dict[str, Any] = {name: 9999}
    with pytest.raises(UsageError, match=f"{flag}: custom reads image files as they are"):
        screenmark.run("gui-hallubench", annotation=page, adapter_object=Own(), **limits)
    finished = screenmark.run("gui-hallubench", annotation=page, adapter_object=Own())
    assert finished.results["overall_f1"] == 1.0


def test_413_says_what_helps(page: Path) -> None:
    with FakeEndpoint([Act(status=413, body=b"too large")]) as endpoint:
        finished = run(endpoint, page)
    assert len(endpoint.requests) == 1
    (record,) = finished.records
    assert record.failure is not None
    assert record.failure.message.startswith(
        "the images are too large for it; try --max-image-bytes. status 413 from http"
    )


def test_a_single_question_keeps_to_the_provider_too(page: Path) -> None:
    from screenmark.models import ModelOptions

    with FakeEndpoint() as endpoint:
        adapter = OpenAIAdapter(ModelOptions(model="m", api_base=(endpoint.url,)))
        adapter.image_limits = ImageLimits(max_pixels=120_000)
        adapter.infer(str(page.parent / "big.png"), "What is it?")
    assert size_of(endpoint.requests[0]) == (400, 300)
