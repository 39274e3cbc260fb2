// Remembers the markers of MapLibre and Mapbox maps, which the maps themselves do not list.
(() => {
  const own = window.__screenmark;
  own.markers = [];
  const watch = (library) => {
    const kind = library.Marker?.prototype;
    if (typeof kind?.addTo !== "function" || kind.addTo.__screenmark) return;
    const original = kind.addTo;
    kind.addTo = function (map) {
      if (own.markers.length < 20000) own.markers.push({ on: map, marker: this });
      return original.call(this, map);
    };
    kind.addTo.__screenmark = true;
  };
  own.onLibrary("maplibregl", watch);
  own.onLibrary("mapboxgl", watch);
})();
