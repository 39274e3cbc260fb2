// Leaflet 0.7 to 1.9. Coordinates are taken from the layers themselves: toGeoJSON rounds them.
engines.leaflet = (map, sink) => {
  const L = window.L;
  if (!map._loaded) {
    note("leaflet: a map that was never given a view");
    return;
  }
  const bounds = map.getBounds();
  sink.view({
    bbox: [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()],
    zoom: number(map.getZoom()),
    crs: plain(map.options.crs?.code, 40),
  });
  if (L.CRS?.Simple && map.options.crs === L.CRS.Simple) {
    note("leaflet: a plain coordinate system, not degrees");
    return;
  }

  const is = (layer, name) => typeof L[name] === "function" && layer instanceof L[name];
  const groups = new Map();
  map.eachLayer((layer) => {
    if (!is(layer, "LayerGroup") || is(layer, "MarkerClusterGroup")) return;
    layer.eachLayer?.((child) => {
      const known = groups.get(child);
      if (!known || is(layer, "GeoJSON")) groups.set(child, layer);
    });
  });

  const position = (at) => [at.lng, at.lat];
  const nested = (latlngs) => (latlngs.length && latlngs[0]?.lat === undefined
    ? latlngs.map(nested) : latlngs.map(position));
  const closed = (ring) => (ring.length ? [...ring, ring[0]] : ring);
  const isRing = (value) => typeof value?.[0]?.[0] === "number";
  const path = (layer) => {
    let found = nested(layer.getLatLngs());
    if (is(layer, "Polygon")) {
      if (isRing(found)) found = [found];
      if (isRing(found[0])) return { type: "Polygon", coordinates: found.map(closed) };
      return { type: "MultiPolygon", coordinates: found.map((rings) => rings.map(closed)) };
    }
    if (isRing(found)) return { type: "LineString", coordinates: found };
    return { type: "MultiLineString", coordinates: found };
  };
  const spot = (layer) => ({ type: "Point", coordinates: position(layer.getLatLng()) });

  // Words bound to a group open over each of its members.
  const outer = (layer, get) => {
    for (let up = layer, i = 0; up && i < 4; up = groups.get(up), i += 1) {
      const words = plain(up[get]?.()?._content);
      if (words) return words;
    }
    return "";
  };

  const seen = new Set();
  const one = (layer, under) => {
    if (seen.has(layer) || layer.getAllChildMarkers) return;
    seen.add(layer);
    let kind;
    let geometry;
    if (is(layer, "CircleMarker")) {
      kind = is(layer, "Circle") ? "circle" : "circle_marker";
      geometry = spot(layer);
    } else if (is(layer, "Marker")) {
      kind = "marker";
      geometry = spot(layer);
    } else if (is(layer, "Polyline") || is(layer, "Polygon")) {
      kind = "path";
      geometry = path(layer);
    } else {
      return;
    }
    const group = under ?? groups.get(layer);
    const options = layer.options ?? {};
    const index = sink.layer(group ?? kind, { name: group?.options?.name, kind });
    const icon = kind === "marker" ? options.icon?.options ?? {} : {};
    const filled = options.fill ?? is(layer, "Polygon");
    sink.add(index, kind, geometry, {
      stroke: kind === "marker" || options.stroke === false ? "" : colour(options.color),
      fill: filled && kind !== "marker" ? colour(options.fillColor ?? options.color) : "",
      radius_m: kind === "circle" ? number(layer.getRadius()) : null,
      radius_px: kind === "circle_marker" ? number(layer.getRadius()) : null,
      label: outer(layer, "getTooltip") || plain(icon.html) || plain(options.title),
      popup: outer(layer, "getPopup"),
      properties: properties(layer.feature?.properties),
    });
  };

  map.eachLayer((layer) => {
    try {
      if (is(layer, "MarkerClusterGroup")) {
        layer.getLayers().forEach((child) => one(child, layer));
      } else if (layer._heat && Array.isArray(layer._latlngs)) {
        const index = sink.layer(layer, { name: "heat", kind: "heat" });
        for (const at of layer._latlngs) {
          const place = [at.lng ?? at[1], at.lat ?? at[0]];
          sink.add(index, "heat", { type: "Point", coordinates: place });
        }
      } else if (is(layer, "ImageOverlay") || is(layer, "VideoOverlay")) {
        note("leaflet: an image laid over the map is not read");
      } else {
        one(layer);
      }
    } catch (error) {
      if (error instanceof Full) throw error;
      note(`leaflet: a layer cannot be read (${plain(error, 120)})`);
    }
  });
};

// Maps that were made before the hooks, or by a copy of the library that took them away.
const looseLeaflet = (known) => {
  if (typeof window.L?.Map !== "function") return [];
  const found = [];
  for (const name of Object.keys(window)) {
    try {
      const value = window[name];
      if (value instanceof window.L.Map && !known.has(value)) found.push(value);
    } catch { /* a getter that throws */ }
  }
  return found;
};
