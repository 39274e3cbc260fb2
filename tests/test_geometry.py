from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.geometry import (
    PERCENT,
    PERMILLE,
    PIXEL,
    UNIT,
    Box,
    Point,
    Size,
    Space,
    SpaceError,
    fit_patches,
    largest_within,
    resized,
    scaled,
    smart_resize,
)

QWEN25 = resized(28, 4 * 28**2, 16384 * 28**2)
HALF_HD = scaled(Size(960, 540))
SPACES = [UNIT, PERMILLE, PERCENT, PIXEL, QWEN25, HALF_HD]
SPACES.append(Space("fitted", (1568, 28, 1568)))
SPACES.append(Space("widened", (1344,)))
SPACES.append(resized(32, 4 * 32**2, 16384 * 32**2))
FULL_HD = Size(1920, 1080)

sizes = st.builds(Size, st.integers(100, 6000), st.integers(100, 6000))
spaces = st.sampled_from(SPACES)


@pytest.mark.parametrize(
    ("size", "factor", "limits", "expected"),
    [
        ((1920, 1080), 28, (3136, 12845056), (1932, 1092)),
        ((2560, 1440), 28, (3136, 12845056), (2548, 1428)),
        ((2560, 1440), 28, (3136, 2116800), (1932, 1064)),
        ((1366, 768), 28, (3136, 12845056), (1372, 756)),
        ((1179, 2556), 28, (3136, 12845056), (1176, 2548)),
        ((1920, 1080), 32, (4096, 16777216), (1920, 1088)),
        ((10, 10), 28, (100 * 28**2, 12845056), (280, 280)),
        ((1, 1), 28, (0, 12845056), (28, 28)),
        ((3000, 30), 28, (0, 28 * 28), (280, 28)),
        ((42, 70), 28, (0, 12845056), (56, 56)),
    ],
    ids=[
        "full-hd",
        "qhd",
        "qhd-capped",
        "laptop-halves-to-even",
        "phone",
        "factor-32",
        "enlarged",
        "one-pixel",
        "never-below-one-factor",
        "half-to-even",
    ],
)
def test_smart_resize(
    size: tuple[int, int], factor: int, limits: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert smart_resize(Size(*size), factor, *limits) == Size(*expected)


@given(sizes, st.sampled_from([28, 32]))
def test_smart_resize_keeps_within_limits(size: Size, factor: int) -> None:
    least, most = 16 * factor**2, 1024 * factor**2
    small = smart_resize(size, factor, least, most)
    assert small.width % factor == small.height % factor == 0
    assert least <= small.width * small.height <= most


def test_smart_resize_refuses_a_sliver() -> None:
    assert smart_resize(Size(200, 1), 28, 0, 10**7) == Size(196, 28)
    with pytest.raises(SpaceError, match="201x1: the aspect ratio is above 200"):
        smart_resize(Size(201, 1), 28, 0, 10**7)


@pytest.mark.parametrize(
    ("size", "most", "expected"),
    [
        pytest.param((1920, 1080), 1920 * 1080, (1920, 1080), id="fits"),
        pytest.param((1920, 1080), 960 * 540, (960, 540), id="exactly half"),
        pytest.param((3840, 2160), 2_000_000, (1885, 1060), id="rounded down"),
        pytest.param((3, 1), 2, (2, 1), id="never below one pixel"),
        pytest.param((10_000, 10), 50, (223, 1), id="a sliver"),
        pytest.param((7, 5), 1, (1, 1), id="one pixel"),
    ],
)
def test_largest_within(size: tuple[int, int], most: int, expected: tuple[int, int]) -> None:
    assert largest_within(Size(*size), most) == Size(*expected)


@given(sizes, st.integers(10_000, 40_000_000))
def test_largest_within_fits_and_keeps_the_shape(size: Size, most: int) -> None:
    small = largest_within(size, most)
    assert small.width * small.height <= most
    exact = min(1.0, (most / (size.width * size.height)) ** 0.5)
    assert small.width <= size.width * exact + 1e-6 < small.width + 1.001
    assert small.height <= size.height * exact + 1e-6 < small.height + 1.001
    assert largest_within(small, most) == small


@pytest.mark.parametrize(
    ("size", "pixels", "edge", "expected"),
    [
        pytest.param((1920, 1080), None, 1568, (1568, 882), id="wide"),
        pytest.param((1080, 1920), None, 1568, (882, 1568), id="tall"),
        pytest.param((1568, 882), None, 1568, (1568, 882), id="just fits"),
        pytest.param((1920, 1080), 1_150_000, 1568, (1429, 804), id="pixels are stricter"),
        pytest.param((3000, 100), 1_150_000, 1568, (1568, 52), id="the edge is stricter"),
        pytest.param((10_000, 3), None, 100, (100, 1), id="a sliver"),
        pytest.param((100, 100), None, None, (100, 100), id="no limit"),
    ],
)
def test_largest_within_an_edge(
    size: tuple[int, int], pixels: int | None, edge: int | None, expected: tuple[int, int]
) -> None:
    assert largest_within(Size(*size), pixels, edge) == Size(*expected)


@given(sizes, st.integers(10_000, 40_000_000), st.integers(100, 6000))
def test_both_limits_hold_and_the_shape_too(size: Size, most: int, edge: int) -> None:
    small = largest_within(size, most, edge)
    assert small.width * small.height <= most
    assert max(small.width, small.height) <= edge
    longer = max(size.width, size.height)
    exact = min(1.0, edge / longer, (most / (size.width * size.height)) ** 0.5)
    assert small.width <= size.width * exact + 1e-6 < small.width + 1.001
    assert small.height <= size.height * exact + 1e-6 < small.height + 1.001


@given(sizes, st.integers(10_000, 40_000_000), st.floats(0, 1), st.floats(0, 1))
def test_there_and_back_through_a_scaled_image(size: Size, most: int, x: float, y: float) -> None:
    """Exact without rounding; whole pixels of what was sent are within one of them."""
    sent = largest_within(size, most)
    there = Point(x * size.width, y * size.height, PIXEL)
    seen = there.to(scaled(sent), size)
    assert seen.to(PIXEL, size).x == pytest.approx(there.x, abs=1e-6)
    assert seen.to(PIXEL, size).y == pytest.approx(there.y, abs=1e-6)
    back = Point(round(seen.x), round(seen.y), seen.space).to(PIXEL, size)
    assert abs(back.x - there.x) <= size.width / sent.width
    assert abs(back.y - there.y) <= size.height / sent.height


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_space_is_its_name(space: Space) -> None:
    assert Space.parse(str(space)) == space
    assert Space.parse(f"  {space} ") == space


def test_space_names() -> None:
    assert str(PERMILLE) == "permille"
    assert str(QWEN25) == "resized(28, 3136, 12845056)"
    assert Space.parse("resized(28,3136,12845056)") == QWEN25
    assert str(scaled(Size(960, 540))) == "scaled(960, 540)"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "pixels",
        "resized",
        "resized(28)",
        "resized(0, 1, 2)",
        "resized(28, 5, 4)",
        "UNIT",
        "scaled(0, 5)",
    ],
)
def test_unknown_space(name: str) -> None:
    with pytest.raises(SpaceError):
        Space.parse(name)


