// Plotly: filled regions, points and lines on its own maps and on those of MapLibre and Mapbox.
const rgb = (text) => {
  const box = document.createElement("canvas").getContext("2d");
  box.fillStyle = "#000";
  box.fillStyle = String(text);
  const hex = /^#(..)(..)(..)$/.exec(box.fillStyle);
  if (hex) return hex.slice(1).map((part) => parseInt(part, 16));
  return (box.fillStyle.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
};

// The colour of a value on a scale [[0, colour], …, [1, colour]].
const scaled = (scale, low, high) => {
  const stops = list(scale).filter((stop) => Array.isArray(stop))
    .map(([at, paint]) => [Number(at), rgb(paint)]);
  if (stops.length < 2) return () => "";
  return (value) => {
    if (value === null) return "";
    const at = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0;
    const after = Math.max(1, stops.findIndex(([place]) => place >= at));
    const [[from, first], [to, second]] = [stops[after - 1], stops[after]];
    const part = to > from ? (at - from) / (to - from) : 0;
    return `rgb(${first.map((c, i) => Math.round(c + part * (second[i] - c))).join(",")})`;
  };
};

// Places that a map of one continent shows, of all that a trace names; null where it shows all.
const inScope = (trace, layout, plot) => {
  const scope = layout[trace.geo]?.scope;
  if (trace.type !== "choropleth" || trace.geojson || !scope || scope === "world") return null;
  const points = list(plot.calcdata?.find((data) => data[0]?.trace?.uid === trace.uid));
  if (!points.some((at) => at.geojson)) return null;
  const drawn = new Set(points.filter((at) => at.geojson).map((at) => String(at.loc)));
  note(`plotly: ${points.length - drawn.size} places outside of ${plain(scope, 40)} are not drawn`);
  return drawn;
};

engines.plotly = (plot, sink) => {
  const layout = plot._fullLayout;
  if (!layout) {
    note("plotly: a plot that was never drawn");
    return;
  }
  for (const key of Object.keys(layout)) {
    if (!/^(geo|map|mapbox)\d*$/.test(key) || !layout[key]?._subplot) continue;
    const about = layout[key];
    if (key.startsWith("geo")) {
      const [lon, lat] = [list(about.lonaxis?.range), list(about.lataxis?.range)];
      sink.view({
        bbox: [lon[0], lat[0], lon[1], lat[1]],
        projection: plain(about.projection?.type, 40),
        crs: plain(about.scope, 40),
      });
    } else {
      const bounds = about._subplot.map?.getBounds?.();
      sink.view({
        bbox: bounds && [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()],
        zoom: number(about.zoom),
        crs: "EPSG:3857",
      });
    }
  }

  const at = (values, i) => (Array.isArray(values) || ArrayBuffer.isView(values) ? values[i] : values);
  const regions = (trace, index) => {
    const [places, values] = [list(trace.locations), list(trace.z)];
    let data = trace.geojson;
    if (typeof data === "string") data = window.PlotlyGeoAssets?.[data];
    const key = String(trace.featureidkey ?? "id").split(".");
    const byId = new Map();
    for (const feature of list(data?.features)) {
      byId.set(String(key.reduce((value, name) => value?.[name], feature)), feature);
    }
    const axis = trace.coloraxis ? layout[trace.coloraxis] : trace;
    const paint = scaled(axis?.colorscale, axis?.cmin ?? axis?.zmin, axis?.cmax ?? axis?.zmax);
    const drawn = inScope(trace, layout, plot);
    for (let i = 0; i < places.length; i += 1) {
      if (drawn && !drawn.has(String(places[i]))) continue;
      const feature = byId.get(String(places[i]));
      if (data && !feature) note(`plotly: no shape for location ${plain(places[i], 40)}`);
      const value = number(values[i]);
      sink.add(index, "choropleth", feature?.geometry ?? null, {
        location: plain(places[i], 80),
        location_mode: data ? "" : plain(trace.locationmode, 40),
        value,
        fill: paint(value),
        label: plain(at(trace.text, i)) || plain(at(trace.hovertext, i)),
        properties: properties(feature?.properties),
      });
    }
  };

  const places = (trace, index) => {
    const [lons, lats] = [list(trace.lon), list(trace.lat)];
    const mode = String(trace.mode ?? "markers");
    if (mode.includes("lines") || trace.fill === "toself") {
      const filled = trace.fill === "toself";
      const flush = (run) => {
        if (run.length < 2) return;
        if (filled && run.length > 2) run.push(run[0]);
        sink.add(index, "line", filled
          ? { type: "Polygon", coordinates: [run] } : { type: "LineString", coordinates: run }, {
          stroke: colour(trace.line?.color),
          fill: filled ? colour(trace.fillcolor) : "",
          label: plain(trace.name),
          // Two points on a sphere are joined by the shortest way.
          bent: trace.type === "scattergeo",
        });
      };
      let run = [];
      for (let i = 0; i < lons.length; i += 1) {
        if (number(lons[i]) === null || number(lats[i]) === null) {
          flush(run);
          run = [];
        } else {
          run.push([lons[i], lats[i]]);
        }
      }
      flush(run);
    }
    if (!/markers|text/.test(mode) && !/density/.test(trace.type)) return;
    const axis = trace.marker?.coloraxis ? layout[trace.marker.coloraxis] : trace.marker;
    const paint = scaled(axis?.colorscale, axis?.cmin, axis?.cmax);
    for (let i = 0; i < lons.length; i += 1) {
      if (number(lons[i]) === null || number(lats[i]) === null) continue;
      const own = at(trace.marker?.color, i);
      sink.add(index, /markers/.test(mode) ? "point" : "text",
        { type: "Point", coordinates: [lons[i], lats[i]] }, {
          fill: typeof own === "string" ? colour(own) : paint(number(own)),
          radius_px: number(at(trace.marker?.size, i)),
          value: number(at(trace.z, i)) ?? number(own),
          label: plain(at(trace.text, i)) || plain(at(trace.hovertext, i)) || plain(trace.name),
        });
    }
  };

  list(plot._fullData).forEach((trace, i) => {
    if (trace.visible !== true) return;
    const index = sink.layer(i, { name: trace.name, kind: trace.type });
    if (/^choropleth/.test(trace.type)) regions(trace, index);
    else if (/^(scatter|density)(geo|map|mapbox)$/.test(trace.type)) places(trace, index);
    else note(`plotly: a trace of type ${plain(trace.type, 40)} has no places`);
  });

  const shown = (selector) => [...plot.querySelectorAll(selector)].filter(visible);
  const scales = ["coloraxis", ...Object.keys(layout).filter((key) => /^coloraxis\d+$/.test(key))];
  for (const words of [layout.title?.text, layout.title?.subtitle?.text]) {
    // Plotly fills empty titles with an invitation to write one.
    if (!/^Click to enter /.test(String(words))) furniture.titles.push(plain(words));
  }
  const texts = (element) => [...element.querySelectorAll("text")].map((text) => plain(text)).join(" ");
  for (const entry of shown(".legend")) furniture.legends.push(texts(entry) || "legend");
  for (const bar of shown(".colorbar")) {
    const named = scales.map((key) => plain(layout[key]?.colorbar?.title?.text)).find(Boolean);
    furniture.legends.push([named, texts(bar)].filter(Boolean).join(": ") || "colour bar");
  }
  for (const remark of list(layout.annotations)) furniture.labels.push(plain(remark?.text));
};
