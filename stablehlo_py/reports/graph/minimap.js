"use strict";
// The whole graph, small, with the part that the window shows; a click or drag moves there.

const MAP_WIDTH = 180, MAP_HEIGHT = 150, MAP_BOXES = 3000;

class Minimap {
  constructor(view) {
    this.view = view; this.root = view.part("map");
    this.boxes = element("g", {}, this.root);
    this.window = element("rect", { class: "window" }, this.root);
    const move = event => {
      if (!event.buttons) return;
      const { left, top, width, height } = this.root.getBoundingClientRect(), { w, h } = view.whole;
      view.moveTo((event.clientX - left) / width * w, (event.clientY - top) / height * h);
    };
    this.root.addEventListener("pointerdown", event => { this.root.setPointerCapture(event.pointerId); move(event); });
    this.root.addEventListener("pointermove", move);
  }

  // Boxes by how deep they are, each depth in one path; of too many, the outer ones.
  draw() {
    const { w, h } = this.view.whole, scale = Math.min(MAP_WIDTH / w, MAP_HEIGHT / h);
    this.root.setAttribute("viewBox", `0 0 ${w} ${h}`);
    this.root.setAttribute("width", Math.max(24, w * scale)); this.root.setAttribute("height", Math.max(24, h * scale));
    this.root.setAttribute("preserveAspectRatio", "none");
    const paths = [];
    let layer = this.view.drawn, count = 0;
    for (; layer.length && count < MAP_BOXES; layer = layer.flatMap(box => box.inner)) {
      count += layer.length;
      paths.push(element("path", { d: layer.map(outline).join(""), class: layer.some(box => box.inner.length) ? "outer" : "" }));
    }
    this.boxes.replaceChildren(...paths);
  }

  move() {
    const { width, height } = this.view.canvas.getBoundingClientRect(), { x, y, scale } = this.view.view, { w, h } = this.view.whole;
    const place = { x: -x / scale, y: -y / scale, width: width / scale, height: height / scale };
    for (const [name, value] of Object.entries(place)) this.window.setAttribute(name, value);
    this.root.classList.toggle("whole", place.x <= 0 && place.y <= 0 && place.x + place.width >= w && place.y + place.height >= h);
  }
}