@pytest.mark.parametrize(
    ("kind", "numbers", "message"),
    [
        ("pixel", (28,), "pixel takes pixel"),
        ("unit", (10, 10), "unit takes unit"),
        ("scaled", (10,), r"scaled takes scaled\(width, height\)"),
        ("scaled", (28, 0), "at least 1"),
        ("resized", (28, 0, 100, 10), r"takes resized\(factor, min_pixels, max_pixels\)"),
        ("resized", (28, 100, 50), "min_pixels is between 0 and max_pixels"),
        ("fitted", (1568, 0, 1568), "at least 1"),
        ("furlong", (), "no coordinate space is called 'furlong'; expected unit, permille"),
    ],
    ids=str,
)
def test_a_space_takes_only_its_own_numbers(
    kind: str, numbers: tuple[int, ...], message: str
) -> None:
    with pytest.raises(SpaceError, match=message):
        Space(kind, numbers)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((2560, 1440), (1456, 819)),
        ((1440, 2560), (819, 1456)),
        ((1092, 1092), (1092, 1092)),
        ((1280, 800), (1280, 800)),
        ((1568, 28), (1568, 28)),
        ((9000, 1), (1568, 1)),
    ],
    ids=["example", "upright", "as many as allowed", "fits", "long edge fits", "sliver"],
)
def test_fit_patches(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert fit_patches(Size(*size), 1568, 28, 1568) == Size(*expected)


@given(sizes)
def test_fit_patches_is_the_largest_that_fits(size: Size) -> None:
    small = fit_patches(size, 1568, 28, 1568)
    assert -(-small.width // 28) * -(-small.height // 28) <= 1568
    assert fit_patches(small, 1568, 28, 1568) == small
    longer = max(small.width, small.height)
    if small != size and longer < 1568:
        scale = (longer + 1) / max(size.width, size.height)
        wide, high = int(size.width * scale + 0.5), int(size.height * scale + 0.5)
        assert -(-wide // 28) * -(-high // 28) > 1568


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        (UNIT, UNIT),
        (HALF_HD, HALF_HD),
        (PIXEL, scaled(Size(640, 360))),
        (QWEN25, scaled(Size(644, 364))),
        (Space("widened", (1344,)), scaled(Size(1344, 756))),
    ],
    ids=str,
)
def test_space_of_an_image_scaled_before_it_was_sent(space: Space, expected: Space) -> None:
    assert space.as_sent(Size(640, 360)) == expected


def test_space_survives_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(QWEN25), type=Space) == QWEN25
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode('{"kind": "metres"}', type=Space)


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (-1, 5)])
def test_size_is_positive(width: int, height: int) -> None:
    with pytest.raises(ValueError, match="at least 1x1"):
        Size(width, height)


