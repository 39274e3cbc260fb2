// OpenLayers as one script (`ol`): vector layers, brought back to degrees.
engines.openlayers = (map, sink) => {
  const ol = window.ol;
  const view = map.getView();
  const projection = view.getProjection();
  const extent = view.calculateExtent(map.getSize());
  sink.view({
    bbox: ol.proj.transformExtent(extent, projection, "EPSG:4326"),
    zoom: number(view.getZoom()),
    crs: projection.getCode(),
  });
  const format = new ol.format.GeoJSON();
  const leaves = (layers) => layers.flatMap((layer) => {
    if (layer.getVisible?.() === false) return [];
    const inner = layer.getLayers?.();
    return inner ? leaves(inner.getArray()) : [layer];
  });
  const text = (value) => (typeof value === "string" ? colour(value)
    : Array.isArray(value) ? `rgba(${value.slice(0, 4).join(",")})` : "");
  const look = (layer, feature) => {
    try {
      const own = feature.getStyleFunction?.() ?? layer.getStyleFunction?.();
      const styles = list(own?.(feature, view.getResolution())).filter(Boolean);
      const all = styles.flatMap((style) => [style, style.getImage?.()]).filter(Boolean);
      const first = (get) => all.map(get).map(text).find(Boolean) ?? "";
      return {
        fill: first((style) => style.getFill?.()?.getColor?.()),
        stroke: first((style) => style.getStroke?.()?.getColor?.()),
        label: plain(styles.map((style) => style.getText?.()?.getText?.()).find(Boolean)),
      };
    } catch {
      return {};
    }
  };
  for (const layer of leaves(map.getLayers().getArray())) {
    let source = layer.getSource?.();
    const around = source?.getSource?.();  // of clusters
    if (typeof around?.getFeatures === "function") source = around;
    if (typeof source?.getFeatures !== "function") continue;
    const index = sink.layer(layer, { name: layer.get?.("title") ?? layer.get?.("name"), kind: "vector" });
    let features;
    try { features = source.getFeatures(); } catch { continue; }
    if (!Array.isArray(features)) {
      note("openlayers: vector tiles are not read");
      continue;
    }
    for (const feature of features) {
      let geometry = feature.getGeometry();
      if (!geometry) continue;
      if (geometry.getType() === "Circle") geometry = ol.geom.Polygon.fromCircle(geometry, 128);
      const written = format.writeGeometryObject(geometry, {
        featureProjection: projection, dataProjection: "EPSG:4326",
      });
      sink.add(index, "vector", written, {
        ...look(layer, feature),
        properties: properties(feature.getProperties()),
      });
    }
  }
};
