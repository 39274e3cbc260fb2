// Lists the visible elements of a page in document order; evaluated in the page by Playwright.
// Each is {type, description, box: [x1, y1, x2, y2]} in CSS pixels, clipped to what is visible.
() => {
  const CONTROLS = "a[href], button, input, select, textarea";
  const INPUT_TYPES = { checkbox: "checkbox", radio: "radio", range: "slider" };
  const MIN_VISIBLE = 0.6;
  const PROBES = [[0.5, 0.5], [0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]];
  const elements = [];
  const blocks = new Map();

  const squeeze = (text) => (text || "").replace(/\s+/g, " ").trim();

  const typeOf = (control) => {
    const tag = control.tagName.toLowerCase();
    if (tag === "a") return "link";
    return tag === "input" ? INPUT_TYPES[control.type] || "input" : tag;
  };

  const nameOf = (control) => {
    const label = control.labels && control.labels[0];
    const option = control.selectedOptions && control.selectedOptions[0];
    const text = control.matches("a, button") ? control.innerText : "";
    return [
      control.getAttribute("aria-label"), label && label.innerText, text,
      control.placeholder, option && option.text, control.value, control.title,
    ].map(squeeze).find(Boolean) || "";
  };

  // The box that layout would give, cut where the viewport or a scrolling ancestor cuts it.
  const clip = (box, element) => {
    let [x1, y1, x2, y2] = box;
    const cut = (left, top, right, bottom) => {
      [x1, y1] = [Math.max(x1, left), Math.max(y1, top)];
      [x2, y2] = [Math.min(x2, right), Math.min(y2, bottom)];
    };
    cut(0, 0, innerWidth, innerHeight);
    for (let node = element; node && node !== document.body; node = node.parentElement) {
      if (getComputedStyle(node).overflow !== "visible" && !(node instanceof SVGElement)) {
        const rect = node.getBoundingClientRect();
        cut(rect.left, rect.top, rect.right, rect.bottom);
      }
    }
    return [x1, y1, x2, y2];
  };

  const area = ([x1, y1, x2, y2]) => Math.max(0, x2 - x1) * Math.max(0, y2 - y1);

  // True where most probe points reach the element, that is, nothing covers it. Text that does not
  // fill its block may be hit through an ancestor.
  const isUncovered = ([x1, y1, x2, y2], element, acceptAncestors) => {
    const hits = PROBES.filter(([fx, fy]) => {
      const hit = document.elementFromPoint(x1 + fx * (x2 - x1), y1 + fy * (y2 - y1));
      return hit && (element.contains(hit) || (acceptAncestors && hit.contains(element)));
    });
    return hits.length * 2 > PROBES.length;
  };

  const add = (type, description, box, element) => {
    const visible = clip(box, element);
    const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!shown || !area(box) || area(visible) < MIN_VISIBLE * area(box)) return;
    if (!isUncovered(visible, element, type === "text" || type === "heading")) return;
    elements.push({ type, description, box: visible });
  };

  const boxOf = (element) => {
    const rect = element.getBoundingClientRect();
    return [rect.left, rect.top, rect.right, rect.bottom];
  };

  const blockOf = (text) => {
    let block = text.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    return block;
  };

  // A run of text is one element however many inline tags and lines it has.
  const addText = (block, texts) => {
    const range = document.createRange();
    const rects = texts.flatMap((text) => {
      range.selectNodeContents(text);
      return [...range.getClientRects()].filter((rect) => rect.width);
    });
    const box = [
      Math.min(...rects.map((rect) => rect.left)), Math.min(...rects.map((rect) => rect.top)),
      Math.max(...rects.map((rect) => rect.right)), Math.max(...rects.map((rect) => rect.bottom)),
    ];
    const type = block.closest("h1, h2, h3, h4, h5, h6") ? "heading" : "text";
    add(type, squeeze(texts.map((text) => text.data).join("")), box, block);
  };

  const collect = (node) => {
    if (node.nodeType === Node.TEXT_NODE && squeeze(node.data)) {
      const block = blockOf(node);
      if (!blocks.has(block)) blocks.set(block, []);
      blocks.get(block).push(node);
      return [{ block, isText: true }];
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return [];
    if (node.matches(CONTROLS) || node.tagName === "svg") return [{ node }];
    return [...node.childNodes].flatMap(collect);
  };

  const done = new Set();
  for (const { node, block, isText } of collect(document.body)) {
    if (isText) {
      if (!done.has(block)) addText(block, blocks.get(block));
      done.add(block);
    } else if (node.tagName === "svg") {
      add(node.dataset.type || "icon", squeeze(node.getAttribute("aria-label")), boxOf(node), node);
    } else {
      add(typeOf(node), nameOf(node), boxOf(node), node);
    }
  }
  return elements;
}
