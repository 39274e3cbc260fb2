"""Images on their way out: what has to be decoded does not hold up other requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark import image_scaling, images
from screenmark.errors import ImageError
from screenmark.models.sent import encode_images
from screenmark.types import Image, ImageLimits, Message, Request
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import ELEMENT, REPLY, write_pages

pytestmark = pytest.mark.usefixtures("in_tmp")

RED = PillowImage.new("RGB", (60, 40), (200, 30, 30))
ROTATED = PillowImage.Exif()
ROTATED[0x0112] = 6


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a machine with two processors, and nothing left over from other tests."""
    with ThreadPoolExecutor(2, "slow-images") as threads:
        monkeypatch.setattr(images.CACHE, "_threads", threads)
        images.CACHE.clear()
        yield


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the threads that images are decoded in."""
    names: list[str] = []
    encode = images._encode

    def noted(path: str, limits: ImageLimits) -> images.EncodedImage:
        names.append(threading.current_thread().name)
        return encode(path, limits)

    monkeypatch.setattr(images, "_encode", noted)
    return names


def request(*paths: Path, limits: ImageLimits | None = None) -> Request:
    return Request((Message("user", tuple(Image(str(p)) for p in paths)),), image_limits=limits)


@pytest.mark.parametrize(
    ("image", "format", "options", "limits", "slow"),
    [
        pytest.param(RED, "PNG", {}, None, False, id="png"),
        pytest.param(RED, "JPEG", {}, None, False, id="jpeg"),
        pytest.param(RED, "PNG", {}, ImageLimits(2400, 9999), False, id="png within limits"),
        pytest.param(RED, "PNG", {}, ImageLimits(2000), True, id="too many pixels"),
        pytest.param(RED.convert("CMYK"), "JPEG", {}, None, True, id="cmyk"),
        pytest.param(RED, "JPEG", {"exif": ROTATED}, None, True, id="rotated"),
        pytest.param(RED, "TIFF", {}, None, True, id="tiff"),
        pytest.param(PillowImage.new("I;16", (30, 20)), "PNG", {}, None, True, id="16 bit"),
        pytest.param(RED, "WEBP", {}, None, True, id="webp, whose end does not say it is whole"),
    ],
)
def test_only_what_has_to_be_decoded_goes_to_a_thread(
    tmp_path: Path,
    decoded: list[str],
    image: PillowImage.Image,
    format: str,
    options: dict[str, Any],
    limits: ImageLimits | None,
    slow: bool,
) -> None:
    image.save(tmp_path / "x", format, **options)
    (sent,) = asyncio.run(encode_images(request(tmp_path / "x", limits=limits)))
    assert [name.startswith("slow-images") for name in decoded] == [True] * slow
    assert sent == images.encode(tmp_path / "x", limits)


def test_a_broken_one_is_named(tmp_path: Path) -> None:
    RED.convert("CMYK").save(tmp_path / "x", "JPEG")
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:-40])
    with pytest.raises(ImageError, match="x: the image is truncated"):
        asyncio.run(encode_images(request(tmp_path / "x")))


class Conversions:
    """Conversions that take until they are let go on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.busy = threading.Event()
        self.go_on = threading.Event()
        self.in_time = True
        fit = image_scaling.fit

        def slowly(*args: Any) -> image_scaling.Fitted:
            self.begun.append(Path(args[-1]).name)
            if len(self.begun) == 2:
                self.busy.set()  # both threads
            self.in_time &= self.go_on.wait(20)
            return fit(*args)

        patch.setattr(image_scaling, "fit", slowly)


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> Conversions:
    return Conversions(monkeypatch)


def make_pages(folder: Path, *names: str) -> Path:
    """Pages whose image is a CMYK JPEG or, of a name in .png, a plain one."""
    for name in set(names):
        if name.endswith(".png"):
            RED.save(folder / name)
        else:
            RED.convert("CMYK").save(folder / name)
    pages = [
        {"image_path": n, "elements": [{**ELEMENT, "coordinates": [1, 1, 9, 9]}]} for n in names
    ]
    return write_pages(folder, pages)


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    return screenmark.run(
        "gui-hallubench", annotation=annotation, model="m", api_base=endpoint.url, **options
    )


def test_slow_conversions_leave_the_other_requests_going(
    tmp_path: Path, conversions: Conversions
) -> None:
    plain = [f"plain{n}.png" for n in range(12)]
    slow = [f"slow{n}.jpg" for n in range(3)]

    def act(number: int, body: dict[str, Any]) -> Act:
        # Only once all the others were asked may a conversion end.
        if number == len(plain) - 1:
            conversions.go_on.set()
        return Act(content=REPLY)

    with FakeEndpoint(act) as endpoint:
        finished = run(endpoint, make_pages(tmp_path, *slow, *plain), concurrency=4)
    assert conversions.in_time, "the other requests waited for a conversion"
    assert finished.results["outcomes"] == {"ok": 15}
    assert sorted(conversions.begun) == slow
    notes = [r.reply.images[0].note for r in finished.records if r.reply is not None]
    assert [note is not None for note in notes] == [True] * 3 + [False] * 12


def test_one_image_asked_about_at_the_same_time_is_converted_once(
    tmp_path: Path, conversions: Conversions
) -> None:
    conversions.go_on.set()
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        run(endpoint, make_pages(tmp_path, "slow.jpg"), repeats=6, concurrency=6)
    assert len(endpoint.requests) == 6
    assert conversions.begun == ["slow.jpg"]


def test_who_waits_no_longer_leaves_no_work_behind(
    tmp_path: Path, conversions: Conversions
) -> None:
    names = [f"slow{n}.jpg" for n in range(6)]
    make_pages(tmp_path, *names)

    async def main() -> list[Any]:
        tasks = [asyncio.create_task(encode_images(request(tmp_path / name))) for name in names]
        patient = asyncio.create_task(encode_images(request(tmp_path / names[5])))
        assert await asyncio.to_thread(conversions.busy.wait, 20)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        conversions.go_on.set()
        assert len(await patient) == 1
        return results

    results = asyncio.run(main())
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    assert sorted(conversions.begun) == [names[0], names[1], names[5]]
