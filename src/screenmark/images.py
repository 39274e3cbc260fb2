"""Image files: their size, and the bytes that are sent to a model.

The pixel grid of an image is the one that a viewer shows: an EXIF orientation is applied
before anything is measured or sent. A PNG, JPEG, WebP or GIF in 8-bit grey, RGB, RGBA or
palette colours goes out byte for byte if it is within the limits; everything else is
converted or scaled down, and that is noted.

Only the formats in `FORMATS` are opened, whatever a file is called: others that Pillow knows
run programs over the file (EPS goes through Ghostscript) or have decoders that are little
tested. Whatever goes wrong inside Pillow over a file is an `ImageError` that names it.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from screenmark import image_scaling
from screenmark.errors import ImageError
from screenmark.geometry import Size, largest_within
from screenmark.image_cache import BoundedCache
from screenmark.types import ImageLimits

if TYPE_CHECKING:
    from PIL import Image as PillowImage

FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
"""Formats that are read, by Pillow's names; PPM stands for PBM, PGM and PNM too."""

_ORIENTATION = 0x0112
_SENT_AS_IS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
_PLAIN_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})


class ImageInfo(msgspec.Struct, frozen=True):
    """Size in pixels as a viewer shows it, and what stands in the file."""

    width: int
    height: int
    format: str
    mode: str
    orientation: int = 1


class EncodedImage(msgspec.Struct, frozen=True):
    """An image ready to be sent.

    Attributes:
        data: the bytes of the file that is sent.
        media_type: their type, as ``image/png``.
        width, height: pixels of what is sent.
        sha256: hash of the original file, so that a run says which image it was.
        note: the conversion that was needed, or None.
        original_width, original_height: pixels before it was scaled; None if it was not.
    """

    data: bytes
    media_type: str
    width: int
    height: int
    sha256: str
    note: str | None = None
    original_width: int | None = None
    original_height: int | None = None

    def data_url(self) -> tuple[bytes, bytes]:
        """The image as an ASCII data URL: what comes before the base64, and the base64."""
        # Some thirty times as fast as the standard library's.
        from pybase64 import b64encode

        return b"data:%b;base64," % self.media_type.encode("ascii"), b64encode(self.data)


def probe(path: str | Path) -> ImageInfo:
    """Read the header of an image file.

    Raises:
        ImageError: the file is missing, empty or not an image.
    """
    with _open(path) as image:
        return _info(image)


_NO_LIMITS = ImageLimits()
_CACHE_BYTES = 64_000_000


def _worth_keeping(image: EncodedImage) -> int | None:
    # To read a file again costs 0.3 ms; to scale a 4K screenshot again, a third of a second.
    return None if image.note is None else len(image.data)


CACHE: BoundedCache[EncodedImage] = BoundedCache(
    _CACHE_BYTES, _worth_keeping, image_scaling.THREADS
)
"""Images that had to be converted or scaled, for the next request about the same file."""


def encode(path: str | Path, limits: ImageLimits | None = None) -> EncodedImage:
    """Read an image for sending, converting it only if it has to be.

    A file over ``limits`` is scaled down to the largest size that fits, see
    `screenmark.image_scaling`: PNG stays PNG, JPEG and WebP keep their format (quality 90),
    all else becomes PNG. What was converted is kept for a second use as long as the file
    stays the same. May be called from several threads.

    Raises:
        ImageError: the file is missing, empty, truncated or not an image, or cannot be
            brought within the limits.
    """
    limits = limits or _NO_LIMITS
    key = _key(path, limits)
    ready = None if key in CACHE else _as_it_is(path, limits)
    return ready or CACHE.get(key, partial(_encode, path, limits))


async def encode_async(path: str | Path, limits: ImageLimits | None = None) -> EncodedImage:
    """As `encode`, while the event loop goes on.

    A file that goes out as it is is read at once, which takes less than a hand-over to a
    thread would; one that has to be decoded is in a thread meanwhile.
    """
    limits = limits or _NO_LIMITS
    key = _key(path, limits)
    ready = None if key in CACHE else _as_it_is(path, limits)
    return ready or await CACHE.get_async(key, partial(_encode, path, limits))


