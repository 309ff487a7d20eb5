"use strict";
// Draws a model as boxes and edges. Only what is in and around the window is in the document; where that is too
// much to read, boxes are drawn without text, many in one path.

const SVG = "http://www.w3.org/2000/svg";
const PAD = 12, TITLE = 24, LINE = 15, OPEN_AT_FIRST = 400, DETAILED = 600, EDGES = 800, LEAVING = 100;
const READABLE = 0.85, WEIGHTS = 4, LISTED = 100, BETWEEN = 40, LEGEND = 120;
const ruler = document.createElement("canvas").getContext("2d");
const short = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + "…";
const tail = (text, most) => text.length <= most ? text : "…" + text.slice(1 - most);
const outline = box => `M${box.left | 0} ${box.top | 0}h${box.w | 0}v${box.h | 0}h${-box.w | 0}z`;

const meets = (box, area) => box.left < area.right && box.left + box.w > area.left && box.top < area.bottom && box.top + box.h > area.top;

function element(name, attributes, into) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  into?.append(made);
  return made;
}

function metric(count) {
  const power = count < 1000 ? 0 : Math.min(5, Math.floor(Math.log10(count) / 3));
  return `${(count / 1000 ** power).toPrecision(3).replace(/\.?0+$/, "")} ${"kMGTP"[power - 1] ?? ""}`.trim();
}

class GraphView {
  constructor(root, data) {
    this.part = name => root.querySelector(`[data-part=${name}]`);
    this.model = new GraphModel(data);
    this.canvas = this.part("canvas"); this.world = this.part("world");
    this.open = new Set(); this.boxes = new Map(); this.texts = new Map();
    this.selected = null; this.matches = []; this.match = -1;
    this.view = { x: 0, y: 0, scale: 1 };
    this.colours = new Colours(this); this.map = new Minimap(this);
    listenTo(this);
    const start = this.openAtFirst();
    this.draw();
    this.closeBelow();
    this.begin(start);
  }

  // What is open --------------------------------------------------------------------------------------

  // Opens the first function, of small programs all, and returns the scope that the model is in.
  openAtFirst() {
    const { roots, items } = this.model, isSmall = items.length <= OPEN_AT_FIRST, main = this.main;
    if (isSmall) for (const root of roots) if (root !== main) this.reveal(root, true);
    return main && this.reveal(main, isSmall);
  }

  get main() { return this.model.functions.get("main") ?? this.model.roots[0]; }

  // The width in which text can be read without moving the view.
  get room() { return (this.canvas.getBoundingClientRect().width - LEGEND - 20) / READABLE; }

  // Closes the functions that have no room beside the first one: closed, they may have.
  closeBelow() {
    const [first, ...others] = this.drawn, below = others.filter(box => box.left < first.w && this.open.has(box.item.id));
    for (const box of below) this.setOpen(box.item, false);
    if (below.length) this.draw();
  }

  // Opens an item, and what is alone in it; `deep` opens functions and regions, but no scopes, in it as well.
  reveal(item, deep) {
    this.setOpen(item, true);
    const scopes = item.items.filter(inner => inner.kind === "scope");
    const isAlone = scopes.length === 1 && item.items.every(inner => inner === scopes[0] || !inner.ops || inner.title === "return");
    if (deep) for (const inner of item.items) if (inner.kind !== "scope" && inner.items.length) this.reveal(inner, deep);
    return isAlone ? this.reveal(scopes[0], deep) : item;
  }

  setOpen(item, state, deep = false) {
    if (item.items.length) state ? this.open.add(item.id) : this.open.delete(item.id);
    for (let at = item; at; at = this.model.parent[at.id]) this.boxes.delete(at.id);
    if (deep) for (const inner of item.items) this.setOpen(inner, state, true);
  }

  toggle(item) {
    if (!item.items.length) return;
    this.setOpen(item, !this.open.has(item.id));
    const before = this.boxes.get(item.id) ?? this.lastBox(item);
    this.draw();
    const after = this.boxes.get(item.id);
    if (before && after) { // the corner stays where it is
      this.view.x += (before.left - after.left) * this.view.scale;
      this.view.y += (before.top - after.top) * this.view.scale;
    }
    this.apply(true);
    this.details();
  }

  lastBox(item) { return this.places?.get(item.id); }

