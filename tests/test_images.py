"""Image files as they come: broken, rotated, in odd modes."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from screenmark.errors import ImageError
from screenmark.images import encode, open_rgb, probe


def save(path: Path, image: Image.Image, format: str, **options: object) -> Path:
    image.save(path, format, **options)
    return path


RED = Image.new("RGB", (30, 20), (200, 30, 30))


@pytest.mark.parametrize(
    ("format", "media_type"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp"), ("GIF", "image/gif")],
)
def test_common_formats_are_sent_byte_for_byte(
    tmp_path: Path, format: str, media_type: str
) -> None:
    path = save(tmp_path / "文件 *.img", RED, format)
    sent = encode(path)
    assert sent.data == path.read_bytes()
    assert (sent.media_type, sent.width, sent.height, sent.note) == (media_type, 30, 20, None)
    assert sent.sha256 == hashlib.sha256(sent.data).hexdigest()
    head, _, text = sent.data_url().partition(b",")
    assert head == f"data:{media_type};base64".encode()
    assert base64.b64decode(text) == sent.data


@pytest.mark.parametrize(
    ("image", "format", "note"),
    [
        pytest.param(RED.convert("CMYK"), "JPEG", "JPEG in mode CMYK", id="cmyk"),
        pytest.param(RED, "BMP", "BMP in mode RGB", id="bmp"),
        pytest.param(RED, "TIFF", "TIFF in mode RGB", id="tiff"),
        pytest.param(Image.new("I;16", (30, 20), 40000), "PNG", "PNG in mode I;16", id="16 bit"),
    ],
)
def test_others_are_converted_and_say_so(
    tmp_path: Path, image: Image.Image, format: str, note: str
) -> None:
    sent = encode(save(tmp_path / "x", image, format))
    assert sent.note is not None
    assert sent.note.startswith(note)
    with Image.open(io.BytesIO(sent.data)) as shown:
        assert (shown.format, shown.mode, shown.size) == ("PNG", "RGB", (30, 20))


def test_sixteen_bit_grey_is_scaled_not_clipped(tmp_path: Path) -> None:
    path = save(tmp_path / "x.png", Image.new("I;16", (4, 4), 32768), "PNG")
    assert open_rgb(path).getpixel((0, 0)) == (127, 127, 127)


def test_transparency_is_laid_on_white(tmp_path: Path) -> None:
    path = save(tmp_path / "x.png", Image.new("RGBA", (4, 4), (0, 0, 0, 0)), "PNG")
    assert open_rgb(path).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_exif_rotation_is_applied(tmp_path: Path, format: str) -> None:
    image = Image.new("RGB", (40, 20), "white")
    image.paste((0, 0, 0), (0, 0, 10, 10))
    exif = Image.Exif()
    exif[0x0112] = 6
    path = save(tmp_path / "x", image, format, exif=exif)
    info = probe(path)
    assert (info.width, info.height, info.orientation) == (20, 40, 6)
    sent = encode(path)
    assert (sent.width, sent.height) == (20, 40)
    assert sent.note == "EXIF orientation 6 applied, sent as PNG"
    with Image.open(io.BytesIO(sent.data)) as shown:
        assert shown.size == (20, 40)
        assert "exif" not in shown.info
    upright = open_rgb(path)
    corner = upright.getpixel((16, 3))
    assert isinstance(corner, tuple)
    assert max(corner) < 60, "the black corner turns from top left to top right"


def whole_png() -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((80, 80), 50).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(None, "no such image file", id="missing"),
        pytest.param(b"", r"empty \(0 bytes\)", id="zero bytes"),
        pytest.param(b"hello", "not an image that can be read", id="text"),
        pytest.param(b"<svg></svg>", "not an image", id="svg"),
        pytest.param(whole_png()[:2000], "truncated or broken", id="truncated"),
    ],
)
@pytest.mark.parametrize("use", [encode, open_rgb])
def test_broken_files(tmp_path: Path, data: bytes | None, message: str, use: object) -> None:
    path = tmp_path / "x.png"
    if data is not None:
        path.write_bytes(data)
    assert callable(use)
    with pytest.raises(ImageError, match=message) as caught:
        use(path)
    assert str(path) in str(caught.value)


def test_a_folder_is_not_an_image(tmp_path: Path) -> None:
    with pytest.raises(ImageError):
        encode(tmp_path)
    with pytest.raises(ImageError):
        probe(tmp_path)


def test_a_very_wide_image_is_fine_and_a_bomb_is_refused(tmp_path: Path) -> None:
    wide = save(tmp_path / "wide.png", Image.new("L", (30_000, 10)), "PNG")
    assert encode(wide).width == 30_000
    bomb = save(tmp_path / "bomb.png", Image.new("1", (30_000, 30_000)), "PNG")
    with pytest.raises(ImageError, match="too many pixels"):
        probe(bomb)
