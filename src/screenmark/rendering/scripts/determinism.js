// The same page gives the same picture on any day: random numbers start from one seed, and the
// clock starts at one moment and then runs as usual. Windows are not opened, only noted, and
// connections that no route table sees are taken away.
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
  const here = ["", "_self", "_parent", "_top"];
  const opens = (link) => {
    const target = (link.target || document.querySelector("base[target]")?.target || "");
    if (here.includes(target.toLowerCase()) || window.frames[target]) return false;
    if (popups.length < 1000) popups.push(String(link.href ?? link.action ?? ""));
    return true;
  };
  const refuse = (event) => {
    const link = event.composedPath().find((node) => node.matches?.("a[href], area[href], form"));
    const matters = link && (event.type === "submit") === link.matches("form");
    if (matters && opens(link)) event.preventDefault();
  };
  for (const type of ["click", "auxclick", "submit"]) addEventListener(type, refuse, true);
  // Links that are not in the page tell no listener.
  const click = HTMLElement.prototype.click;
  HTMLAnchorElement.prototype.click = function () {
    if (this.isConnected || !opens(this)) click.call(this);
  };
  const submit = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function () {
    if (!opens(this)) submit.call(this);
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
