"""Image files as they come: broken, rotated, in odd modes."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from screenmark.errors import ImageError
from screenmark.images import FORMATS, encode, open_rgb, probe


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
    head, text = sent.data_url()
    assert head == f"data:{media_type};base64,".encode()
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


USES = pytest.mark.parametrize("use", [probe, encode, open_rgb], ids=lambda f: f.__name__)


def in_format(format: str) -> bytes:
    buffer = io.BytesIO()
    RED.convert("P" if format == "BLP" else "RGB").save(buffer, format)
    return buffer.getvalue()


@pytest.mark.parametrize("format", ["EPS", "PDF", "DDS", "ICNS", "SGI", "BLP", "JPEG2000", "TGA"])
@USES
def test_other_formats_are_not_opened_under_any_name(
    tmp_path: Path, format: str, use: Callable[[Path], object]
) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(in_format(format))
    expected = "not an image that can be read .*expected PNG, JPEG"
    with pytest.raises(ImageError, match=expected) as caught:
        use(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_that_is_named_is_read(tmp_path: Path, format: str) -> None:
    path = save(tmp_path / "x", RED, format)
    assert probe(path).format == format
    assert open_rgb(path).size == RED.size


@USES
def test_a_program_for_a_printer_is_not_run(tmp_path: Path, use: Callable[[Path], object]) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 50 50\n%%EndComments\n{ } loop\n%%EOF\n"
    )
    with pytest.raises(ImageError, match="not an image"):
        use(path)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(error, str(error) or type(error).__name__, id=type(error).__name__)
        for error in (
            RuntimeError("bad plane"), NotImplementedError("codec 7"), MemoryError(),
            OverflowError("too large"), KeyError("tile"), RecursionError(), TypeError("None"),
        )
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["open", "header", "pixels"])
def test_whatever_a_decoder_raises_names_the_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str, where: str
) -> None:
    path = save(tmp_path / "x.jpg", RED, "JPEG")

    def fail(*args: object, **kwargs: object) -> None:
        raise error

    owner, name = {
        "open": (Image, "open"),
        "header": (Image.Image, "getexif"),
        "pixels": (ImageFile.ImageFile, "load"),
    }[where]
    monkeypatch.setattr(owner, name, fail)
    with pytest.raises(ImageError) as caught:
        open_rgb(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_bytes_give_an_image_or_an_image_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray(in_format(data.draw(st.sampled_from(FORMATS))))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + 4] = data.draw(st.sampled_from([b"\xff" * 4, bytes(4), b"\x80"]))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(content)
    for use in (probe, encode, open_rgb):
        with contextlib.suppress(ImageError):
            use(path)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param(3, b"\0\0", id="0"),
        pytest.param(3, b"\x09\0", id="9"),
        pytest.param(2, b"x\0", id="text"),
        pytest.param(11, b"\0\0\xc0\x7f", id="not a number"),
    ],
)
def test_an_orientation_that_means_nothing_is_none(tmp_path: Path, kind: int, value: bytes) -> None:
    count = 2 if kind == 2 else 1
    entry = struct.pack("<HHHI4s", 1, 0x0112, kind, count, value)
    exif = b"Exif\0\0II*\0\x08\0\0\0" + entry + bytes(4)
    path = save(tmp_path / "x.jpg", RED, "JPEG", exif=exif)
    assert probe(path).orientation == 1
    assert encode(path).note is None
    assert open_rgb(path).size == RED.size


@USES
def test_pipes_and_devices_are_not_read(tmp_path: Path, use: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "zero.png").symlink_to("/dev/zero")
    for name in ("pipe.png", "zero.png"):
        with pytest.raises(ImageError, match=rf"{name}: not a file but"):
            use(tmp_path / name)


def test_floats_that_are_no_numbers_are_black(tmp_path: Path) -> None:
    image = Image.new("F", (2, 1), 255.0)
    image.putpixel((0, 0), float("nan"))
    pixels = open_rgb(save(tmp_path / "x.tiff", image, "TIFF"))
    assert [pixels.getpixel((x, 0)) for x in (0, 1)] == [(0, 0, 0), (255, 255, 255)]


def test_a_folder_is_not_an_image(tmp_path: Path) -> None:
    with pytest.raises(ImageError):
        encode(tmp_path)
    with pytest.raises(ImageError):
        probe(tmp_path)


def test_a_very_wide_image_is_fine_and_a_bomb_is_refused(tmp_path: Path) -> None:
    wide = save(tmp_path / "wide.png", Image.new("L", (30_000, 10)), "PNG")
    assert encode(wide).width == 30_000
    for side in (10_000, 30_000):  # Pillow warns of the first, and refuses the second.
        bomb = save(tmp_path / "bomb.png", Image.new("1", (side, side)), "PNG")
        with pytest.raises(ImageError, match="too many pixels"):
            probe(bomb)
