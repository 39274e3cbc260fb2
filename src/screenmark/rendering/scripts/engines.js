// Remembers every map that the page makes, whoever holds it, so that others can ask them:
//   __screenmark.maps          [{kind, map}], in order of making; kind is leaflet, maplibre,
//                              mapbox, openlayers, deck or cesium
//   __screenmark.onLibrary(name, use)   calls use(library) as soon as window[name] is set,
//                              before the page's next statement; what use returns, if anything,
//                              takes the library's place
//   __screenmark.problems      what went wrong in hooks, as text
(() => {
  const own = window.__screenmark;
  own.maps = [];
  own.plotting = 0;
  own.problems = [];
  const waiting = new Map();

  const told = (name, value) => {
    for (const use of waiting.get(name)) {
      try {
        value = use(value) ?? value;
      } catch (error) {
        own.problems.push(`${name}: ${error}`);
      }
    }
    return value;
  };

  own.onLibrary = (name, use) => {
    if (waiting.has(name)) {
      waiting.get(name).push(use);
      return;
    }
    waiting.set(name, [use]);
    let held = window[name];
    try {
      Object.defineProperty(window, name, {
        configurable: true,
        enumerable: true,
        get: () => held,
        set: (value) => { held = value && typeof value !== "string" ? told(name, value) : value; },
      });
    } catch (error) {
      own.problems.push(`${name}: ${error}`);
    }
  };

  const remember = (library, name, kind) => {
    const Original = library[name];
    if (typeof Original !== "function" || Original.__screenmark) return library;
    const Wrapped = new Proxy(Original, {
      construct: (target, args, newTarget) => {
        const map = Reflect.construct(target, args, newTarget === Wrapped ? target : newTarget);
        own.maps.push({ kind, map });
        return map;
      },
      get: (target, key) => (key === "__screenmark" ? true : Reflect.get(target, key)),
    });
    try { library[name] = Wrapped; } catch { /* a frozen namespace */ }
    if (library[name] === Wrapped) return library;
    return Object.create(library, { [name]: { value: Wrapped, writable: true, enumerable: true } });
  };

  // Calls that draw give a promise, kept when the drawing is done with all its data.
  const count = (library, name) => {
    const original = library[name];
    if (typeof original !== "function") return library;
    const counted = function (...args) {
      const drawn = original.apply(this, args);
      if (typeof drawn?.then === "function") {
        own.plotting += 1;
        const done = () => { own.plotting -= 1; };
        drawn.then(done, done);
      }
      return drawn;
    };
    try { library[name] = counted; } catch { /* a frozen namespace */ }
    if (library[name] === counted) return library;
    return Object.create(library, { [name]: { value: counted, writable: true, enumerable: true } });
  };
  own.onLibrary("Plotly", (library) =>
    ["newPlot", "react", "update", "relayout", "restyle", "addTraces"].reduce(count, library));

  own.onLibrary("L", (L) => {
    if (!L.Map || !L.Map.addInitHook || L.Map.__screenmark) return;
    L.Map.__screenmark = true;
    // As for people who asked for less motion: the last picture is the same, and comes sooner.
    L.Map.mergeOptions({ fadeAnimation: false, zoomAnimation: false });
    L.Map.addInitHook(function () { own.maps.push({ kind: "leaflet", map: this }); });
  });
  own.onLibrary("maplibregl", (library) => remember(library, "Map", "maplibre"));
  own.onLibrary("mapboxgl", (library) => remember(library, "Map", "mapbox"));
  own.onLibrary("ol", (library) => remember(library, "Map", "openlayers"));
  own.onLibrary("deck", (library) =>
    ["Deck", "DeckGL", "MapboxOverlay", "GoogleMapsOverlay"]
      .reduce((found, name) => remember(found, name, "deck"), library));
  // Pages of pydeck have no library but a function that makes their map.
  own.onLibrary("createDeck", (make) => (...args) => {
    const map = make(...args);
    if (map) own.maps.push({ kind: "deck", map });
    return map;
  });
  own.onLibrary("Cesium", (library) =>
    remember(remember(library, "Viewer", "cesium"), "CesiumWidget", "cesium"));
})();
