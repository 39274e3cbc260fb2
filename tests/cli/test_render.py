from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "screenmark", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, encoding="utf-8")


def test_a_page_becomes_a_picture_and_a_record(tmp_path: Path) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text("<h1>안녕</h1><script src='https://example.com/a.js'></script>", "utf-8")
    done = command("render", page, "-o", picture, "--json")
    assert done.returncode == 0, done.stderr
    assert "script not served: https://example.com/a.js" in done.stderr
    record = json.loads(done.stdout)
    assert record["blocked"][0]["matters"] is True
    with Image.open(io.BytesIO(picture.read_bytes())) as image:
        assert image.size == (1280, 800)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none.html", "-o", "x.png"), "no such file"),
        (("none.html", "-o", "x.png", "--wait", "soon"), "--wait soon: expected ready or fixed"),
        (("none.html", "-o", "x.png", "--browser", "/no/chromium"), "no program there"),
    ],
)
def test_usage(words: tuple[str, ...], said: str) -> None:
    done = command("render", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_assets_that_are_not_on_the_list() -> None:
    done = command("assets", "fetch", "left-pad")
    assert done.returncode == 2
    assert "left-pad is not among the packages" in done.stderr
