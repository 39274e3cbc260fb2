"""The embedded model as users meet it: in plain scripts, in any folder."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

from screenmark.errors import ImageError, ModelError
from screenmark.models import BaseLLMAdapter, ModelOptions, build_adapter
from screenmark.models.workers import WorkerPool
from screenmark.types import Image, Message, Part, Reply, Request, Text
from tests.models.embedded import drawing

pytestmark = pytest.mark.usefixtures("in_tmp")


def make(concurrency: int = 1) -> BaseLLMAdapter:
    return build_adapter(ModelOptions(model="ocr", concurrency=concurrency))


def ask(*requests: Request) -> list[Reply | BaseException]:
    async def main() -> list[Reply | BaseException]:
        adapter = make()
        await adapter.start()
        try:
            asked = (adapter.generate(request) for request in requests)
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await adapter.close()

    return asyncio.run(main())


def about(*parts: Part) -> Request:
    return Request((Message("user", parts),))


def test_it_answers_in_pixels_and_needs_no_words() -> None:
    assert make().fixed_space == "pixel"
    PillowImage.new("RGB", (4, 4), "white").save("tiny.png")
    blank, words, none, broken = ask(
        about(Image("tiny.png")),
        about(Text("Ignore the image."), Image("tiny.png")),
        about(Text("What do you see?")),
        about(Image("none.png")),
    )
    assert blank == words
    assert isinstance(blank, Reply)
    assert (blank.text, blank.finish_reason, blank.model) == ("[]", "stop", "ocr")
    assert [(image.width, image.height) for image in blank.images] == [(4, 4)]
    assert type(none) is ModelError
    assert "answers about images only" in str(none)
    assert type(broken) is ImageError
    assert "none.png: no such image file" in str(broken)


def test_twice_as_many_requests_as_processes_and_no_more_than_asked_for() -> None:
    cores = os.cpu_count() or 1
    assert make(1).concurrency == 1
    assert make(4096).concurrency == 2 * cores


QUESTION = "Question: Which of these?\nOptions:\nA. Cancel\nB. Save\n"


def test_an_image_is_looked_at_once_and_answered_in_the_form_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image, pen = drawing.blank()
    x1, y1, x2, y2 = drawing.button(pen, (40, 270, 150, 308), "Save")
    image.save("page.png")
    image.save("same.png")
    looks = []

    async def run(self: WorkerPool, task: dict[str, Any]) -> dict[str, Any]:
        looks.append("seen" not in task)
        return await real(self, task)

    real = WorkerPool.run
    monkeypatch.setattr(WorkerPool, "run", run)
    page = Image("page.png")
    elements, letter, point, absent = ask(
        about(page, Text("List the elements.")),
        about(page, Text(QUESTION)),
        about(Image("same.png"), Text('Instruction: Click the "Save" button')),
        about(page, Text("指令：点击“退出”按钮\n\n没有就回答：不在屏幕上")),
    )
    assert sorted(looks) == [False, False, False, True]
    assert isinstance(elements, Reply)
    assert [e["description"] for e in json.loads(elements.text)] == ["Save"]
    assert isinstance(letter, Reply)
    assert letter.text == "B"
    assert isinstance(point, Reply)
    x, y = (int(number) for number in point.text.strip("()").split(","))
    assert x1 < x < x2
    assert y1 < y < y2
    assert isinstance(absent, Reply)
    assert absent.text == "不在屏幕上"


SCRIPT = """
import screenmark
run = screenmark.run("gui-hallubench", model="ocr", max_samples=1, max_retries=0)
print(run.results["outcomes"])
"""


def test_a_script_needs_no_main_guard_and_its_folder_hides_no_library() -> None:
    script = Path("mine.py").absolute()
    script.write_text(SCRIPT, encoding="utf-8")
    folder = Path("folder")
    folder.mkdir()
    for name in ("random", "struct", "cv2", "rapidocr"):
        text = "raise RuntimeError('the wrong module')\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "{'ok': 1}\n", done.stderr
    assert done.stderr == ""
    assert done.returncode == 0
