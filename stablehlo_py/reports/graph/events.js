"use strict";
// Pointer, wheel and keyboard of a view.

function listenTo(view) {
  const { canvas, part, model } = view;
  const itemAt = target => { const id = target.closest(".item")?.dataset.id; return id === undefined ? null : model.items[id]; };
  let grip = null;
  canvas.addEventListener("pointerdown", event => { grip = { x: event.clientX, y: event.clientY, moved: false, target: event.target }; });
  canvas.addEventListener("pointermove", event => {
    if (!grip) return;
    const dx = event.clientX - grip.x, dy = event.clientY - grip.y;
    if (!grip.moved && Math.hypot(dx, dy) < 4) return;
    if (!grip.moved) canvas.setPointerCapture(event.pointerId);
    grip = { ...grip, x: event.clientX, y: event.clientY, moved: true };
    canvas.classList.add("moving");
    view.view.x += dx; view.view.y += dy; view.apply();
  });
  canvas.addEventListener("pointerup", () => {
    if (grip && !grip.moved) view.select(itemAt(grip.target), false);
    grip = null; canvas.classList.remove("moving");
  });
  canvas.addEventListener("dblclick", event => { const item = itemAt(event.target); if (item) view.toggle(item); });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect();
    view.zoom(Math.exp(-event.deltaY / 400), event.clientX - left, event.clientY - top);
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (steps && event.shiftKey) { view.step(event.key); event.preventDefault(); }
    else if (steps) { view.view.x += steps[0]; view.view.y += steps[1]; view.apply(); event.preventDefault(); }
    const middle = () => { const { width, height } = canvas.getBoundingClientRect(); return [width / 2, height / 2]; };
    if (event.key === "+" || event.key === "-") view.zoom(event.key === "+" ? 1.25 : 0.8, ...middle());
    if (event.key === "Enter" && view.selected) view.toggle(view.selected);
    if (event.key === "Escape") view.select(null, false);
    if (event.key === "/") { part("search").focus(); event.preventDefault(); }
  });
  part("search").addEventListener("input", event => view.search(event.target.value));
  part("search").addEventListener("keydown", event => { if (event.key === "Enter") view.next(event.shiftKey ? -1 : 1); });
  part("constants").addEventListener("change", () => { view.forget(); view.draw(); });
  part("colour").addEventListener("change", () => { view.colours.legend(); view.render(); });
  for (const [name, state] of [["expand", true], ["collapse", false]])
    part(name).addEventListener("click", () => { for (const root of model.roots) view.setOpen(root, state, true); view.draw(); });
  for (const [name, factor] of [["in", 1.25], ["out", 0.8]])
    part(name).addEventListener("click", () => { const { width, height } = canvas.getBoundingClientRect(); view.zoom(factor, width / 2, height / 2); });
  part("fit").addEventListener("click", () => view.fit());
}
