// What is still going on in this frame, in words; empty when it has come to rest.
(failed) => {
  const own = window.__screenmark;
  const going = [];
  if (document.readyState !== "complete") going.push("document loading");

  const asks = {
    leaflet: (map) => {
      if (!map._loaded) return performance.now() < 3000 && "map without a view";
      let tiles = false;
      map.eachLayer((layer) => { tiles ||= Boolean(layer._loading && layer._url !== undefined); });
      if (tiles) return "tiles";
      return (map._animatingZoom || map._panAnim?._inProgress) && "animation";
    },
    openlayers: (map) => {
      if (!map.getSize()) return performance.now() < 3000 && "map without a size";
      if (map.getView().getAnimating()) return "animation";
      return map.getLoadingOrNotReady?.() && "sources";
    },
    gl: (map) => (!map.loaded() || !map.areTilesLoaded() || map.isMoving()) && "style or tiles",
    deck: (map) => {
      const deck = map.deck ?? map._deck ?? map;
      return deck.layerManager && !deck.layerManager.getLayers().every((l) => l.isLoaded) && "data";
    },
    cesium: (map) => !map.scene.globe.tilesLoaded && "tiles",
  };
  asks.maplibre = asks.mapbox = asks.gl;
  const made = Array.isArray(own?.maps) ? own.maps : [];  // A page may have meddled with it.
  for (const entry of made) {
    try {
      const { kind, map } = entry;
      if (kind !== "leaflet" && map._removed) continue;
      const what = asks[kind](map);
      if (what) going.push(`${kind}: ${what}`);
    } catch { /* a map in the middle of being made or taken away */ }
  }

  for (const plot of document.querySelectorAll(".plotly-graph-div")) {
    if (!window.Plotly) break;
    // After an error in the page a plot may never get a layout.
    if (!plot._fullLayout) {
      if (!failed && performance.now() < 4000) going.push("plotly: not drawn");
    }
  }
  if (own?.plotting && !failed) going.push("plotly: drawing");
  if (window.Bokeh?.documents?.some((d) => d.is_idle === false)) going.push("bokeh: drawing");

  if (document.fonts && document.fonts.status !== "loaded") going.push("fonts");
  for (const image of document.images) {
    if (!image.complete && image.loading !== "lazy") { going.push("images"); break; }
  }
  const endless = (a) => a.effect?.getComputedTiming().endTime === Infinity;
  if (document.getAnimations?.().some((a) => a.playState === "running" && !endless(a))) {
    going.push("animations");
  }
  return { going, popups: Array.isArray(own?.popups) ? own.popups.splice(0) : [], hooked: own !== undefined };
}