  get withConstants() { return this.part("constants").checked; }
  isFolded(item) { return item.kind === "constant" || item.weight; }
  isDrawn(item) { return !this.isFolded(item) || this.withConstants || !this.model.outgoing[item.id].length; }

  // The item that stands for another: itself, or the outermost closed one around it.
  visible(item) {
    let found = this.standing.get(item.id);
    if (found === undefined) {
      const above = this.model.parent[item.id];
      const around = above ? this.visible(above) : null;
      found = !above || (around === above && this.open.has(above.id)) ? item : around;
      this.standing.set(item.id, found);
    }
    return found;
  }

  // Boxes ---------------------------------------------------------------------------------------------

  // The lines of a box: title, types or, of a closed scope, its main ops, and the weights and constants that are folded into an op.
  lines(item) {
    const folded = this.withConstants || item.kind !== "op" ? [] :
      [...new Set(this.model.incoming[item.id].map(([from]) => this.model.items[from]))].filter(from => this.isFolded(from));
    const values = folded.filter(from => from.kind === "constant" && from.value).map(from => from.value);
    const title = (item.value || item.title) + (values.length ? `  (${values.join(", ")})` : "");
    const isClosed = item.items.length && !this.open.has(item.id);
    const closed = isClosed ? ` ▸ ${item.ops - (item.kind === "op")} ops` : "";
    const types = [...new Set(item.results.map(([, type]) => type))];
    const large = folded.filter(from => from.weight || !from.value);
    const rows = large.slice(0, WEIGHTS).map(from => `▪ ${tail(from.value || from.title, 30)} ${short(from.results[0]?.[1].replace(/^tensor<(.*)>$/, "$1") ?? "", 24)}`);
    if (large.length > WEIGHTS) rows.push(`▪ ${large.length - WEIGHTS} more`);
    const inner = isClosed && (item.kind === "scope" || item.kind === "function") ? this.model.contents(item) : [];
    const about = inner.length ? inner.join(", ") : types.join(", ");
    return [short(title, 44) + closed, ...(about ? [short(about, 44)] : []), ...rows];
  }

  text(item) {
    const key = item.items.length ? -1 : item.id;
    if (this.texts.has(key) && key >= 0) return this.texts.get(key);
    const text = this.lines(item);
    ruler.font = "600 12px system-ui";
    const made = [text, Math.ceil(Math.max(ruler.measureText(text[0]).width, ...text.slice(1).map(t => t.length * 6.2)))];
    if (key >= 0) this.texts.set(key, made);
    return made;
  }

  // Sizes and places of an item and all that it shows, from the inside out; places are relative to the parent.
  place(item) {
    const kept = this.boxes.get(item.id);
    if (kept) return kept;
    const [text, width] = this.text(item);
    const box = { item, text, x: 0, y: 0, w: width + 2 * PAD, h: text.length * LINE + 10, inner: [] };
    this.boxes.set(item.id, box);
    if (!this.open.has(item.id)) return box;
    box.inner = item.items.filter(inner => this.isDrawn(inner)).map(inner => this.place(inner));
    const size = item.items.some(inner => inner.kind === "region")
      ? Layout.rows(box.inner, PAD) : Layout.layered(box.inner, this.edgesInside(item, box.inner));
    const top = TITLE + (text.length - 1) * LINE;
    for (const inner of box.inner) { inner.x += PAD; inner.y += top; inner.around = box; }
    box.rows = size.rows ?? [];
    box.rows.forEach((row, at) => { for (const inner of row) inner.row = at; });
    box.w = Math.max(box.w, size.w + 2 * PAD); box.h = top + size.h + PAD;
    return box;
  }

  // The edges between the boxes in an item, as places in their list; those against the order are left out.
  edgesInside(item, inner) {
    const index = new Map(inner.map((box, i) => [box.item.id, i]));
    const found = [];
    for (const [from, ends] of this.model.inside.get(item.id) ?? []) {
      const start = index.get(from);
      for (const to of ends) if (start < index.get(to)) found.push([start, index.get(to)]);
    }
    return found;
  }

  // Drawing -------------------------------------------------------------------------------------------

  draw() {
    this.places = new Map(this.boxes);
    this.standing = new Map();
    const main = this.main, isShown = root => root !== main && this.isDrawn(root);
    const drawn = main ? [main, ...this.model.roots.filter(isShown)].map(root => this.place(root)) : [];
    if (main) Layout.beside(drawn, BETWEEN, this.room);
    this.drawn = drawn;
    for (const box of drawn) this.settle(box, 0, 0);
    this.paths = this.edges();
    this.whole = { w: Math.max(1, ...drawn.map(box => box.left + box.w)), h: Math.max(1, ...drawn.map(box => box.top + box.h)) };
    this.map.draw();
    this.apply(true);
  }

