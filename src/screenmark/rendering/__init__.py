"""HTML pages as a person would see them: offline, and the same on every machine.

::

    async with Renderer(RenderOptions(wait="ready")) as renderer:
        async with renderer.open("map.html", init_scripts=[HOOKS]) as live:
            await live.ready()                          # a Readiness
            png = await live.screenshot()               # bytes, 1280 x 800 pixels
            value = await live.evaluate("document.title")
            values = await live.evaluate_frames(SCRIPT)  # one FrameValue a frame
            record = live.record                        # a PageRecord, all that happened

        done = await renderer.render("map.html")        # done.png, done.record

`PageLostError` says that a page hung, crashed or went over a limit; the next page is not
affected. Before the scripts of a page, and of every frame in it, two scripts of ours run, then
those of ``init_scripts`` in their order. They leave there, as ``window.__screenmark``:

* ``maps``: ``[{kind, map}]``, every map that the page makes with Leaflet, MapLibre, Mapbox GL,
  OpenLayers, deck.gl or Cesium loaded as a script (not as an ES module);
* ``onLibrary(name, use)``: calls ``use(library)`` when the page sets ``window[name]``, for hooks
  of one's own; do not define a trap on ``window.L`` and the like, there is one already;
* ``problems``: what went wrong in such hooks, as text.
"""

from screenmark.rendering.chromium import find_chromium
from screenmark.rendering.errors import PageLostError, RenderingError
from screenmark.rendering.live import FrameValue, LivePage
from screenmark.rendering.options import RenderOptions
from screenmark.rendering.record import (
    Blocked,
    PageRecord,
    Picture,
    Readiness,
    ScriptError,
    Served,
)
from screenmark.rendering.renderer import Renderer, Rendering

__all__ = [
    "Blocked",
    "FrameValue",
    "LivePage",
    "PageLostError",
    "PageRecord",
    "Picture",
    "Readiness",
    "RenderOptions",
    "Renderer",
    "Rendering",
    "RenderingError",
    "ScriptError",
    "Served",
    "find_chromium",
]