def _key(path: str | Path, limits: ImageLimits) -> tuple[object, ...]:
    """What tells an image to send apart from others, another file of the same name included."""
    about = _look_at(path)
    times = about.st_mtime_ns, about.st_ctime_ns
    return (os.fspath(path), about.st_ino, *times, about.st_size, limits)


def size_as_sent(path: str | Path, size: Size, limits: ImageLimits | None) -> Size:
    """Size in pixels that `encode` gives an image, known without encoding where that can be.

    Args:
        path: the image file.
        size: its size in pixels, as `probe` tells.
        limits: what it has to fit into.

    Raises:
        ImageError: as for `encode`.
    """
    if limits is None:
        return size
    if limits.max_bytes is None:
        return largest_within(size, limits.max_pixels, limits.max_edge)
    sent = encode(path, limits)
    return Size(sent.width, sent.height)


def _as_it_is(path: str | Path, limits: ImageLimits) -> EncodedImage | None:
    """The image if its file can be sent as it is, known without decoding it; None if not."""
    data = _read(path)
    with _open(path, data) as image:
        info = _info(image)
        if not _needs_work(info, len(data), limits) and _looks_whole(data, info.format):
            return _plain(data, info)
    return None


def _encode(path: str | Path, limits: ImageLimits) -> EncodedImage:
    """The image, decoded: it is converted, or was only to be looked through for damage."""
    data = _read(path)
    with _open(path, data) as image:
        info = _info(image)
        if _needs_work(info, len(data), limits):
            return _converted(image, info, _why_convert(info), limits, path, _sha256(data))
        image.load()
        return _plain(data, info)


def _needs_work(info: ImageInfo, size: int, limits: ImageLimits) -> bool:
    return (
        _why_convert(info) is not None
        or _is_over(info.width * info.height, limits.max_pixels)
        or _is_over(max(info.width, info.height), limits.max_edge)
        or _is_over(size, limits.max_bytes)
    )


def _plain(data: bytes, info: ImageInfo) -> EncodedImage:
    media_type = _SENT_AS_IS[info.format]
    return EncodedImage(data, media_type, info.width, info.height, _sha256(data))


def _converted(
    image: PillowImage.Image,
    info: ImageInfo,
    note: str | None,
    limits: ImageLimits,
    path: str | Path,
    sha256: str,
) -> EncodedImage:
    format = info.format if note is None and info.format in {"JPEG", "WEBP"} else "PNG"
    picture = upright(image)
    if note is not None or picture.mode not in {"L", "RGB"} or "transparency" in picture.info:
        picture = to_rgb(picture)
    sent = image_scaling.fit(picture, format, limits, str(path))
    original = Size(info.width, info.height)
    scaled = sent.size != original
    if scaled:
        what = f"scaled from {original} to {sent.size} (Lanczos), {format}"
    else:
        what = f"encoded anew as {format}"
    if note is None or scaled:
        note = f"{note}; {what}" if note else what
    return EncodedImage(
        sent.data,
        _SENT_AS_IS[format],
        sent.size.width,
        sent.size.height,
        sha256,
        note,
        original.width if scaled else None,
        original.height if scaled else None,
    )


def _is_over(value: int, limit: int | None) -> bool:
    return limit is not None and value > limit


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def open_rgb(path: str | Path) -> PillowImage.Image:
    """Decode an image to 8-bit RGB on the pixel grid that a viewer shows.

    Raises:
        ImageError: as for `encode`.
    """
    with _open(path) as image:
        return to_rgb(upright(image))


def upright(image: PillowImage.Image) -> PillowImage.Image:
    """Decode and apply the EXIF orientation."""
    from PIL import ImageOps

    image.load()
    return image if _orientation(image) == 1 else ImageOps.exif_transpose(image)


def to_rgb(image: PillowImage.Image) -> PillowImage.Image:
    """Convert to 8-bit RGB: 16-bit grey is scaled, transparency laid on white."""
    from PIL import Image

    if image.mode.startswith(("I", "F")):
        # Pillow clips these modes to 255 instead of scaling them.
        import numpy as np

        grey = np.nan_to_num(np.asarray(image, dtype=np.float64))
        top = 65535.0 if grey.max(initial=0.0) > 255 else 255.0
        return Image.fromarray((grey / top * 255.0).clip(0, 255).astype(np.uint8)).convert("RGB")
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        layer = image.convert("RGBA")
        ground = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(ground, layer).convert("RGB")
    return image.convert("RGB")


