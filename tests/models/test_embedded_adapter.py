"""The embedded model as users meet it: in plain scripts, in any folder."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image as PillowImage

from screenmark.errors import ImageError, ModelError
from screenmark.models import BaseLLMAdapter, ModelOptions, build_adapter
from screenmark.types import Image, Message, Part, Reply, Request, Text

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


def test_no_more_requests_than_processes() -> None:
    cores = os.cpu_count() or 1
    assert make(1).concurrency == 1
    assert make(4096).concurrency == cores


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
