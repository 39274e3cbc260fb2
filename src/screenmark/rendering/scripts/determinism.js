// The same page gives the same picture on any day: random numbers start from one seed, and the
// clock starts at one moment and then runs as usual. Connections that no route table sees are
// taken away.
(() => {
  const start = Date.UTC(2026, 0, 15, 12, 0, 0);
  const Real = Date;
  const shift = start - Real.now();
  const now = () => Real.now() + shift;
  const Shifted = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length ? args : [now()], newTarget),
    apply: () => new Real(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
  Real.prototype.constructor = Shifted;
  window.Date = Shifted;

  let state = 0x2545f491;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  const popups = [];
  window.open = (url) => {
    if (popups.length < 1000) popups.push(String(url ?? ""));
    return null;
  };
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
    "WebTransport", "SharedWorker"]) {
    try { delete window[name]; } catch { window[name] = undefined; }
  }
  Object.defineProperty(window, "__screenmark", {
    value: { popups },
    enumerable: false, configurable: false, writable: false,
  });
})();