def _info(image: PillowImage.Image) -> ImageInfo:
    orientation = _orientation(image)
    width, height = image.size
    if orientation in {5, 6, 7, 8}:
        width, height = height, width
    return ImageInfo(width, height, image.format or "unknown", image.mode, orientation)


def _orientation(image: PillowImage.Image) -> int:
    # Pillow decodes a whole PNG to look for metadata behind the pixels; what stands before
    # them, as the standard recommends, is enough and costs nothing.
    if image.format == "PNG" and "exif" not in image.info:
        return 1
    value = image.getexif().get(_ORIENTATION)
    # Viewers pay no attention to a value that means nothing.
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _why_convert(info: ImageInfo) -> str | None:
    if info.orientation != 1:
        return f"EXIF orientation {info.orientation} applied, sent as PNG"
    if info.format not in _SENT_AS_IS or info.mode not in _PLAIN_MODES:
        return f"{info.format} in mode {info.mode} sent as 8-bit RGB PNG"
    return None


def _looks_whole(data: bytes, format: str) -> bool:
    """A cheap test that spares decoding: does the file end as its format ends?"""
    if format == "PNG":
        return data.endswith(b"IEND\xaeB`\x82")
    if format == "JPEG":
        return data.endswith(b"\xff\xd9")
    return False


def _read(path: str | Path) -> bytes:
    """The bytes of a file that was looked at."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror})") from error
    except MemoryError:
        raise ImageError(f"{path}: the image file is too large to be read") from None
    if not data:
        raise ImageError(f"{path}: the image file is empty (0 bytes)")
    return data


def _look_at(path: str | Path) -> os.stat_result:
    """What the file system says of an ordinary file.

    A pipe would be waited for, a device read for ever.
    """
    try:
        about = os.stat(path)
    except FileNotFoundError:
        raise ImageError(f"{path}: no such image file") from None
    except (OSError, ValueError) as error:
        raise ImageError(f"{path}: cannot be read ({_words(error)})") from None
    if not stat.S_ISREG(about.st_mode):
        raise ImageError(f"{path}: not a file but a folder, a pipe or a device")
    return about


class _Quiet:
    """No warnings of Pillow's as long as any thread has an image open.

    They are about sizes, which are looked at here too, and metadata that nobody reads. Filters
    are the whole process's: put in and taken out by each thread, they would get mixed up.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                warnings.filterwarnings("ignore", module=r"PIL\.")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._before.__exit__(None, None, None)


_QUIET: Final = _Quiet()


@contextmanager
def _open(path: str | Path, data: bytes | None = None) -> Iterator[PillowImage.Image]:
    """An image whose pixels are not decoded yet; what fails in the body is an `ImageError`."""
    if data is None:
        _look_at(path)
    with _QUIET, _identified(path, data) as image:
        try:
            yield image
        except ImageError:
            raise
        except Exception as error:
            # Decoders raise whatever comes to them over a damaged file.
            problem = f"the image is truncated or broken ({_words(error)})"
            raise ImageError(f"{path}: {problem}") from error


def _identified(path: str | Path, data: bytes | None) -> PillowImage.Image:
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(Path(path) if data is None else io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError:
        size = len(_read(path) if data is None else data)
        expected = ", ".join(FORMATS)
        raise ImageError(
            f"{path}: not an image that can be read ({size} bytes; expected {expected})"
        ) from None
    except Image.DecompressionBombError as error:
        raise ImageError(f"{path}: the image has too many pixels ({error})") from error
    except Exception as error:
        raise ImageError(f"{path}: cannot be opened as an image ({_words(error)})") from error
    most = Image.MAX_IMAGE_PIXELS
    if most is not None and image.width * image.height > most:
        image.close()
        size_words = f"{image.width}x{image.height}, more than {most:,}"
        raise ImageError(f"{path}: the image has too many pixels ({size_words})")
    return image


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
