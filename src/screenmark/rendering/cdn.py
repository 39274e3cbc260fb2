"""Addresses of public libraries: which file of which package each of them means."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import msgspec


class Wanted(msgspec.Struct, frozen=True):
    """A file of a package, as an address asks for it.

    Attributes:
        package: its name at npm; ``pypi:NAME`` for one of PyPI.
        version: as asked: exact, a range, or "" for the newest.
        path: inside the package; "" for its main file.
        part: which part of that file is meant, where it is not all of it.
    """

    package: str
    version: str = ""
    path: str = ""
    part: str = ""


_NPM = re.compile(r"/((?:@[^/@]+/)?[^/@]+)(?:@([^/]+))?(?:/(.*))?")
_GITHUB = re.compile(r"/gh/([^/]+)/([^/@]+)(?:@([^/]+))?/(.*)")

_CDNJS = {
    "Leaflet.awesome-markers": "leaflet.awesome-markers",
    "leaflet.fullscreen": "leaflet.fullscreen",
    "leaflet.draw": "leaflet-draw",
    "leaflet.minimap": "leaflet-minimap",
    "leaflet-providers": "leaflet-providers",
    "perliedman-leaflet-control-geocoder": "leaflet-control-geocoder",
    "leaflet-locatecontrol": "leaflet.locatecontrol",
    "Leaflet.EasyButton": "leaflet-easybutton",
    "openlayers": "ol",
    "plotly.js": "plotly.js-dist-min",
    "proj4js": "proj4",
    "Turf.js": "@turf/turf",
    "lodash.js": "lodash",
    "moment.js": "moment",
    "underscore.js": "underscore",
    "PapaParse": "papaparse",
    "Chart.js": "chart.js",
    "three.js": "three",
    "twitter-bootstrap": "bootstrap",
    "font-awesome": "@fortawesome/fontawesome-free",
    "bokeh": "@bokeh/bokehjs",
    "d3-legend": "d3-svg-legend",
    "jqueryui": "jquery-ui-dist",
    "require.js": "requirejs",
}
"""Names at cdnjs that are others at npm."""

_GITHUB_PACKAGES = {
    "python-visualization/folium": ("pypi:folium", "folium/templates/"),
    "ljagis/leaflet-measure": ("leaflet-measure", ""),
    "marslan390/BeautifyMarker": ("beautifymarker", ""),
    "ardhi/Leaflet.MousePosition": ("leaflet-mouse-position", ""),
    "socib/Leaflet.TimeDimension": ("leaflet-timedimension", ""),
    "jieter/Leaflet.Sync": ("leaflet.sync", ""),
    "pointhi/leaflet-color-markers": ("leaflet-color-markers", ""),
    "teastman/Leaflet.pattern": ("leaflet.pattern", ""),
    "vega/vega-datasets": ("vega-datasets", ""),
}

_MAPBOX_PLUGINS = {
    "arc.js": "arc",
    "leaflet-heat": "leaflet.heat",
    "leaflet-markercluster": "leaflet.markercluster",
    "turf": "@turf/turf",
}
"""Names beside mapbox.js that are others at npm."""

_ATLASES = {
    "world/110m.json": "countries-110m.json",
    "world/50m.json": "countries-50m.json",
    "us/10m.json": "counties-10m.json",
}
"""Files of the first versions of world-atlas and us-atlas, which later ones call otherwise."""


def wanted(url: str) -> Wanted | None:
    """What an address asks for, or None where it is no library's that is known."""
    parts = urlsplit(url)
    host, path = (parts.hostname or "").lower(), unquote(parts.path)
    for pattern, read in _HOSTS:
        if pattern.fullmatch(host) and (found := read(path)) is not None:
            return found
    return None


def _npm(path: str) -> Wanted | None:
    match = _NPM.fullmatch(path)
    if match is None:
        return None
    return _adjusted(Wanted(match[1], match[2] or "", (match[3] or "").strip("/")))


