// deck.gl: layers whose data are in the page, through their own accessors.
engines.deck = (made, sink) => {
  const deck = made.deck ?? made._deck ?? made;
  const port = deck.getViewports?.()[0] ?? deck.viewManager?.getViewports?.()[0];
  if (port?.getBounds) sink.view({ bbox: port.getBounds(), zoom: number(port.zoom), crs: "EPSG:3857" });
  const layers = list(deck.props?.layers).flat(5).filter(Boolean);
  const value = (accessor, item, i) => (typeof accessor === "function"
    ? accessor(item, { index: i, data: null, target: [] }) : accessor);
  const paint = (accessor, item, i) => {
    try {
      const found = value(accessor, item, i);
      return found?.length >= 3 ? `rgb(${Array.from(found).slice(0, 3).join(",")})` : "";
    } catch {
      return "";
    }
  };
  const line = (positions) => ({ type: "LineString", coordinates: positions });
  const READ = [
    [["getSourcePosition", "getTargetPosition"], (p, d, i) =>
      line([value(p.getSourcePosition, d, i), value(p.getTargetPosition, d, i)])],
    [["getPath"], (p, d, i) => line(value(p.getPath, d, i))],
    [["getPolygon"], (p, d, i) => {
      const rings = value(p.getPolygon, d, i);
      const nested = typeof rings?.[0]?.[0] !== "number";
      return { type: "Polygon", coordinates: nested ? rings : [rings] };
    }],
    [["getPosition"], (p, d, i) => ({ type: "Point", coordinates: value(p.getPosition, d, i) })],
  ];
  for (const layer of layers) {
    const props = layer.props ?? {};
    if (props.visible === false) continue;
    const name = plain(layer.constructor?.layerName, 40) || "layer";
    const data = props.data;
    const index = sink.layer(layer, { name: layer.id, kind: name });
    if (/^(Tile|MVT|Bitmap|Terrain)/.test(name)) continue;
    const look = (item, i) => ({
      fill: paint(props.getFillColor ?? props.getColor ?? props.getSourceColor, item, i),
      stroke: paint(props.getLineColor, item, i),
      radius_m: name === "ScatterplotLayer" && (props.radiusUnits ?? "meters") === "meters"
        ? number(value(props.getRadius, item, i)) * (number(props.radiusScale) ?? 1) : null,
      bent: name === "GreatCircleLayer" || (name === "ArcLayer" && props.greatCircle === true),
    });
    if (data?.type) {
      sink.geojson(data, index, name, (feature) => look(feature, 0));
      continue;
    }
    const items = Array.isArray(data) ? data : null;
    const reader = READ.find(([names]) => names.every((key) => props[key] !== undefined))?.[1];
    if (!items || !reader) {
      note(`deck: layer ${plain(layer.id, 40)} (${name}) is not read`);
      continue;
    }
    items.forEach((item, i) => {
      try {
        sink.add(index, name, reader(props, item, i), {
          ...look(item, i),
          label: name === "TextLayer" ? plain(value(props.getText, item, i)) : "",
          properties: properties(item),
        });
      } catch (error) {
        if (error instanceof Full) throw error;
        taken.odd += 1;
      }
    });
  }
};
