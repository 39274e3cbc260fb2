"""Images over the limits: scaled down as far as it takes, always in the same way."""

from __future__ import annotations

import functools
import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from screenmark import image_scaling, images
from screenmark.errors import ImageError
from screenmark.geometry import Size
from screenmark.images import encode, size_as_sent
from screenmark.types import ImageLimits


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    images.CACHE.clear()


@functools.cache
def picture(width: int = 400, height: int = 300, mode: str = "RGB") -> Image.Image:
    """Some texture, so that fewer pixels take fewer bytes, the same in every process."""
    rows = [(x * x * 7 + y * y * 13 + x * y) % 251 for y in range(height) for x in range(width)]
    grey = Image.frombytes("L", (width, height), bytes(rows))
    return Image.merge("RGB", (grey, grey.rotate(180), grey)).convert(mode)


def save(path: Path, format: str = "PNG", image: Image.Image | None = None, **more: Any) -> Path:
    (image or picture()).save(path, format, **more)
    return path


@pytest.mark.parametrize(
    ("format", "media_type"),
    [
        pytest.param("PNG", "image/png", id="png"),
        pytest.param("JPEG", "image/jpeg", id="jpeg"),
        pytest.param("WEBP", "image/webp", id="webp"),
        pytest.param("GIF", "image/png", id="gif becomes png"),
    ],
)
def test_too_many_pixels(tmp_path: Path, format: str, media_type: str) -> None:
    path = save(tmp_path / "x", format)
    sent = encode(path, ImageLimits(max_pixels=200 * 150))
    assert (sent.width, sent.height) == (200, 150)
    assert (sent.original_width, sent.original_height) == (400, 300)
    assert sent.media_type == media_type
    assert sent.note == f"scaled from 400x300 to 200x150 (Lanczos), {media_type[6:].upper()}"
    assert sent.sha256 == hashlib.sha256(path.read_bytes()).hexdigest(), "of the original"
    with Image.open(io.BytesIO(sent.data)) as shown:
        assert (shown.size, shown.format) == ((200, 150), media_type[6:].upper())


def test_png_pixels_are_those_of_lanczos(tmp_path: Path) -> None:
    sent = encode(save(tmp_path / "x"), ImageLimits(max_pixels=10_000))
    expected = picture().resize((115, 86), Image.Resampling.LANCZOS)
    with Image.open(io.BytesIO(sent.data)) as shown:
        assert (shown.mode, shown.tobytes()) == ("RGB", expected.tobytes())


@pytest.mark.parametrize("limits", [ImageLimits(max_pixels=30_000), ImageLimits(max_bytes=40_000)])
@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
def test_same_bytes_every_time(tmp_path: Path, format: str, limits: ImageLimits) -> None:
    path = save(tmp_path / "x", format)
    first = encode(path, limits)
    images.CACHE.clear()
    assert encode(path, limits) == first


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(None, id="none"),
        pytest.param(ImageLimits(), id="empty"),
        pytest.param(ImageLimits(400 * 300, 10**9), id="just enough"),
    ],
)
def test_within_limits_the_file_goes_out_as_it_is(
    tmp_path: Path, limits: ImageLimits | None
) -> None:
    path = save(tmp_path / "x")
    sent = encode(path, limits)
    assert sent.data == path.read_bytes()
    assert (sent.note, sent.original_width) == (None, None)
    assert len(images.CACHE) == 0, "a file is read again rather than kept"