def _adjusted(asked: Wanted) -> Wanted:
    """The same file where a registry keeps it under another name."""
    if asked.package == "@deck.gl/jupyter-widget":
        return Wanted("pypi:pydeck", "", "pydeck/nbextension/static/index.js")
    if asked.package == "plotly.js" and "geo-assets" not in asked.path:
        name = asked.path.rsplit("/", 1)[-1]
        return Wanted("plotly.js-dist-min", asked.version, "plotly.min.js" if name else "")
    if asked.package in {"world-atlas", "us-atlas"} and asked.path in _ATLASES:
        return Wanted(asked.package, asked.version, _ATLASES[asked.path])
    if asked.package == "plotly.js-dist":
        return Wanted("plotly.js-dist-min", asked.version, "plotly.min.js")
    return asked


def _jsdelivr(path: str) -> Wanted | None:
    if path.startswith("/npm/"):
        return _npm(path.removeprefix("/npm"))
    match = _GITHUB.fullmatch(path)
    return _github(*match.groups()) if match else None


def _github(owner: str, name: str, version: str | None, inside: str) -> Wanted | None:
    """A file of a repository, by branch or tag, in the package that is made from it."""
    if inside.endswith("leaflet.awesome.rotate.min.css"):
        return Wanted("", path=inside, part="empty")
    known = _GITHUB_PACKAGES.get(f"{owner}/{name}")
    if known is None:
        return None
    package, folder = known
    if folder:
        return Wanted(package, "", folder + inside.rsplit("/", 1)[-1])
    tag = version if version and re.match(r"v?\d", version) else ""
    return Wanted(package, tag.removeprefix("v"), inside)


def _raw_github(path: str) -> Wanted | None:
    match = re.fullmatch(r"/([^/]+)/([^/]+)/([^/]+)/(.+)", path)
    return _github(*match.groups()) if match else None


def _github_pages(path: str) -> Wanted | None:
    """Files that projects show on sites of their own."""
    if match := re.fullmatch(r"/vega-datasets/(data/.+)", path):
        return Wanted("vega-datasets", "", match[1])
    if match := re.fullmatch(r"/Leaflet\.pattern/(.+)", path):
        return Wanted("leaflet.pattern", "", match[1])
    return None


def _tailwind(path: str) -> Wanted | None:
    # Version 3 was never published as one script; the classes are nearly the same.
    return Wanted("@tailwindcss/browser", "3") if path in {"", "/"} else None


def _cdnjs(path: str) -> Wanted | None:
    match = re.fullmatch(r"/ajax/libs/([^/]+)/([^/]+)/(.+)", path)
    if match is None:
        return None
    library, version, inside = match.groups()
    package = _CDNJS.get(library, library)
    if library == "font-awesome" and version.startswith(("3.", "4.")):
        package = "font-awesome"
    if library == "bokeh":
        return _bokeh(f"/bokeh/release/{inside.rsplit('/', 1)[-1]}")
    return _adjusted(Wanted(package, version, inside))


def _google(path: str) -> Wanted | None:
    match = re.fullmatch(r"/ajax/libs/([^/]+)/([^/]+)/(.+)", path)
    return Wanted(_CDNJS.get(match[1], match[1]), match[2], match[3]) if match else None


def _jquery(path: str) -> Wanted | None:
    if widgets := re.fullmatch(r"/ui/(\d[\w.]*)/(?:themes/[\w-]+/)?(jquery-ui.+|images/.+)", path):
        return Wanted("jquery-ui-dist", widgets[1], widgets[2])
    match = re.fullmatch(r"/jquery-(\d[\w.]*?|latest)(?:\.slim)?(?:\.min)?\.js", path)
    if match is None:
        return None
    return Wanted("jquery", match[1].replace("latest", "1"), "dist/jquery.min.js")


def _bootstrap(path: str) -> Wanted | None:
    match = re.fullmatch(r"/(bootstrap|font-awesome)/([\d.]+)/(.+)", path)
    if match is None:
        return None
    library, version, inside = match.groups()
    if library == "font-awesome":
        return Wanted(library, version, inside)
    if inside == "css/bootstrap-glyphicons.css":
        return Wanted(library, version, "dist/css/bootstrap.css", part="glyphicons")
    if name := re.fullmatch(r"fonts/glyphiconshalflings-regular(\.\w+)", inside):
        inside = f"fonts/glyphicons-halflings-regular{name[1]}"
    return Wanted(library, version, f"dist/{inside}")


