"""What was read of an output's maps, with shapes that can be computed with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from screenmark.benchmarks.map_judging.map_checks.world import code_of, shape_of, states
from screenmark.benchmarks.map_judging.picture import BLANK, not_served
from screenmark.rendering.known_data import SOURCE
from screenmark.rendering.maps import Feature, LiveMap, MapReading, MapView

if TYPE_CHECKING:
    from screenmark.benchmarks.map_judging.samples import Output

_FARTHEST = 1e9  # Metres of any projection taken for degrees are less.
_HIDDEN = "which is not read"  # As the readers of maps say of what they only recognise.
_FAMILIES = {
    "Point": "Point",
    "MultiPoint": "Point",
    "LineString": "LineString",
    "MultiLineString": "LineString",
    "Polygon": "Polygon",
    "MultiPolygon": "Polygon",
}


class Shown(NamedTuple):
    """A feature with its shape.

    Attributes:
        shape: shapely, in degrees.
        layer: which layer of which map it is in, in words.
        engine: that draws it.
        kind: Point, LineString or Polygon; Circle for a point with a radius in metres.
        code: of the country or state that it stands for, where the page says so; else "".
    """

    feature: Feature
    shape: Any
    layer: str
    engine: str
    kind: str
    code: str


class Evidence:
    """All that the checks know of an output.

    Args:
        output: after it was looked at.
    """

    def __init__(self, output: Output) -> None:
        self.output = output
        self.readings = _readings(output)

    @property
    def is_page(self) -> bool:
        """Whether there is a page that could be read at all."""
        return self.output.file_type == "html_screenshot"

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return all(reading.whole for reading in self.readings)

    @property
    def may_lack(self) -> bool:
        """Whether there may be more than was read, or would be if all had been served."""
        return not self.is_whole or bool(self.not_served)

    @property
    def is_blank(self) -> bool:
        """Whether the picture shows nothing."""
        return self.output.picture is not None and self.output.picture.dominant > BLANK

    @cached_property
    def not_served(self) -> list[str]:
        """Scripts, and data of others, that this machine could not give to the page."""
        return not_served(self.output)

    @property
    def stand_ins(self) -> list[str]:
        """Data of others in whose place the page got what is kept on this machine."""
        served = (self.output.page or {}).get("served", ())
        return [entry["url"] for entry in served if entry["source"] == SOURCE]

    @property
    def hides_words(self) -> bool:
        """Whether words may be drawn where none can be read: on a canvas, in a shadow tree."""
        return any(_HIDDEN in note for note in self.notes)

    @property
    def script_errors(self) -> list[str]:
        """Errors that ended a script of the page."""
        errors = (self.output.page or {}).get("script_errors", ())
        return [error["message"] for error in errors if error["uncaught"]]

    @property
    def notes(self) -> list[str]:
        """What could not be read, and why."""
        return [note for reading in self.readings for note in reading.notes]

    @property
    def odd(self) -> int:
        """Features whose coordinates are no numbers."""
        return sum(reading.odd for reading in self.readings)

    @property
    def maps(self) -> list[LiveMap]:
        return [live for reading in self.readings for live in reading.maps]

    @property
    def engines(self) -> list[str]:
        return list(dict.fromkeys(live.engine for live in self.maps))

    @property
    def views(self) -> list[MapView]:
        return [view for live in self.maps for view in live.views]

    @property
    def titles(self) -> list[str]:
        return [text for r in self.readings for text in r.furniture.titles]

    @property
    def legends(self) -> list[str]:
        return [text for r in self.readings for text in r.furniture.legends]

    @property
    def visible_labels(self) -> list[str]:
        """Words on the map that nobody has to point at."""
        on_map = [
            shown.feature.label
            for shown in self.features
            if shown.feature.kind in {"text", "TextLayer"} or "symbol" in shown.feature.kind
        ]
        return [
            *(text for r in self.readings for text in r.furniture.labels),
            *filter(None, on_map),
        ]

    @cached_property
    def texts(self) -> list[str]:
        """Everything with words: labels, popups, titles, properties."""
        found = [*self.titles, *self.visible_labels]
        for shown in self.features:
            feature = shown.feature
            found += [feature.label, feature.popup]
            properties = feature.properties
            if properties:
                found.append(" ".join(str(value) for value in properties.values()))
        return list(dict.fromkeys(filter(None, found)))

    @cached_property
    def features(self) -> list[Shown]:
        """Features that have a shape, or stand for a country or state whose shape is known."""
        return list(self._shown())

    @cached_property
    def unusable(self) -> int:
        """Features without a shape that could be computed with."""
        return sum(len(live.features) for live in self.maps) - len(self.features) + self.odd

    def of(self, *kinds: str) -> list[Shown]:
        """Features of some kinds.

        Circles are areas, and, where no other points are there, points: some draw towns so.
        """
        wanted = set(kinds)
        if "Polygon" in wanted or not any(shown.kind == "Point" for shown in self.features):
            wanted |= {"Circle"} if wanted & {"Polygon", "Point"} else set()
        return [shown for shown in self.features if shown.kind in wanted]

    def by_layer(self) -> dict[str, list[Shown]]:
        """Features by their layers."""
        return grouped(self.features)

    def _shown(self) -> Iterable[Shown]:
        from shapely.errors import ShapelyError
        from shapely.geometry import shape

        for number, live in enumerate(self.maps):
            prefix = f"map {number + 1}, " if len(self.maps) > 1 else ""
            for feature in live.features:
                code = _code(feature)
                geometry = feature.geometry
                try:
                    made = shape(geometry) if geometry else shape_of(code) if code else None
                except (ShapelyError, ValueError, TypeError, LookupError):  # a ring of one point
                    continue
                if made is None or made.is_empty or made.geom_type not in _FAMILIES:
                    continue
                if not all(abs(bound) < _FARTHEST for bound in made.bounds):
                    continue
                kind = "Circle" if feature.radius_m else _FAMILIES[made.geom_type]
                layer = f"{prefix}{_layer_name(live, feature.layer)}"
                yield Shown(feature, made, layer, live.engine, kind, code)


def grouped(features: Iterable[Shown]) -> dict[str, list[Shown]]:
    """Features by their layers."""
    found: dict[str, list[Shown]] = {}
    for shown in features:
        found.setdefault(shown.layer, []).append(shown)
    return found


def _readings(output: Output) -> list[MapReading]:
    """What was kept of the maps; none where that cannot be understood."""
    try:
        return msgspec.convert(output.maps or [], list[MapReading])
    except msgspec.ValidationError:
        return []


def _layer_name(live: LiveMap, number: int) -> str:
    layer = live.layers[number] if 0 <= number < len(live.layers) else None
    if layer is None:
        return f"layer {number + 1}"
    named = f" {layer.name}" if layer.name else ""
    return f"layer {number + 1}{named}" + (f" ({layer.kind})" if layer.kind else "")


_CODE_KEYS = ("iso_a3", "iso3", "adm0_a3", "iso_a3_eh", "iso_code", "iso3166_1_alpha_3", "code")


def _code(feature: Feature) -> str:
    """The country or state that a feature says it is; "" if it does not say."""
    if feature.location:
        if feature.location_mode == "USA-states":
            return feature.location if feature.location in states() else ""
        if feature.location_mode in {"ISO-3", "country names"}:
            return code_of(feature.location) or ""
    for key, value in feature.properties.items():
        # Natural Earth's own files say -99 for France and Norway.
        if key.lower() in _CODE_KEYS and isinstance(value, str) and len(value) == 3:
            return code_of(value) or ""
    return ""


def few(items: Sequence[object], most: int = 5) -> str:
    """Some items in words."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(str(item) for item in items[:most]) + more