def test_its_own_size_in_bytes_is_enough(tmp_path: Path) -> None:
    path = save(tmp_path / "x")
    size = path.stat().st_size
    assert encode(path, ImageLimits(max_bytes=size)).note is None
    assert encode(path, ImageLimits(max_bytes=size - 1)).note is not None


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.04])
@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
def test_too_many_bytes(
    tmp_path: Path, format: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(tmp_path / "x", format, quality=95)
    most = int(path.stat().st_size * share)
    encodings = []
    encoded = image_scaling._encoded

    def counted(image: Image.Image, size: Size, format: str) -> image_scaling.Fitted:
        encodings.append(encoded(image, size, format))
        return encodings[-1]

    monkeypatch.setattr(image_scaling, "_encoded", counted)
    sent = encode(path, ImageLimits(max_bytes=most))
    assert len(sent.data) <= most
    assert len(encodings) <= 6
    larger = [one for one in encodings if one.size.width > sent.width]
    assert all(len(one.data) > most for one in larger), "the largest that was seen to fit"
    if sent.original_width is not None:
        smallest = min(one.size.width * one.size.height for one in larger)
        assert smallest <= 1.3 * sent.width * sent.height, "and little is given away"


def test_a_wasteful_file_keeps_all_its_pixels(tmp_path: Path) -> None:
    flat = Image.new("RGB", (200, 100), "navy")
    path = save(tmp_path / "x.png", image=flat, compress_level=0)
    sent = encode(path, ImageLimits(max_bytes=2_000))
    assert (sent.width, sent.height, sent.original_width) == (200, 100, None)
    assert sent.note == "encoded anew as PNG"
    with Image.open(io.BytesIO(sent.data)) as shown:
        assert shown.tobytes() == flat.tobytes()


def test_both_limits_hold(tmp_path: Path) -> None:
    sent = encode(save(tmp_path / "x"), ImageLimits(max_pixels=60_000, max_bytes=20_000))
    assert sent.width * sent.height <= 60_000
    assert len(sent.data) <= 20_000


@pytest.mark.parametrize(
    ("size", "limits", "message"),
    [
        pytest.param((400, 300), ImageLimits(max_bytes=300), "into 300 bytes", id="bytes"),
        pytest.param((400, 300), ImageLimits(max_pixels=900), "into 900 pixels", id="pixels"),
        pytest.param((3000, 40), ImageLimits(max_pixels=50_000), "at least 32", id="a strip"),
        pytest.param((3000, 40), ImageLimits(max_edge=2000), "2,000 pixels a side", id="an edge"),
        pytest.param((900, 1), ImageLimits(max_pixels=10), "at least 1 pixels", id="a line"),
        pytest.param((20, 20), ImageLimits(max_bytes=60), "at least 20", id="already small"),
    ],
)
def test_what_cannot_be_read_any_more_is_refused(
    tmp_path: Path, size: tuple[int, int], limits: ImageLimits, message: str
) -> None:
    path = save(tmp_path / "page.png", image=picture(*size))
    with pytest.raises(ImageError, match=message) as caught:
        encode(path, limits)
    assert f"{path}: {size[0]}x{size[1]} pixels do not fit" in str(caught.value)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA"])
def test_every_mode_can_be_scaled(tmp_path: Path, mode: str) -> None:
    path = save(tmp_path / "x.png", image=picture(mode=mode))
    sent = encode(path, ImageLimits(max_pixels=30_000))
    with Image.open(io.BytesIO(sent.data)) as shown:
        assert shown.mode == ("L" if mode == "L" else "RGB")
        assert shown.size == (200, 150)


def test_conversion_and_scaling_are_both_noted(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = save(tmp_path / "x.jpg", "JPEG", exif=exif)
    sent = encode(path, ImageLimits(max_pixels=30_000))
    assert sent.note == (
        "EXIF orientation 6 applied, sent as PNG; scaled from 300x400 to 150x200 (Lanczos), PNG"
    )
    assert (sent.width, sent.height, sent.original_width) == (150, 200, 300)


def test_the_longer_side_is_brought_to_its_limit(tmp_path: Path) -> None:
    path = save(tmp_path / "x")
    sent = encode(path, ImageLimits(max_edge=200))
    assert (sent.width, sent.height, sent.original_width) == (200, 150, 400)
    assert sent.note == "scaled from 400x300 to 200x150 (Lanczos), PNG"
    assert encode(path, ImageLimits(max_edge=400)).note is None


def test_an_edge_and_bytes_together(tmp_path: Path) -> None:
    path = save(tmp_path / "x")
    by_edge = encode(path, ImageLimits(max_edge=200))
    sent = encode(path, ImageLimits(max_edge=200, max_bytes=len(by_edge.data) - 1))
    assert 32 <= sent.width < 200
    assert len(sent.data) < len(by_edge.data)


@pytest.mark.parametrize(
    "limits",
    [
        None,
        ImageLimits(),
        ImageLimits(max_pixels=50_000),
        ImageLimits(max_bytes=30_000),
        ImageLimits(max_pixels=50_000, max_bytes=30_000),
        ImageLimits(max_edge=150),
        ImageLimits(max_pixels=50_000, max_edge=300),
        ImageLimits(max_bytes=30_000, max_edge=200),
        ImageLimits(10**9, 10**9, 10**9),
    ],
    ids=str,
)
def test_the_size_is_known_beforehand(tmp_path: Path, limits: ImageLimits | None) -> None:
    path = save(tmp_path / "x")
    known = size_as_sent(path, Size(400, 300), limits)
    sent = encode(path, limits)
    assert known == Size(sent.width, sent.height)


class TestScaledOnce:
    @pytest.fixture
    def scalings(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        names: list[str] = []
        fit = image_scaling.fit

        def counted(*args: Any) -> image_scaling.Fitted:
            names.append(args[-1])
            return fit(*args)

        monkeypatch.setattr(image_scaling, "fit", counted)
        return names

    def test_a_second_question_finds_it(self, tmp_path: Path, scalings: list[str]) -> None:
        path = save(tmp_path / "x")
        limits = ImageLimits(max_pixels=30_000)
        assert encode(path, limits) is encode(str(path), ImageLimits(max_pixels=30_000))
        assert len(scalings) == 1
        encode(path, ImageLimits(max_pixels=20_000))
        assert len(scalings) == 2, "other limits, another image"

    def test_a_changed_file_is_read_again(self, tmp_path: Path, scalings: list[str]) -> None:
        path = save(tmp_path / "x")
        limits = ImageLimits(max_pixels=30_000)
        first = encode(path, limits)
        save(path, image=picture(300, 300))
        assert encode(path, limits) != first
        assert len(scalings) == 2

    def test_memory_is_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(images.CACHE, "max_bytes", 50_000)
        for n in range(6):
            encode(save(tmp_path / str(n), image=picture(200 + n, 100)), ImageLimits(10_000))
        assert 0 < images.CACHE.bytes <= 50_000
