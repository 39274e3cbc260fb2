from pathlib import Path

import pytest
from PIL import Image, ImageFont

from screenmark.reports import caption
from screenmark.reports.caption import font_for, wrapped
from screenmark.reports.overlay import draw

FONT = ImageFont.load_default(caption.SIZE)
WORDS = "Click the magnifier button next to the search field"


def test_lines_fit_and_lose_nothing() -> None:
    lines = wrapped(WORDS, FONT, 120)
    assert len(lines) > 2
    assert all(FONT.getlength(line) <= 120 for line in lines)
    assert " ".join(lines) == WORDS


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("", 50, [""]),
        ("a  b\nc", 500, ["a b c"]),
        ("unbreakable" * 5, 20, ["unbreakable" * 5]),
    ],
    ids=["empty", "one line", "one word"],
)
def test_wrapped(text: str, width: float, expected: list[str]) -> None:
    assert wrapped(text, FONT, width) == expected


def test_chinese_text_breaks_anywhere() -> None:
    lines = wrapped("只看还没有看过的消息", FONT, 3 * FONT.getlength("只"))
    assert "".join(lines) == "只看还没有看过的消息"
    assert len(lines) > 2


def test_a_font_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(caption, "_FOLDERS", (str(tmp_path),))
    caption._chinese_font.cache_clear()
    assert font_for("消息") is None
    assert font_for("plain") is not None
    caption._chinese_font.cache_clear()


def test_the_caption_stands_below_the_picture(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    Image.new("RGB", (200, 50), "blue").save(file)
    bare, with_words = draw(str(file), []), draw(str(file), [], WORDS)
    lines = len(wrapped(WORDS, FONT, 200 - 16))
    assert with_words.height == bare.height + lines * caption.LINE_HEIGHT
    below = with_words.crop((0, 50, 200, 50 + lines * caption.LINE_HEIGHT)).convert("L")
    assert min(below.tobytes()) < 64  # there is writing
