"""Messages that a function of the user's own writes, sent to an endpoint as they are."""

import base64
import io
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.geometry import Size, smart_resize
from screenmark.models import ModelOptions, build_adapter
from screenmark.models.openai import OpenAIAdapter
from screenmark.models.staged_openai import StagedOpenAIAdapter
from screenmark.types import Outcome, Record
from tests.support.endpoint import Act, FakeEndpoint

CODE = """
import base64, io, threading
from pathlib import Path
from PIL import Image

SEEN = []
NUL = chr(0)

def url(data, kind="image/png"):
    return f"data:{kind};base64," + base64.b64encode(data).decode()

def pre(message_rows, model, processor, **kwargs):
    SEEN.append((message_rows, model, processor, kwargs, threading.current_thread().name))
    with Image.open(message_rows[0]["value"]) as image:
        small = io.BytesIO()
        image.convert("RGB").resize((112, 56)).save(small, "JPEG")
    return [
        {"role": "system", "content": "say " + NUL},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": url(small.getvalue(), "image/jpeg")}},
            {"type": "text", "text": message_rows[1]["value"]},
        ]},
    ]

def whole(message_rows, model, processor):
    data = Path(message_rows[0]["value"]).read_bytes()
    return [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url(data)}}]}]

def by_address(message_rows, model, processor):
    image = {"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/a.png"}}
    return [{"role": "user", "content": [image]}]

def words_only(message_rows, model, processor):
    return [{"role": "user", "content": message_rows[1]["value"]}]

def nothing(message_rows, model, processor):
    return None

def no_roles(message_rows, model, processor):
    return [{"content": "x"}]

def no_json(message_rows, model, processor):
    return [{"role": "user", "content": {1, 2}}]

def no_image(message_rows, model, processor):
    return [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url(b"x")}}]}]

def fails(message_rows, model, processor):
    raise KeyError("no such thing")
"""


@pytest.fixture(autouse=True)
def code(in_tmp: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_messages", raising=False)
    (in_tmp / "own_messages.py").write_text(CODE, encoding="utf-8")
    return in_tmp


def records(
    endpoint: FakeEndpoint, function: str, code: Path, samples: int = 1, **more: Any
) -> list[Record]:
    run = screenmark.run(
        "mmbench-gui-l2",
        model="ui-tars-1.5",
        adapter="openai",
        api_base=(endpoint.url,),
        preprocess=f"own_messages.{function}",
        code_dir=code,
        max_samples=samples,
        runs_dir=code / "runs",
        **more,
    )
    return list(run.records)


def test_what_the_function_returns_is_sent_as_it_is(code: Path) -> None:
    with FakeEndpoint([Act(content="(56, 28)")]) as endpoint:
        (record,) = records(
            endpoint, "pre", code, model_kwargs={"img_size": -1}, generate_cfg={"top_p": 0.9}
        )
    (body,) = endpoint.requests
    assert body["model"] == "ui-tars-1.5"
    assert (body["temperature"], body["max_tokens"], body["top_p"]) == (0.0, 4096, 0.9)
    system, user = body["messages"]
    assert system == {"role": "system", "content": "say \0"}
    picture, words = user["content"]
    data = base64.b64decode(picture["image_url"]["url"].partition(",")[2])
    assert PillowImage.open(io.BytesIO(data)).size == (112, 56)
    (rows, model, processor, kwargs, thread), *_ = sys.modules["own_messages"].SEEN
    assert words == {"type": "text", "text": rows[1]["value"]}
    assert [row["type"] for row in rows] == ["image", "text"]
    assert (model, processor) == (None, None)
    assert kwargs == {"img_size": -1, "dataset_name": "GUIElementGrounding"}
    assert thread != "MainThread"
    assert record.reply is not None
    (image,) = record.reply.images
    assert (image.media_type, image.width, image.height) == ("image/jpeg", 112, 56)
    assert (image.bytes, image.original_width) == (len(data), record.sample["width"])
    # Read in pixels of the image that went out, after the model's resize of that one.
    size = smart_resize(Size(112, 56), 28, 100 * 28 * 28, 16384 * 28 * 28)
    assert record.answer is not None
    assert record.answer.value == pytest.approx([56 / size.width, 28 / size.height])


@pytest.mark.parametrize(
    ("function", "scaled", "note"),
    [
        ("whole", False, "sent by preprocess"),
        ("by_address", False, "sent by preprocess as an address"),
        ("words_only", False, "sent by preprocess"),
    ],
)
def test_what_is_recorded_of_images(code: Path, function: str, scaled: bool, note: str) -> None:
    with FakeEndpoint([Act(content="(1, 2)")]) as endpoint:
        (record,) = records(endpoint, function, code)
    assert record.reply is not None
    (image,) = record.reply.images
    assert (image.width, image.height) == (record.sample["width"], record.sample["height"])
    assert image.original_width is None
    assert image.note == note


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("nothing", "own_messages.nothing returned NoneType, expected a list of messages"),
        ("no_roles", "own_messages.no_roles returned list, expected a list of messages"),
        ("no_json", "own_messages.no_json returned what JSON cannot hold"),
        ("no_image", "one of its images is none"),
        ("fails", "own_messages.fails failed: KeyError: 'no such thing'"),
    ],
)
def test_failures_are_of_the_stage_and_nothing_is_sent(
    code: Path, function: str, message: str
) -> None:
    with FakeEndpoint() as endpoint:
        (record,) = records(endpoint, function, code)
    assert endpoint.requests == []
    assert record.outcome is Outcome.API_ERROR
    assert record.failure is not None
    assert record.failure.kind == "StageError"
    assert message in record.failure.message


def test_many_at_once_and_another_try(code: Path, quick_retries: None) -> None:
    script = [Act(status=503), Act(content="(1, 2)")]
    with FakeEndpoint(script) as endpoint:
        found = records(endpoint, "pre", code, samples=6)
    assert len(endpoint.requests) == 7
    assert {record.failure for record in found} == {None}


def test_only_with_a_function_is_it_another_class() -> None:
    options = {"model": "m", "adapter": "openai", "api_base": ("http://127.0.0.1:9/v1",)}
    assert type(build_adapter(ModelOptions(**options))) is OpenAIAdapter  # type: ignore[arg-type]
    staged = ModelOptions(**options, preprocess="own_messages.pre")  # type: ignore[arg-type]
    assert type(build_adapter(staged)) is StagedOpenAIAdapter