  settle(box, left, top) {
    box.left = left + box.x; box.top = top + box.y;
    for (const inner of box.inner) this.settle(inner, box.left, box.top);
  }

  // The edges between what is drawn, each once, with the names of its values, by the open item around it.
  edges() {
    const found = new Map(), by = new Map();
    const count = this.model.items.length;
    for (const [from, to, name] of this.model.edges) {
      const source = this.model.items[from];
      if (!this.isDrawn(source)) continue;
      const start = this.visible(source), end = this.visible(this.model.items[to]);
      if (start === end) continue;
      const key = start.id * count + end.id, known = found.get(key);
      if (known) { if (known.names.length < 8) known.names.push(name); continue; }
      const [around, out, into] = this.model.meet(start, end) ?? [];
      const a = this.boxes.get(start.id), b = this.boxes.get(end.id);
      if (!around || !a || !b) continue;
      const edge = { a, b, out: this.boxes.get(out.id), into: this.boxes.get(into.id), names: [name], length: Math.abs(a.top - b.top) + Math.abs(a.left - b.left) };
      found.set(key, edge);
      by.has(around.id) ? by.get(around.id).push(edge) : by.set(around.id, [edge]);
    }
    return by;
  }

  // Draws what is in the window, and a window's width around it.
  render() {
    const { width, height } = this.canvas.getBoundingClientRect(), { x, y, scale } = this.view;
    const area = { left: (-x - width) / scale, top: (-y - height) / scale,
                   right: (2 * width - x) / scale, bottom: (2 * height - y) / scale };
    this.area = area; this.areaScale = scale;
    const shown = [];
    const collect = box => { if (meets(box, area)) { shown.push(box); box.inner.forEach(collect); } };
    this.drawn.forEach(collect);
    const group = element("g", {});
    if (shown.length > DETAILED) this.renderCoarse(shown, group, area);
    else for (const box of shown) this.renderBox(box, group, area);
    this.world.replaceChildren(group);
    this.mark();
  }

  renderBox(box, into, area) {
    const { item, text } = box;
    const group = element("g", { class: `item ${item.kind}`, "data-id": item.id }, into);
    const rect = element("rect", { class: "box", x: box.left, y: box.top, width: box.w, height: box.h }, group);
    const fill = this.colours.fill(item);
    if (fill) rect.style.fill = fill;
    text.forEach((words, row) => {
      const attributes = { class: row ? (words.startsWith("▪") ? "type weight" : "type") : "title", x: box.left + PAD, y: box.top + 17 + row * LINE };
      element("text", attributes, group).textContent = words;
    });
    if (!box.inner.length) return;
    const layer = element("g", { class: "edges" }, into);
    for (const edge of this.inArea(item, area)) {
      const path = element("path", { class: edge.b.item.kind === "op" && edge.b.item.sent ? "edge sends" : "edge", d: this.curve(edge), "data-ends": `${edge.a.item.id} ${edge.b.item.id}` }, layer);
      element("title", {}, path).textContent = edge.names.join(", ");
    }
  }

  // The edges in an item that start or end in an area; of very many, the shortest.
  inArea(item, area) {
    const inside = [], leaving = [];
    for (const edge of this.paths.get(item.id) ?? []) {
      const starts = meets(edge.a, area), ends = meets(edge.b, area);
      if (starts && ends) inside.push(edge); else if (starts || ends) leaving.push(edge);
    }
    const shortest = (edges, most) => edges.length <= most ? edges : edges.sort((a, b) => a.length - b.length).slice(0, most);
    return [...shortest(inside, EDGES), ...shortest(leaving, LEAVING)];
  }

