// Asks every map of this frame, and says of those that cannot be asked why.
const own = window.__screenmark ?? {};
const waiting = (Array.isArray(own.maps) ? own.maps : [])
  .filter((entry) => entry?.map && typeof entry.kind === "string").slice(0, limits.maps);
const known = new Set(waiting.map(({ map }) => map));
for (const map of looseLeaflet(known)) waiting.push({ kind: "leaflet", map });
for (const plot of document.querySelectorAll(".js-plotly-plot, .plotly-graph-div")) {
  waiting.push({ kind: "plotly", map: plot });
}

const inner = new Set();  // Maps that Plotly or deck.gl have made for themselves.
for (const plot of document.querySelectorAll(".js-plotly-plot")) {
  for (const value of Object.values(plot._fullLayout ?? {})) {
    if (value?._subplot?.map) inner.add(value._subplot.map);
  }
}
const maps = [];
let whole = true;
for (const { kind, map } of waiting.slice(0, limits.maps)) {
  if (inner.has(map)) continue;
  const sink = new Sink(kind);
  try {
    if (!engines[kind]) {
      note(`${kind}: maps of this engine are not read`);
      continue;
    }
    await engines[kind](map, sink, kind);
  } catch (error) {
    if (error instanceof Full) whole = false;
    else note(`${kind}: ${plain(error, 200) || "cannot be read"}`);
  }
  if (sink.map.views.length || sink.map.features.length) maps.push(sink.map);
}
if (taken.odd) note(`${taken.odd} features have coordinates that are no numbers`);

const OTHERS = {
  "Vega": window.vega && document.querySelector(".vega-embed, .marks"),
  "Bokeh": window.Bokeh?.documents?.length,
  "ECharts": window.echarts && document.querySelector("[_echarts_instance_]"),
  "D3 or plain SVG": window.d3 && document.querySelector("svg path"),
};
if (!maps.length) {
  for (const [name, there] of Object.entries(OTHERS)) {
    if (there) note(`drawn by ${name}, which is not read`);
  }
  if (document.querySelector("script[type=module], script[type=importmap]")) {
    note("the page's scripts are ES modules, whose maps cannot be reached");
  }
}
let around = { titles: [], legends: [], labels: [], text: "" };
try {
  around = readFurniture();
} catch (error) {
  note(`what stands around the map cannot be read (${plain(error, 120)})`);
}
return JSON.stringify({ maps, furniture: around, notes, whole, odd: taken.odd });
