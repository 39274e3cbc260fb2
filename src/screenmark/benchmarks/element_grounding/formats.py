"""Public grounding annotations to samples: one reader an annotation format.

| format        | image          | target                                              |
| ------------- | -------------- | --------------------------------------------------- |
| MMBench-GUI L2| `image_path`   | `bbox` x1 y1 x2 y2, fractions                       |
| ScreenSpot    | `img_filename` | `bbox` x y width height, pixels                     |
| ScreenSpot-Pro| `img_filename` | `bbox` x1 y1 x2 y2, pixels                          |
| OSWorld-G     | `image_path`   | `box_coordinates`: x y width height, or a polygon,  |
|               |                | pixels; `box_type` bbox, polygon or refusal         |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from screenmark.benchmarks.annotation_items import Item, Screenshot, Screenshots, content_id, kind
from screenmark.benchmarks.element_grounding.samples import GroundingSample, Shape
from screenmark.errors import DataError
from screenmark.metrics.points import bounds

_TARGETS = ("present", "absent")
_NO_PIXELS = 2
"""No target is so near the corner that all of its pixels' numbers are below."""
_ROUNDING = 1e-6


def read_l2(item: Item, images: Screenshots) -> Iterator[GroundingSample]:
    """MMBench-GUI L2; with ``target: absent`` and no box, something that is not there."""
    image_path, platform = item.text("image_path"), item.text("platform")
    shot = images.of(item, f"{platform}/{image_path}", image_path)
    target = item.word("target", _TARGETS, "present")
    box = item.numbers("bbox", 4) if target == "present" else None
    yield _sample(
        item,
        images,
        shot,
        image_path=image_path,
        instruction=item.text("instruction"),
        target=target,
        shape=None if box is None else _fractions(item, box, shot),
        annotated_box=box,
        groups={
            "grounding_type": item.word("grounding_type", ("basic", "advanced")),
            "platform": platform,
            "data_type": item.word("data_type", ("icon", "text")),
            "app_name": item.maybe_text("app_name"),
            "target_type": item.maybe_text("target_type"),
        },
    )


def _fractions(item: Item, box: list[float], shot: Screenshot) -> Shape:
    """The box in fractions: as it is, or out of pixels where a number is above 1.

    The public data marks the left or top edge of the image by -1 in some boxes; it means 0.
    """
    box = [0.0 if number == -1 else number for number in box]
    if all(0 <= number <= 1 for number in box):
        return _ordered(item, "bbox", box)
    if max(box) <= _NO_PIXELS:
        # Fractions that reach over an edge, or pixels of nearly nothing: nobody can tell.
        item.wrong("bbox", f"{box} are neither fractions within 0 to 1 nor pixels of a target")
    return _scaled(_ordered(item, "bbox", box), shot)


def read_screenspot(item: Item, images: Screenshots) -> Iterator[GroundingSample]:
    """ScreenSpot and ScreenSpot-v2; the data source names the platform."""
    image_path = item.text("img_filename")
    shot = images.of(item, image_path)
    box = item.numbers("bbox", 4)
    source = item.text("data_source")
    yield _sample(
        item,
        images,
        shot,
        image_path=image_path,
        instruction=item.text("instruction"),
        shape=_of_pixels(item, "bbox", _with_corner(item, "bbox", box), shot),
        annotated_box=box,
        groups={
            "platform": _screenspot_platform(item, source),
            "data_type": item.word("data_type", ("icon", "text")),
            "data_source": source,
        },
    )


def _screenspot_platform(item: Item, source: str) -> str:
    """Mobile, desktop or web: of the file's name, else of the data source."""
    for platform in ("mobile", "desktop", "web"):
        if platform in item.file.stem:
            return platform
    if source in {"ios", "android"}:
        return "mobile"
    return "desktop" if source in {"windows", "macos"} else "web"


def read_screenspot_pro(
    item: Item, images: Screenshots, language: str
) -> Iterator[GroundingSample]:
    """ScreenSpot-Pro, with the instruction in English or Chinese."""
    image_path = item.text("img_filename")
    shot = images.of(item, image_path)
    field = "instruction_cn" if language == "zh" else "instruction"
    box = item.numbers("bbox", 4)
    yield _sample(
        item,
        images,
        shot,
        image_path=image_path,
        instruction=item.text(field),
        shape=_of_pixels(item, "bbox", box, shot),
        annotated_box=box,
        language=language,
        groups={
            "group": item.maybe_text("group"),
            "application": item.maybe_text("application"),
            "platform": item.maybe_text("platform"),
            "data_type": item.word("ui_type", ("icon", "text")),
        },
    )