def _plotly(path: str) -> Wanted | None:
    match = re.fullmatch(
        r"/plotly(?:-(?:basic|cartesian|geo|mapbox|map|strict))?-(latest|\d[\d.]*?\d)(?:\.min)?\.js",
        path,
    )
    if match is None:
        return None
    # "latest" has stood still at this version since 2021.
    version = "1.58.5" if match[1] == "latest" else match[1]
    return Wanted("plotly.js-dist-min", version, "plotly.min.js")


def _d3(path: str) -> Wanted | None:
    if match := re.fullmatch(r"/d3\.v(\d+)(?:\.min)?\.js", path):
        major = match[1]
        return Wanted("d3", major, "d3.min.js" if major == "3" else "")
    if match := re.fullmatch(r"/(topojson|d3-[\w-]+)\.v(\d+)(?:\.min)?\.js", path):
        return Wanted(match[1], match[2])
    return None


def _bokeh(path: str) -> Wanted | None:
    match = re.fullmatch(
        r"/bokeh/\w+/(bokeh(?:-\w+)?)-(\d[\w.]*?)(\.min\.js|\.min\.css|\.js)", path
    )
    if match is None:
        return None
    kind = "css" if match[3].endswith("css") else "js"
    return Wanted("@bokeh/bokehjs", match[2], f"build/{kind}/{match[1]}.min.{kind}")


def _mapbox(path: str) -> Wanted | None:
    if match := re.fullmatch(r"/mapbox\.js/plugins/([\w.-]+)/v([\d.]+)/(.+)", path):
        plugin, version, inside = match.groups()
        return Wanted(_MAPBOX_PLUGINS.get(plugin, plugin), version, inside)
    match = re.fullmatch(r"/mapbox-gl-js/v([\d.]+)/(.+)", path)
    return Wanted("mapbox-gl", match[1], f"dist/{match[2]}") if match else None


def _openlayers(path: str) -> Wanted | None:
    if match := re.fullmatch(r"(?:/en)?/(v[\d.]+|latest)/(?:build|dist|css|legacy)/(.+)", path):
        version = "" if match[1] == "latest" else match[1].removeprefix("v")
        return Wanted("ol", version, "ol.css" if match[2].endswith(".css") else f"dist/{match[2]}")
    return None


def _cesium(path: str) -> Wanted | None:
    match = re.fullmatch(r"/downloads/cesiumjs/releases/([\d.]+)/Build/(?:Cesium\w*)/(.+)", path)
    return Wanted("cesium", match[1], f"Build/Cesium/{match[2]}") if match else None


_HOSTS: list[tuple[re.Pattern[str], Callable[[str], Wanted | None]]] = [
    (re.compile(pattern), read)
    for pattern, read in (
        (r"(?:cdn|fastly|gcore)\.jsdelivr\.net", _jsdelivr),
        (r"unpkg\.com|cdn\.unpkg\.com", _npm),
        (r"cdnjs\.cloudflare\.com", _cdnjs),
        (r"ajax\.googleapis\.com", _google),
        (r"code\.jquery\.com", _jquery),
        (r"(?:netdna|maxcdn|stackpath)\.bootstrapcdn\.com", _bootstrap),
        (r"raw\.(?:githubusercontent|github)\.com|(?:cdn\.)?rawgit\.com", _raw_github),
        (r"(?:vega|teastman)\.github\.io", _github_pages),
        (r"cdn\.tailwindcss\.com", _tailwind),
        (r"cdn\.plot\.ly", _plotly),
        (r"(?:www\.)?d3js\.org", _d3),
        (r"cdn\.bokeh\.org|cdn\.pydata\.org", _bokeh),
        (r"api\.(?:tiles\.)?mapbox\.com", _mapbox),
        (r"(?:www\.)?openlayers\.org", _openlayers),
        (r"(?:www\.)?cesium\.com|cesiumjs\.org", _cesium),
    )
]
