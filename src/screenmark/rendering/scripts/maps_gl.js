// MapLibre GL and Mapbox GL: GeoJSON sources that layers draw, and markers.
engines.maplibre = engines.mapbox = async (map, sink, engine) => {
  const bounds = map.getBounds();
  sink.view({
    bbox: [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()],
    zoom: number(map.getZoom()),
    crs: "EPSG:3857",
    projection: plain(map.getProjection?.()?.type ?? map.getProjection?.()?.name, 40),
  });
  const style = map.getStyle();
  const COLOURS = {
    fill: ["fill-color", "fill-outline-color"],
    line: [null, "line-color"],
    circle: ["circle-color", "circle-stroke-color"],
    "fill-extrusion": ["fill-extrusion-color", null],
  };

  const soon = (promise) => Promise.race([
    promise, new Promise((done) => setTimeout(() => done(null), limits.wait)),
  ]);
  const dataOf = async (id, source) => {
    let data = source.data?.geojson ?? source.data;
    if (typeof data !== "string" && data?.type) return data;
    const live = map.getSource(id);
    const address = typeof data === "string" ? data.slice(0, 120) : "an address";
    data = await soon(Promise.resolve(live.getData?.()).catch(() => null));
    if (data?.type) return data;
    note(`${engine}: the data of source ${id} come from ${address}; only its drawn part is read`);
    const parts = map.querySourceFeatures(id).map((f) => ({
      type: "Feature", geometry: f.geometry, properties: f.properties,
    }));
    return { type: "FeatureCollection", features: parts };
  };

  // A colour that depends on the feature is asked of what was drawn.
  const drawn = (layer, property) => {
    const value = layer.paint?.[property];
    if (!property || value === undefined) return () => "";
    if (typeof value === "string") return () => colour(value);
    const found = new Map();
    try {
      for (const feature of map.queryRenderedFeatures({ layers: [layer.id] })) {
        const key = JSON.stringify(feature.properties);
        if (!found.has(key)) found.set(key, colour(String(feature.layer.paint[property])));
      }
    } catch { /* the style is not loaded */ }
    return (feature) => found.get(JSON.stringify(feature.properties ?? {})) ?? "";
  };

  const bySource = new Map();
  for (const layer of style.layers) {
    if (!layer.source || layer.layout?.visibility === "none") continue;
    if (!bySource.has(layer.source)) bySource.set(layer.source, []);
    bySource.get(layer.source).push(layer);
  }
  for (const [id, layers] of bySource) {
    const source = style.sources[id];
    if (source?.type !== "geojson") {
      if (source?.type === "vector") note(`${engine}: vector tiles (${id}) are not read`);
      continue;
    }
    const kinds = layers.map((layer) => layer.type);
    const pick = (place) => layers
      .filter((layer) => COLOURS[layer.type]?.[place])
      .map((layer) => drawn(layer, COLOURS[layer.type][place]));
    const [fills, strokes] = [pick(0), pick(1)];
    const label = layers.find((layer) => layer.layout?.["text-field"])?.layout["text-field"];
    const words = (feature) => {
      const of = feature.properties ?? {};
      if (typeof label === "string") return label.replace(/\{([^}]+)\}/g, (_, key) => of[key] ?? "");
      return Array.isArray(label) ? plain(of[label.flat(9).find((part) => part in of)]) : "";
    };
    const index = sink.layer(id, { name: id, kind: kinds.join("+") });
    const first = (from, feature) => from.map((get) => get(feature)).find(Boolean) ?? "";
    sink.geojson(await dataOf(id, source), index, kinds.join("+"), (feature) => ({
      fill: first(fills, feature),
      stroke: first(strokes, feature),
      label: label === undefined ? "" : plain(words(feature)),
    }));
  }
  for (const { on, marker } of list(window.__screenmark?.markers)) {
    if (on !== map || !marker._map) continue;
    const at = marker.getLngLat();
    const index = sink.layer("markers", { name: "markers", kind: "marker" });
    sink.add(index, "marker", { type: "Point", coordinates: [at.lng, at.lat] }, {
      label: plain(marker.getElement?.()),
      popup: plain(marker.getPopup?.()?._content),
    });
  }
};