  // A path for all boxes of a kind and colour, and one for the edges.
  renderCoarse(shown, into, area) {
    const paths = new Map();
    const edges = [];
    for (const box of shown) {
      const key = `${box.inner.length ? `0${this.model.depth[box.item.id]}`.slice(-2) : 99} ${box.item.kind} ${this.colours.fill(box.item)}`;
      paths.has(key) ? paths.get(key).push(outline(box)) : paths.set(key, [outline(box)]);
      if (box.inner.length && edges.length < EDGES) edges.push(...this.inArea(box.item, area).map(edge => this.curve(edge, true)));
    }
    const leaves = [];
    for (const key of [...paths.keys()].sort()) {
      const [depth, kind, ...fill] = key.split(" ");
      const path = element("path", { class: `item coarse ${kind}`, d: paths.get(key).join("") });
      if (fill.join(" ")) path.style.fill = fill.join(" ");
      depth === "99" ? leaves.push(path) : into.append(path);
    }
    element("path", { class: "edge", d: edges.slice(0, EDGES).join("") }, into);
    into.append(...leaves);
  }

  // Edges between the same two items in their parent are a bundle: they meet below the one and above the other.
  curve(edge, isCoarse = false) {
    const ways = this.ways(edge, isCoarse);
    return ways.slice(1).reduce((path, [x, y], at) => {
      const [fromX, fromY] = ways[at], bend = Math.max(20, Math.min(80, Math.abs(y - fromY) / 2));
      return `${path}${x === fromX ? "L" : `C${fromX | 0},${fromY + bend | 0} ${x | 0},${y - bend | 0} `}${x | 0},${y | 0}`;
    }, `M${ways[0][0] | 0},${ways[0][1] | 0}`);
  }

  // The points on the way of an edge: out of what its start is in, to what its end is in, and into it; from one to
  // the next it passes between the boxes of each row.
  ways({ a, b, out, into }, isCoarse) {
    const bottom = box => [box.left + box.w / 2, box.top + box.h], top = box => [box.left + box.w / 2, box.top];
    const points = [bottom(a)];
    const pass = (around, first, end, x) => isCoarse || points.push(...this.gaps(around.rows.slice(first, end), points.at(-1)[0], x));
    for (let box = a; box !== out; box = box.around) pass(box.around, box.row + 1, Infinity, bottom(out)[0]);
    if (out !== a) points.push(bottom(out));
    if (out.around && out.around === into.around) pass(out.around, out.row + 1, Math.max(into.row, out.row + 1), top(into)[0]);
    if (into !== b) points.push(top(into));
    const within = [];
    for (let box = b; box !== into; box = box.around) within.unshift(box);
    for (const box of within) pass(box.around, 0, box.row, top(b)[0]);
    return [...points, top(b)];
  }

  // Where a line from one x to another passes rows; those outside of what is drawn do not count.
  gaps(rows, from, to) {
    const crossed = rows.filter(row => row.some(box => box.top < this.area.bottom && box.top + box.h > this.area.top));
    return crossed.flatMap((row, at) => {
      from = Layout.free(row, from + (to - from) / (crossed.length - at + 1));
      return [[from, Math.min(...row.map(box => box.top))], [from, Math.max(...row.map(box => box.top + box.h))]];
    });
  }

  // Selection and search ------------------------------------------------------------------------------

  mark() {
    const chosen = this.selected && this.visible(this.selected).id, found = new Set(this.matches.map(i => this.visible(i).id));
    for (const group of this.world.querySelectorAll(".item[data-id]")) {
      const id = Number(group.dataset.id);
      group.classList.toggle("selected", id === chosen);
      group.classList.toggle("found", found.has(id));
    }
    for (const path of this.world.querySelectorAll(".edge[data-ends]"))
      path.classList.toggle("near", path.dataset.ends.split(" ").some(end => Number(end) === chosen));
  }

  select(item, move) {
    this.selected = item;
    let changed = false;
    if (item && !this.isDrawn(item)) { this.part("constants").checked = changed = true; this.forget(); }
    for (let at = item && this.model.parent[item.id]; at; at = this.model.parent[at.id])
      if (!this.open.has(at.id)) { this.setOpen(at, true); changed = true; }
    changed ? this.draw() : this.mark();
    this.details();
    if (item && move) this.center(this.boxes.get(item.id));
  }

  forget() { this.boxes.clear(); this.texts.clear(); }

  details() {
    const panel = this.panel();
    this.part("details").hidden = !this.selected;
    if (this.selected) panel.show(this.selected);
  }

  // The panel beside the graph, emptied.
  panel() {
    const root = this.part("details");
    root.hidden = false;
    root.replaceChildren();
    return new Details(this, root);
  }

