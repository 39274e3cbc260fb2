"""The form in which maps are read: plain data, in degrees of longitude and latitude."""

from __future__ import annotations

from typing import Any

import msgspec


class Feature(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing on a map.

    Attributes:
        layer: number of its layer in `LiveMap.layers`.
        kind: what it is to its engine: circle (a radius in metres), circle_marker, marker, path,
            heat (Leaflet); point, line, text, choropleth (Plotly); vector (OpenLayers); the
            types of the layers that draw it (MapLibre, Mapbox); a layer's class (deck.gl).
        geometry: GeoJSON with [longitude, latitude] as the page has them, not rounded; None
            where the page has no shape but names a place, see ``location``.
        stroke, fill: CSS colours, "" if there are none or they are not known.
        radius_m, radius_px: of circles around a point.
        label: a tooltip, a text beside it, or the name of its trace.
        popup: what a click shows.
        location, location_mode: the place's code or name, and Plotly's word for what it is.
        value: the number that it is coloured by.
        bent: whether the engine itself joins two points of a line by the shortest way.
        properties: numbers, truth values and texts that came with it.
    """

    layer: int
    kind: str
    geometry: dict[str, Any] | None = None
    stroke: str = ""
    fill: str = ""
    radius_m: float | None = None
    radius_px: float | None = None
    label: str = ""
    popup: str = ""
    location: str = ""
    location_mode: str = ""
    value: float | None = None
    bent: bool = False
    properties: dict[str, bool | float | str] = {}


class MapLayer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Features that belong together: a group, a source, a trace."""

    name: str = ""
    kind: str = ""


class MapView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What part of the world is seen.

    Attributes:
        bbox: [west, south, east, north] in degrees; None if it is not known.
        zoom: the engine's zoom level.
        crs: name of the coordinate system, or Plotly's scope.
        projection: Plotly's or Mapbox's word.
    """

    bbox: tuple[float, float, float, float] | None = None
    zoom: float | None = None
    crs: str = ""
    projection: str = ""


class LiveMap(msgspec.Struct, frozen=True, kw_only=True):
    """One map.

    Attributes:
        engine: leaflet, maplibre, mapbox, openlayers, plotly or deck.
    """

    engine: str
    views: list[MapView] = []
    layers: list[MapLayer] = []
    features: list[Feature] = []


class Furniture(msgspec.Struct, frozen=True, kw_only=True):
    """Visible texts around and on the maps of a frame.

    Attributes:
        titles: headings, titles of plots, large words at the top; the surest first.
        legends: the words of legends and colour bars, or what kind of thing is there.
        labels: tooltips that are open, texts of SVG, annotations.
        text: the beginning of everything that can be read.
    """

    titles: list[str] = []
    legends: list[str] = []
    labels: list[str] = []
    text: str = ""


class MapReading(msgspec.Struct, frozen=True, kw_only=True):
    """All maps of one frame.

    Attributes:
        frame: 0 for the page itself, 1 for a frame in it, …
        notes: what could not be read, and why.
        whole: False if a limit ended the reading, so that there is more than was read.
        odd: features whose coordinates are no numbers, which are left out.
    """

    frame: int = 0
    maps: list[LiveMap] = []
    furniture: Furniture = msgspec.field(default_factory=Furniture)
    notes: list[str] = []
    whole: bool = True
    odd: int = 0
