// What stands around and on a map: titles, legends, labels, as they are seen.
const furniture = { titles: [], legends: [], labels: [] };

const visible = (element) => {
  const box = element.getBoundingClientRect();
  if (box.width < 3 || box.height < 3 || box.bottom <= 0 || box.right <= 0) return false;
  if (box.top >= innerHeight || box.left >= innerWidth) return false;
  const style = getComputedStyle(element);
  return style.visibility !== "hidden" && style.display !== "none" && Number(style.opacity) > 0.05;
};

const some = (selector, most = 2000) => {
  const found = [];
  for (const element of document.querySelectorAll(selector)) {
    if (found.length >= most) break;
    if (visible(element)) found.push(element);
  }
  return found;
};

// Bokeh writes on a canvas in a shadow tree, but its models can be asked.
const bokehWords = () => {
  const look = (model, depth) => {
    if (!model || depth > 5) return;
    furniture.titles.push(plain(typeof model.title === "string" ? model.title : model.title?.text));
    const around = ["above", "below", "left", "right", "center"].flatMap((side) => list(model[side]));
    for (const part of around) {
      if (/ColorBar|Legend/.test(part?.type)) {
        const words = list(part.items).map((item) => plain(item?.label?.value)).join(" ");
        furniture.legends.push(plain(part.title) || words.trim() || "legend");
      }
    }
    for (const child of list(model.children)) look(Array.isArray(child) ? child[0] : child, depth + 1);
  };
  for (const sheet of list(window.Bokeh?.documents)) {
    for (const root of list(sheet.roots?.() ?? sheet._roots)) look(root, 0);
  }
};

const readFurniture = () => {
  const aside = ".leaflet-control, .maplibregl-ctrl, .mapboxgl-ctrl, .ol-control, .leaflet-popup," +
    " .leaflet-tooltip, .leaflet-marker-pane, button, select, option, [class*='legend' i]";
  const isTitle = "h1, h2, h3, h4, caption, figcaption, .gtitle, [class~='title' i]," +
    " [class*='map-title' i], [id*='title' i], [class~='role-title']";
  for (const element of some(isTitle, 40)) {
    if (!element.closest("[class*='legend' i], [id*='legend' i], .colorbar")) {
      furniture.titles.push(plain(element));
    }
  }
  // Large or bold words at the top are a title too, whatever element they are in.
  for (const element of some("body *", 3000)) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim().length > 3);
    const box = element.getBoundingClientRect();
    if (!own || box.top > innerHeight * 0.2 || element.closest(aside)) continue;
    if (/^(script|style|noscript)$/i.test(element.tagName)) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    if (size >= 17 || (size >= 14 && Number(style.fontWeight) >= 600)) {
      furniture.titles.push(plain(element));
    }
  }

  const named = "[class*='legend' i]:not(html):not(body), [id*='legend' i], .colorbar, .colormap";
  for (const element of some(named, 40)) {
    if (!element.closest(".plotly-graph-div")) furniture.legends.push(plain(element) || "legend");
  }
  // Or a box in which small patches of colour stand before words.
  const boxes = new Map();
  for (const element of some("i, span, div, td, li, svg rect, svg circle", 3000)) {
    const box = element.getBoundingClientRect();
    if (box.width < 6 || box.width > 48 || box.height < 3 || box.height > 32) continue;
    if (element.closest(".leaflet-pane, .maplibregl-canvas-container, .plotly-graph-div")) continue;
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.backgroundColor;
    if (plain(element) || !ink || /transparent|none|^rgba\(.*, 0\)$/.test(ink)) continue;
    for (let up = element.parentElement, i = 0; up && i < 3; up = up.parentElement, i += 1) {
      if (!boxes.has(up)) boxes.set(up, new Set());
      boxes.get(up).add(ink);
    }
  }
  for (const [box, inks] of boxes) {
    const words = plain(box);
    const area = box.getBoundingClientRect();
    const small = area.width * area.height < 0.25 * innerWidth * innerHeight;
    if (inks.size >= 2 && words.length > 2 && words.length < 600 && small) {
      furniture.legends.push(words);
    }
  }

  const labels = ".leaflet-tooltip, .leaflet-popup-content, .leaflet-div-icon, svg text," +
    " .maplibregl-popup-content, .mapboxgl-popup-content, .maplibregl-marker, .ol-overlay-container";
  for (const element of some(labels, limits.labels)) furniture.labels.push(plain(element));

  try {
    bokehWords();
  } catch { /* another version of Bokeh */ }

  const once = (texts, most) => [...new Set(texts.filter(Boolean))].slice(0, most);
  return {
    titles: once(furniture.titles, 20),
    legends: once(furniture.legends, 20),
    labels: once(furniture.labels, limits.labels),
    text: plain(document.body, limits.page_text),
  };
};