  // Finds words, or a regular expression between slashes.
  search(words) {
    const wanted = words.trim(), contains = matcher(wanted);
    this.words ??= this.model.items.map(item => this.model.text(item));
    this.matches = wanted && contains ? this.model.items.filter(item => contains(this.words[item.id])) : [];
    this.match = -1;
    this.part("found").textContent = !contains ? "invalid pattern" : wanted ? `${this.matches.length} found` : "";
    this.mark();
    if (!this.matches.length) return this.details();
    this.panel().list(this.matches.slice(0, LISTED), this.matches.length);
  }

  next(step) {
    if (!this.matches.length) return;
    this.match = (this.match + step + this.matches.length) % this.matches.length;
    this.part("found").textContent = `${this.match + 1} of ${this.matches.length}`;
    this.select(this.matches[this.match], true);
  }

  // Selects what a selected item takes a value from, who uses it, or what is beside it in the same item.
  step(key) {
    const { incoming, outgoing, parent, items, roots } = this.model, item = this.selected;
    if (!item) return this.select(roots[0], true);
    const near = { ArrowUp: incoming, ArrowDown: outgoing }[key]?.[item.id].map(([id]) => items[id]).filter(i => this.isDrawn(i));
    if (near?.length) return this.select(near[0], true);
    if (key === "ArrowUp" && parent[item.id]) return this.select(parent[item.id], true);
    if (key === "ArrowDown" && this.open.has(item.id)) return this.select(item.items.find(i => this.isDrawn(i)) ?? item, true);
    const beside = (parent[item.id]?.items ?? roots).filter(i => this.isDrawn(i));
    const to = beside[beside.indexOf(item) + { ArrowLeft: -1, ArrowRight: 1 }[key]];
    if (to) this.select(to, true);
  }

  // Moving and zooming --------------------------------------------------------------------------------

  apply(changed = false) {
    const { x, y, scale } = this.view;
    this.world.setAttribute("transform", `translate(${x},${y}) scale(${scale})`);
    this.map.move();
    if (changed) return this.render();
    const { width, height } = this.canvas.getBoundingClientRect(), area = this.area;
    const inside = -x / scale >= area.left && -y / scale >= area.top && (width - x) / scale <= area.right && (height - y) / scale <= area.bottom;
    const ratio = scale / this.areaScale;
    if ((inside && ratio < 1.6 && ratio > 0.6) || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.render(); });
  }

  zoom(factor, x, y) {
    const view = this.view, scale = Math.max(0.01, Math.min(4, view.scale * factor)), ratio = scale / view.scale;
    this.view = { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio };
    this.apply();
  }

  center(box) {
    const { width, height } = this.canvas.getBoundingClientRect(), view = this.view;
    view.scale = Math.max(view.scale, 0.6);
    view.x = width / 2 - (box.left + box.w / 2) * view.scale;
    view.y = height / 2 - (box.top + Math.min(box.h, height / view.scale) / 2) * view.scale;
    this.apply();
  }

  // Moves a point of the graph to the middle of the window.
  moveTo(x, y) {
    const { width, height } = this.canvas.getBoundingClientRect(), { scale } = this.view;
    this.view = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
    this.apply();
  }

  fit() {
    const { width, height } = this.canvas.getBoundingClientRect(), { w, h } = this.whole;
    const scale = Math.max(0.01, Math.min(1.2, (width - LEGEND - 20) / w, (height - 40) / h));
    this.view = { scale, x: Math.max(LEGEND, (width - w * scale) / 2), y: 20 };
    this.apply(true);
  }

  // Shows all where its text can be read, else the top of the first function with the functions beside it, else where
  // the model's scope begins.
  begin(start) {
    this.fit();
    const box = start && this.boxes.get(start.id);
    if (this.view.scale >= READABLE || !box) return;
    const { width, height } = this.canvas.getBoundingClientRect(), free = width - LEGEND - 20;
    if (this.whole.w * READABLE <= free) {
      const scale = Math.min(1, free / this.whole.w);
      this.view = { scale, x: Math.max(LEGEND, (width - this.whole.w * scale) / 2), y: 20 };
      return this.apply(true);
    }
    const scale = Math.max(READABLE, Math.min(1, (width - 40) / box.w));
    const near = box.inner.filter(inner => inner.top < height / scale), seen = near.length ? near : [box];
    const middle = seen.reduce((sum, inner) => sum + inner.left + inner.w / 2, 0) / seen.length;
    this.view = { scale, x: width / 2 - middle * scale, y: 20 };
    this.apply(true);
  }
}
