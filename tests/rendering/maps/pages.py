"""Small pages with a map of each engine, and pages that mean no good."""
# ruff: noqa: E501 - pages are easier to read in long lines

from __future__ import annotations

LEAFLET = """<link rel="stylesheet" href="https://unpkg.com/leaflet@{version}/dist/leaflet.css">
<script src="https://unpkg.com/leaflet@{version}/dist/leaflet.js"></script>
<h1>Ten towns</h1><div id="m" style="height: 400px"></div>
<div class="info legend"><i style="background: red; width: 12px; height: 12px"></i> many</div>
<script>(() => {
const map = L.map("m").setView([37.5, 127], 7);
L.marker([37.123456789, 127.987654321], {title: "Wonju"}).bindPopup("<b>A</b> &amp; B").addTo(map);
L.circle([37, 127], {radius: 5000, color: "#f00", fillColor: "#0f0"}).addTo(map);
L.circleMarker([37.2, 127.1], {radius: 7}).bindTooltip("seen", {permanent: true}).addTo(map);
L.polyline([[37, 127], [38, 128]], {color: "blue"}).addTo(map);
L.polygon([[[37, 127], [37, 128], [38, 128]], [[37.2, 127.5], [37.2, 127.7], [37.3, 127.7]]])
  .addTo(map);
L.geoJSON({type: "Feature", properties: {name: "Z", n: 3, deep: {a: 1}}, geometry: {
  type: "MultiPolygon", coordinates: [[[[126, 36], [127, 36], [127, 37], [126, 36]]],
    [[[128, 36], [129, 36], [129, 37], [128, 36]]]]}}).addTo(map);
L.marker([0, 0]);
})();</script>"""

CLUSTERS = """<script src="https://unpkg.com/leaflet@1.9.4/dist/leaflet.js"></script>
<script src="https://unpkg.com/leaflet.markercluster@1.5.3/dist/leaflet.markercluster.js"></script>
<script src="https://unpkg.com/leaflet.heat@0.2.0/dist/leaflet-heat.js"></script>
<div id="m" style="height: 400px"></div><script>(() => {
const map = L.map("m", {maxZoom: 18}).setView([37.5, 127], 5);
const group = L.markerClusterGroup();
for (let i = 0; i < 30; i++) group.addLayer(L.marker([37 + i / 100, 127]));
map.addLayer(group);
L.heatLayer([[37, 127, 1], [38, 128, 2]]).addTo(map);
})();</script>"""

MAPLIBRE = """<script src="https://unpkg.com/maplibre-gl@4.7.1/dist/maplibre-gl.js"></script>
<div id="m" style="height: 400px"></div><script>(() => {
const map = new maplibregl.Map({container: "m", center: [10, 50], zoom: 4,
  style: {version: 8, sources: {}, layers: []}});
new maplibregl.Marker().setLngLat([9, 51]).setPopup(new maplibregl.Popup().setText("pop")).addTo(map);
const at = (x, n) => ({type: "Feature", properties: {n}, geometry: {type: "Point", coordinates: [x, 50]}});
map.on("load", () => {
  map.addSource("s", {type: "geojson", data: {type: "FeatureCollection", features: [at(10, 1), at(11, 9)]}});
  map.addSource("u", {type: "geojson", data: {type: "Point", coordinates: [1, 2]}});
  map.addLayer({id: "c", type: "circle", source: "s", paint: {"circle-radius": 8,
    "circle-color": ["step", ["get", "n"], "#ff0000", 5, "#0000ff"]}});
});
})();</script>"""

OPENLAYERS = """<script src="https://cdn.jsdelivr.net/npm/ol@10.11.0/dist/ol.js"></script>
<div id="m" style="height: 400px"></div><script>(() => {
const polygon = new ol.geom.Polygon([[[9, 49], [11, 49], [11, 51], [9, 49]]]);
const feature = new ol.Feature({geometry: polygon.transform("EPSG:4326", "EPSG:3857"), name: "T"});
const circle = new ol.Feature(new ol.geom.Circle(ol.proj.fromLonLat([10, 50]), 20000));
const style = new ol.style.Style({fill: new ol.style.Fill({color: "#123456"})});
const source = new ol.source.Vector({features: [feature, circle]});
new ol.Map({target: "m", layers: [new ol.layer.Group({layers: [
  new ol.layer.Vector({source, style})]})],
  view: new ol.View({center: ol.proj.fromLonLat([10, 50]), zoom: 5})});
})();</script>"""

PLOTLY = """<script src="https://cdn.plot.ly/plotly-4.1.1.min.js"></script>
<div id="p" class="plotly-graph-div" style="height: 500px"></div><script>
const shape = {type: "Feature", properties: {k: "a"}, geometry: {type: "Polygon",
  coordinates: [[[0, 40], [5, 40], [5, 45], [0, 40]]]}};
Plotly.newPlot("p", [
  {type: "choropleth", locations: ["FRA", "DEU"], z: [0, 10],
   colorscale: [[0, "#000000"], [1, "#ffffff"]], zmin: 0, zmax: 10, colorbar: {title: {text: "n"}}},
  {type: "choropleth", geojson: {type: "FeatureCollection", features: [shape]},
   featureidkey: "properties.k", locations: ["a", "b"], z: [1, 2], showscale: false},
  {type: "scattergeo", mode: "lines", lon: [0, 10, null, 20, 30], lat: [0, 10, null, 20, 30],
   name: "ways"},
  {type: "scattergeo", mode: "markers+text", lon: [2.35], lat: [48.86], text: ["Paris 5 km"]},
  {type: "scattergeo", mode: "markers", lon: [99], lat: [9], visible: false},
], {title: {text: "A plot"}, geo: {lonaxis: {range: [-10, 30]}, lataxis: {range: [35, 60]}},
    annotations: [{text: "note", x: 0, y: 0}]});
</script>"""

