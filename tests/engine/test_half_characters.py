r"""Half of a surrogate pair, as in ``"\ud83d"``: valid JSON, but no file can hold it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.models import BaseLLMAdapter
from screenmark.types import Reply, Request
from tests.support.pages import ELEMENT, REPLY, make_pages

pytestmark = pytest.mark.usefixtures("in_tmp")

HALF = "OK \ud83d"
HALF_REPLY = json.dumps([{**ELEMENT, "description": HALF}])


class Mine(BaseLLMAdapter):
    """Answers with half a character in whatever way it is told."""

    def __init__(self, infer: Callable[[], str]) -> None:
        self.name = "mine"
        self._infer = infer

    def infer(self, image_path: str, prompt: str) -> str:
        return self._infer()


def fail() -> str:
    raise ValueError(HALF)


def stored(run: screenmark.Run) -> list[Any]:
    """All records as plain JSON, which must be readable as UTF-8."""
    lines = run.folder.records.read_text(encoding="utf-8").splitlines()
    assert "\\ud83d" not in run.folder.records.read_text(encoding="utf-8").replace("\\\\", "")
    run.folder.results.read_text(encoding="utf-8")
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("infer", "outcome"),
    [
        pytest.param(lambda: REPLY.replace("OK", HALF), "ok", id="raw"),
        pytest.param(lambda: HALF_REPLY, "ok", id="escaped"),
        pytest.param(lambda: HALF, "unparseable", id="prose"),
        pytest.param(fail, "api_error", id="message of an error"),
    ],
)
def test_from_a_model_of_ones_own(tmp_path: Path, infer: Callable[[], str], outcome: str) -> None:
    annotation = make_pages(tmp_path, 2)
    run = screenmark.run("gui-hallubench", annotation=annotation, adapter_object=Mine(infer))
    assert run.results["outcomes"] == {outcome: 2}
    assert "\ufffd" in json.dumps(stored(run), ensure_ascii=False)


def test_from_a_model_that_overrides_generate(tmp_path: Path) -> None:
    class Direct(Mine):
        async def generate(self, request: Request) -> Reply:
            return Reply(text=REPLY, finish_reason=HALF, model=HALF)

    annotation = make_pages(tmp_path, 1)
    run = screenmark.run("gui-hallubench", annotation=annotation, adapter_object=Direct(lambda: ""))
    assert stored(run)[0]["reply"]["model"] == "OK \ufffd"


@pytest.mark.parametrize("key", ["response", "elements"])
def test_from_a_file_of_predictions(tmp_path: Path, key: str) -> None:
    annotation = make_pages(tmp_path, 1)
    value = HALF_REPLY if key == "response" else json.loads(HALF_REPLY)
    Path("p.json").write_text(
        json.dumps([{"image_path": "images/0.png", key: value}]), encoding="utf-8"
    )
    run = screenmark.run("gui-hallubench", annotation=annotation, predictions="p.json")
    assert run.results["outcomes"] == {"ok": 1}
    (record,) = stored(run)
    assert record["answer"]["value"][0]["description"] == "OK \ufffd"


def test_from_the_annotation(tmp_path: Path) -> None:
    make_pages(tmp_path, 1)
    pages = [{"image_path": "images/0.png", "elements": json.loads(HALF_REPLY)}]
    Path("half.json").write_text(json.dumps(pages), encoding="utf-8")
    run = screenmark.run(
        "gui-hallubench", annotation="half.json", adapter_object=Mine(lambda: HALF_REPLY)
    )
    # Both sides are mended alike, so a model that copies it is right.
    assert run.results["avg_description_similarity"] == 1.0
    assert len(stored(run)) == 1
