// What all readers of maps share: limits, texts, colours, shapes, and the list that features go
// into. The pieces of this folder that begin with maps_ are joined into one function of `limits`.
class Full extends Error {}

const began = performance.now();
const notes = [];
const note = (text) => {
  const line = String(text).slice(0, limits.text);
  if (notes.length < limits.notes && !notes.includes(line)) notes.push(line);
};

// Anything to plain text: HTML loses its tags, elements give what they show.
const plain = (value, most = limits.text) => {
  try {
    if (value === null || value === undefined || typeof value === "function") return "";
    if (value instanceof Node) {
      const copy = value.querySelector?.("button") ? value.cloneNode(true) : value;
      if (copy !== value) for (const button of copy.querySelectorAll("button")) button.remove();
      value = copy.innerText || copy.textContent || "";
    } else if (typeof value === "object") {
      return "";
    }
    value = String(value).slice(0, 8 * most);
    if (/[<&]/.test(value)) {
      const broken = value.replace(/<\/?(br|div|p|tr|td|li|h\d)\b[^>]*>/gi, " $& ");
      value = new DOMParser().parseFromString(broken, "text/html").body.textContent;
    }
    return value.replace(/\s+/g, " ").trim().slice(0, most);
  } catch {
    return "";
  }
};

const number = (value) => {
  const found = typeof value === "number" || typeof value === "string" ? Number(value) : NaN;
  return value !== "" && Number.isFinite(found) ? found : null;
};

const colour = (value) => (typeof value === "string" ? value.slice(0, 60) : "");

// Properties that are numbers, truth values or short texts; whatever else hangs there is not read.
const properties = (source) => {
  const found = {};
  try {
    let left = limits.properties;
    for (const key in source) {
      if (left-- <= 0) break;
      const value = source[key];
      if (typeof value === "number" && Number.isFinite(value)) found[key.slice(0, 60)] = value;
      else if (typeof value === "boolean") found[key.slice(0, 60)] = value;
      else if (typeof value === "string") found[key.slice(0, 60)] = plain(value);
    }
  } catch { /* a getter that throws */ }
  return found;
};

const list = (value) => {
  if (value === null || value === undefined || typeof value === "string") return [];
  return Array.isArray(value) || ArrayBuffer.isView(value) ? value : [value];
};

// Features go here until a limit is reached; then Full ends the reading.
const taken = { features: 0, vertices: 0, odd: 0 };
const check = () => {
  if (performance.now() - began > limits.milliseconds) {
    note(`stopped after ${limits.milliseconds} ms; what follows is left out`);
    throw new Full();
  }
};

const point = (position) => {
  const x = number(position[0]);
  const y = number(position[1]);
  if (x === null || y === null) throw new RangeError("a coordinate is not a number");
  taken.vertices += 1;
  if (taken.vertices > limits.vertices) {
    note(`more than ${limits.vertices} vertices; what follows is left out`);
    throw new Full();
  }
  if (taken.vertices % 5000 === 0) check();
  return [x, y];
};
const points = (positions) => Array.from(list(positions), point);
const DEPTHS = {
  Point: point,
  MultiPoint: points,
  LineString: points,
  MultiLineString: (lines) => list(lines).map(points),
  Polygon: (rings) => list(rings).map(points),
  MultiPolygon: (parts) => list(parts).map((rings) => list(rings).map(points)),
};

// A clean copy of a GeoJSON geometry; a collection gives its parts.
const shapes = (geometry, depth = 0) => {
  if (!geometry || typeof geometry !== "object") return [];
  if (geometry.type === "GeometryCollection") {
    if (depth > 3) return [];
    return list(geometry.geometries).flatMap((part) => shapes(part, depth + 1));
  }
  const read = DEPTHS[geometry.type];
  return read ? [{ type: geometry.type, coordinates: read(geometry.coordinates) }] : [];
};

class Sink {
  constructor(engine) {
    this.map = { engine, views: [], layers: [], features: [] };
    this.index = new Map();
  }

  // The number of a layer; the first mention of a key makes it.
  layer(key, about) {
    if (!this.index.has(key)) {
      if (this.index.size >= limits.layers) return this.index.size - 1;
      this.index.set(key, this.map.layers.length);
      this.map.layers.push({ name: plain(about.name, 80), kind: about.kind ?? "" });
    }
    return this.index.get(key);
  }

  // One feature; without a shape of its own if `geometry` is null.
  add(layer, kind, geometry, about = {}) {
    if (taken.features % 200 === 0) check();
    let parts = [null];
    if (geometry) {
      try {
        parts = shapes(geometry);
      } catch (error) {
        if (error instanceof Full) throw error;
        taken.odd += 1;
        return;
      }
    }
    for (const part of parts) {
      if (taken.features >= limits.features) {
        note(`more than ${limits.features} features; what follows is left out`);
        throw new Full();
      }
      taken.features += 1;
      const feature = { layer, kind };
      if (part) feature.geometry = part;
      for (const [name, value] of Object.entries(about)) {
        if (value !== null && value !== undefined && value !== "") feature[name] = value;
      }
      this.map.features.push(feature);
    }
  }

  view(about) {
    const box = list(about.bbox).map(number);
    const view = { ...about, bbox: box.length === 4 && !box.includes(null) ? box : null };
    if (this.map.views.length < 20) this.map.views.push(view);
  }

  // Features of a GeoJSON object.
  geojson(data, layer, kind, describe = () => ({})) {
    const features = data?.type === "FeatureCollection" ? list(data.features) : [data];
    for (const item of features) {
      const wrapped = item?.type === "Feature" ? item : { geometry: item, properties: {} };
      this.add(layer, kind, wrapped.geometry, {
        properties: properties(wrapped.properties),
        ...describe(wrapped),
      });
    }
  }
}

const engines = {};