DECK = """<script src="https://unpkg.com/deck.gl@9.4.0/dist.min.js"></script>
<div id="m" style="height: 400px; width: 600px; position: relative"></div><script>(() => {
new deck.DeckGL({container: "m", initialViewState: {longitude: 10, latitude: 50, zoom: 4},
  layers: [
    new deck.ScatterplotLayer({id: "dots", data: [{at: [10, 50], name: "x"}], getPosition: d => d.at,
      getRadius: 1000, getFillColor: [255, 0, 0]}),
    new deck.ArcLayer({id: "arcs", data: [{}], getSourcePosition: [0, 0], getTargetPosition: [9, 9]}),
    new deck.GeoJsonLayer({id: "areas", data: {type: "Point", coordinates: [1, 2]}}),
  ]});
})();</script>"""

GROUPED = """<script src="https://unpkg.com/leaflet@1.9.4/dist/leaflet.js"></script>
<div id="m" style="height: 400px"></div><script>
const map = L.map("m").setView([37.5, 127], 5);
const ways = [L.polyline([[37, 127], [38, 128]]), L.polyline([[37, 127], [38, 128]], {color: "white"})];
L.featureGroup(ways).bindTooltip("Incheon to Tokyo 1,213 km").bindPopup("by air").addTo(map);
</script>"""

SCOPED = """<script src="https://cdn.plot.ly/plotly-4.1.1.min.js"></script>
<div id="p" class="plotly-graph-div" style="height: 500px"></div><script>
Plotly.newPlot("p", [{type: "choropleth", locations: ["NGA", "EGY", "KOR", "FRA"], z: [1, 2, 3, 4]}],
  {geo: {scope: "africa"}});
</script>"""

OWN_WORDS = """<svg width="300" height="300"><g class="mark-group role-title"><text y="20">By Vega</text></g></svg>
<script>
window.createDeck = ({rows}) => {
  class Dots {}
  Dots.layerName = "ScatterplotLayer";
  const dots = new Dots();
  dots.id = "dots";
  dots.props = {data: rows, getPosition: (row) => row.at, getRadius: 5};
  return {props: {layers: [dots]}};
};
createDeck({rows: [{at: [127, 37]}, {at: [129, 35]}]});
window.Bokeh = {documents: [{roots: () => [{children: [[{title: {text: "By Bokeh"},
  right: [{type: "ColorBar", title: "Heads"}], center: [{type: "Grid"}]}, 0, 0]]}]}]};
</script>"""

ESM = """<script type="importmap">{"imports": {}}</script><h1>Kepler</h1>
<script type="module">document.title = "x"</script>"""

SVG = """<script>window.d3 = {version: "7"}</script><svg width="300" height="300">
<path d="M0 0L9 9"/><text x="20" y="20">Here</text></svg>"""

SWATCHES = """<div style="font: bold 20px sans-serif">Where people live</div>
<div style="position: absolute; left: 20px; top: 300px; width: 150px">
<div><span style="display: inline-block; width: 12px; height: 12px; background: #f00"></span> few</div>
<div><span style="display: inline-block; width: 12px; height: 12px; background: #00f"></span> many</div>
</div><h2 style="display: none">hidden</h2>"""

_LEAFLET_ALONE = """<script src="https://unpkg.com/leaflet@1.9.4/dist/leaflet.js"></script>
<div id="m" style="height: 400px"></div><script>
const map = L.map("m", {preferCanvas: true}).setView([0, 0], 2);
%s
</script>"""

HOSTILE = {
    "a getter that throws": _LEAFLET_ALONE
    % """Object.defineProperty(window, "trap", {enumerable: true, get() { throw new Error("no") }});
const m = L.marker([1, 2]).addTo(map);
m.feature = {properties: Object.defineProperty({a: 1}, "b", {enumerable: true,
  get() { throw new Error("no") }})};
L.marker([3, 4]).addTo(map).getLatLng = () => { throw new Error("never") };""",
    "objects in circles": _LEAFLET_ALONE
    % """const p = {a: 1}; p.self = p;
L.geoJSON({type: "Feature", properties: p, geometry: {type: "Point", coordinates: [1, 2]}}).addTo(map);
window.me = window;""",
    "no numbers": _LEAFLET_ALONE
    % """const m = L.marker([1, 2]).addTo(map); m._latlng.lat = NaN;
const n = L.marker([1, 2]).addTo(map); n._latlng.lng = "x";
L.marker([5, 6]).addTo(map);""",
    "huge texts": _LEAFLET_ALONE
    % """L.marker([1, 2], {title: "x".repeat(1 << 26)}).addTo(map);
const p = {}; for (let i = 0; i < 100000; i++) p["k" + i] = "v".repeat(1000);
L.geoJSON({type: "Feature", properties: p, geometry: {type: "Point", coordinates: [1, 2]}}).addTo(map);""",
    "a million features": _LEAFLET_ALONE
    % """map._layers = new Proxy({}, {ownKeys: () => [], get: () => undefined});
map.eachLayer = (use) => { const one = L.marker([1, 2]);
  for (let i = 0; i < 1000000; i++) use(Object.create(one)); };""",
    "functions replaced": _LEAFLET_ALONE
    % """L.marker([1, 2]).addTo(map); JSON.stringify = () => "[[[";""",
    "another answer": _LEAFLET_ALONE % """JSON.stringify = () => ({length: 5});""",
    "hooks taken away": _LEAFLET_ALONE
    % """__screenmark.maps.length = 0; __screenmark.maps.push(null, 5, {kind: "leaflet", map: null});
window.mine = map; L.marker([1, 2]).addTo(map);""",
}