@pytest.mark.parametrize(
    ("space", "corners"),
    [
        (UNIT, (0.25, 0.5, 0.75, 1.0)),
        (PERMILLE, (250, 500, 750, 1000)),
        (PERCENT, (25, 50, 75, 100)),
        (PIXEL, (480, 540, 1440, 1080)),
        (QWEN25, (483, 546, 1449, 1092)),
        (HALF_HD, (240, 270, 720, 540)),
    ],
    ids=lambda value: str(value) if isinstance(value, Space) else "",
)
def test_same_box_in_every_space(space: Space, corners: tuple[float, float, float, float]) -> None:
    box = Box(480, 540, 1440, 1080, PIXEL)
    assert box.to(space, FULL_HD).corners == pytest.approx(corners)
    assert Box(*corners, space).to(PIXEL, FULL_HD).corners == pytest.approx(box.corners)


@given(sizes, spaces, spaces, st.lists(st.floats(-0.5, 1.5), min_size=4, max_size=4))
def test_round_trip_through_any_two_spaces(
    size: Size, first: Space, second: Space, parts: list[float]
) -> None:
    box = Box(
        parts[0] * size.width, parts[1] * size.height, parts[2] * size.width,
        parts[3] * size.height, PIXEL,
    )  # fmt: skip
    back = box.to(first, size).to(second, size).to(PIXEL, size)
    assert back.corners == pytest.approx(box.corners, abs=1e-6)
    assert back.center.x == pytest.approx(box.center.x, abs=1e-6)


@given(sizes, st.floats(0, 1), st.floats(0, 1))
def test_whole_pixels_of_the_resized_image_are_within_one_pixel(
    size: Size, x: float, y: float
) -> None:
    """A model that answers in whole pixels after its own resize loses at most that much."""
    there = Point(x * size.width, y * size.height, PIXEL)
    seen = there.to(resized(28, 0, 10**9), size)
    back = Point(round(seen.x), round(seen.y), seen.space).to(PIXEL, size)
    assert abs(back.x - there.x) <= 1
    assert abs(back.y - there.y) <= 1


def test_no_conversion_no_change() -> None:
    box = Box(1, 2, 3, 4, PIXEL)
    assert box.to(PIXEL, FULL_HD) is box
    assert Point(1, 2, UNIT).to(UNIT, FULL_HD) == Point(1, 2, UNIT)


def test_center_keeps_the_space() -> None:
    assert Box(0, 100, 50, 300, PERMILLE).center == Point(25, 200, PERMILLE)


def test_contains_counts_the_edge() -> None:
    box = Box(10, 10, 20, 20, PIXEL)
    assert box.contains(Point(10, 20, PIXEL))
    assert box.contains(box.center)
    assert not box.contains(Point(9.99, 15, PIXEL))


@pytest.mark.parametrize(
    "mix",
    [
        lambda: Point(1, 1, UNIT) == Point(1, 1, PIXEL),
        lambda: Box(0, 0, 1, 1, UNIT) != Box(0, 0, 1, 1, PERMILLE),
        lambda: Box(0, 0, 1, 1, UNIT).contains(Point(1, 1, PIXEL)),
        lambda: Point(1, 1, QWEN25) == Point(1, 1, resized(28, 3136, 2116800)),
    ],
    ids=["points", "boxes", "contains", "two-resizes"],
)
def test_mixing_spaces_is_an_error(mix: Callable[[], bool]) -> None:
    with pytest.raises(SpaceError, match="cannot be used together"):
        mix()


def test_equal_things_hash_alike() -> None:
    assert hash(Point(1, 2.0, UNIT)) == hash(Point(1.0, 2, UNIT))
    assert len({Box(0, 0, 1, 1, UNIT), Box(0.0, 0.0, 1.0, 1.0, UNIT)}) == 1
    assert Point(1, 2, UNIT) != (1, 2)
    assert Box(1, 2, 3, 4, UNIT) != (1, 2, 3, 4)