def read_osworld_g(item: Item, images: Screenshots) -> Iterator[GroundingSample]:
    """OSWorld-G: boxes, polygons, and instructions that are to be refused."""
    image_path = item.text("image_path")
    shot = images.of(item, image_path)
    form = item.word("box_type", ("bbox", "polygon", "refusal"))
    field = "box_coordinates"
    numbers: list[float] | None = None
    shape: Shape | None = None
    if form == "bbox":
        numbers = item.numbers(field, 4)
        shape = _of_pixels(item, field, _with_corner(item, field, numbers), shot)
    elif form == "polygon":
        numbers = item.numbers(field)
        if len(numbers) < 6 or len(numbers) % 2:
            item.wrong(field, f"{len(numbers)} numbers; expected three corners x, y or more")
        shape = _scaled(_no_fractions(item, field, numbers), shot)
    kinds = item.fields.get("GUI_types", [])
    if not isinstance(kinds, list) or not all(isinstance(name, str) for name in kinds):
        item.wrong("GUI_types", f"expected a list of texts, found {kind(kinds)}")
    yield _sample(
        item,
        images,
        shot,
        image_path=image_path,
        instruction=item.text("instruction"),
        target="absent" if form == "refusal" else "present",
        shape=shape,
        annotated_box=numbers,
        groups={"box_type": form, "gui_type": kinds[0] if kinds else None},
    )


def _with_corner(item: Item, field: str, box: list[float]) -> list[float]:
    """x, y, width, height to x1, y1, x2, y2."""
    x, y, width, height = _no_fractions(item, field, box)
    if width < 0 or height < 0:
        item.wrong(field, f"{box}: expected x, y, width, height, the latter two not negative")
    if width == height == 0:
        item.wrong(field, f"{box}: expected x, y, width, height; nothing can be hit without a size")
    return [x, y, x + width, y + height]


def _of_pixels(item: Item, field: str, box: list[float], shot: Screenshot) -> Shape:
    return _scaled(_ordered(item, field, _no_fractions(item, field, box)), shot)


def _no_fractions(item: Item, field: str, numbers: list[float]) -> list[float]:
    """Numbers that may be pixels. As pixels, all within 0 to 1 would be one corner's dot."""
    if all(0 <= number <= 1 for number in numbers):
        item.wrong(field, f"{numbers} look like fractions; expected pixels of the image")
    return numbers


def _ordered(item: Item, field: str, box: list[float]) -> Shape:
    """A box as it is. One without width or height stays: rounding makes such of thin targets."""
    x1, y1, x2, y2 = box
    if x2 < x1 or y2 < y1:
        item.wrong(field, f"{box} is no box; expected x1 <= x2 and y1 <= y2")
    return tuple(box)


def _scaled(pixels: Sequence[float], shot: Screenshot) -> Shape:
    """Pixels to fractions; of an image that cannot be read, nothing."""
    sides = (shot.width, shot.height)
    if not shot.width:
        return ()
    return tuple(number / sides[position % 2] for position, number in enumerate(pixels))


def _check_inside(
    item: Item, images: Screenshots, shape: Shape, shot: Screenshot, field: str
) -> None:
    """Refuse a target that is nowhere on the image; one that reaches outside is worth a look."""
    sides = (shot.width, shot.height)
    x1, y1, x2, y2 = bounds(shape)
    pixels = [round(n * sides[k % 2], 1) for k, n in enumerate((x1, y1, x2, y2))]
    size = f"the image of {shot.width}x{shot.height} pixels"
    if x2 <= 0 or y2 <= 0 or x1 >= 1 or y1 >= 1:
        item.wrong(field, f"the target {pixels} (pixels) lies outside {size}")
    if min(x1, y1) < -_ROUNDING or max(x2, y2) > 1 + _ROUNDING:
        problem = f"the target {pixels} (pixels) reaches outside {size}; it is kept as it is"
        images.warn(str(DataError(problem, file=item.file, sample=item.where, field=field)))


def _sample(
    item: Item,
    images: Screenshots,
    shot: Screenshot,
    *,
    image_path: str,
    shape: Shape | None,
    **fields: Any,
) -> GroundingSample:
    groups = {name: value for name, value in fields.pop("groups").items() if value}
    annotated = fields.pop("annotated_box", None)
    if shape and shot.width:
        field = "box_coordinates" if "box_type" in groups else "bbox"
        _check_inside(item, images, shape, shot, field)
    index = item.fields.get("index", 0)
    text = fields["instruction"]
    language = fields.pop("language", None) or item.language(text)
    number = index if isinstance(index, int) and not isinstance(index, bool) else 0
    # What tells one question from another; where the item stands in its file does not.
    content = (text, groups.get("grounding_type"), annotated, fields.get("target"))
    return GroundingSample(
        id=content_id(image_path, *content),
        problem=shot.problem,
        index=number,
        image_path=image_path,
        file=shot.file,
        width=shot.width,
        height=shot.height,
        shapes=(shape,) if shape else (),
        groups=groups,
        language=language,
        annotated_box=None if annotated is None else tuple(annotated),
        **fields,
    )
