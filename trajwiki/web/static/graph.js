// Moving about in the graph. Without this it stands still, and its nodes are links all the same.
(() => {
  "use strict";
  const svg = document.getElementById("graph");
  if (!svg) return;
  const all = svg.viewBox.baseVal;
  const whole = { x: all.x, y: all.y, w: all.width, h: all.height };
  let view = { ...whole };

  const show = () => {
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    const box = svg.getBoundingClientRect();
    const unit = Math.max(view.w / box.width, view.h / box.height); // drawing units a pixel
    svg.style.setProperty("--unit", unit.toFixed(3));
    svg.classList.toggle("near", unit < 0.75);
    svg.classList.toggle("far", box.width < 700 && view.w > whole.w * 0.6); // a phone has no room for the labels
  };
  const zoom = (factor, px, py) => {
    const w = Math.min(Math.max(view.w * factor, whole.w / 40), whole.w * 1.5);
    const k = w / view.w;
    view = { x: px - (px - view.x) * k, y: py - (py - view.y) * k, w, h: view.h * k };
    show();
  };
  const place = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };

  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...place(event));
  }, { passive: false });

  let held = null;
  let moved = false;
  svg.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; moved = false; });
  addEventListener("pointermove", (event) => {
    if (!held) return;
    const unit = 1 / svg.getScreenCTM().a;
    const dx = event.clientX - held[0];
    const dy = event.clientY - held[1];
    if (Math.abs(dx) + Math.abs(dy) < 4 && !moved) return;
    moved = true;
    view.x -= dx * unit;
    view.y -= dy * unit;
    held = [event.clientX, event.clientY];
    show();
  });
  addEventListener("pointerup", () => { held = null; });
  svg.addEventListener("click", (event) => { if (moved) event.preventDefault(); });
  svg.addEventListener("dragstart", (event) => event.preventDefault());

  const near = new Map();
  const add = (a, b, line) => { if (!near.has(a)) near.set(a, []); near.get(a).push([b, line]); };
  svg.querySelectorAll("line").forEach((line) => {
    add(line.dataset.a, line.dataset.b, line);
    add(line.dataset.b, line.dataset.a, line);
  });
  const nodes = new Map([...svg.querySelectorAll(".node")].map((n) => [n.dataset.n, n]));
  let lit = [];
  const light = (node) => {
    lit.forEach((e) => e.classList.remove("lit"));
    lit = [];
    svg.classList.toggle("lighting", Boolean(node));
    if (!node) return;
    lit.push(node);
    (near.get(node.dataset.n) || []).forEach(([other, line]) => { lit.push(nodes.get(other), line); });
    lit.forEach((e) => e.classList.add("lit"));
  };
  svg.addEventListener("pointerover", (event) => light(event.target.closest(".node")));
  svg.addEventListener("pointerleave", () => light(null));

  const buttons = document.querySelector(".zoom");
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const act = event.target.dataset.zoom;
    const middle = [view.x + view.w / 2, view.y + view.h / 2];
    if (act === "in") zoom(1 / 1.4, ...middle);
    if (act === "out") zoom(1.4, ...middle);
    if (act === "fit") { view = { ...whole }; show(); }
  });
  show();
})();
