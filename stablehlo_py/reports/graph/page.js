"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const PAD = 12, TITLE = 24, LINE = 15, OPEN_AT_FIRST = 400;

// The items by id, with their parents; `shown` says which are drawn, `boxes` where.
const items = [], parent = [];
const boxes = new Map();
const open = new Set();
let selected = null, matches = [], match = -1, view = { x: 0, y: 0, scale: 1 };

function enter(item, above) {
  items[item.id] = item; parent[item.id] = above;
  for (const inner of item.items) enter(inner, item);
}
data.functions.forEach(item => enter(item, null));
const functions = new Map(data.functions.map(item => [item.title.replace(/^@/, ""), item]));
const incoming = items.map(() => []), outgoing = items.map(() => []);
for (const [from, to, name] of data.edges) { incoming[to].push([from, name]); outgoing[from].push([to, name]); }

function openAtFirst() {
  const main = functions.get("main") ?? data.functions[0];
  const roots = items.length <= OPEN_AT_FIRST ? data.functions : main ? [main] : [];
  for (const root of roots) setOpen(root, true, items.length <= OPEN_AT_FIRST);
}

function setOpen(item, state, deep) {
  if (item.items.length) state ? open.add(item.id) : open.delete(item.id);
  if (deep) for (const inner of item.items) setOpen(inner, state, true);
}

const withConstants = () => $("constants").checked;
const isDrawn = item => item.kind !== "constant" || withConstants() || !outgoing[item.id].length;

// The item that stands for another: itself, or the closed one around it.
function visible(item) {
  let found = item;
  for (let around = parent[item.id]; around; around = parent[around.id]) if (!open.has(around.id)) found = around;
  return found;
}

// Boxes -----------------------------------------------------------------------------------------------

const ruler = document.createElement("canvas").getContext("2d");
function textWidth(text, font) { ruler.font = font; return ruler.measureText(text).width; }
const short = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + "…";

function lines(item) {
  const constants = withConstants() ? [] : incoming[item.id].filter(([from]) => items[from].kind === "constant");
  const values = constants.map(([from]) => items[from].value).filter(Boolean);
  const title = item.value || item.title + (values.length ? `  (${values.join(", ")})` : "");
  const closed = item.items.length && !open.has(item.id) ? ` ▸ ${count(item)}` : "";
  const types = [...new Set(item.results.map(([, type]) => type))];
  return [short(title, 44) + closed, ...(types.length ? [short(types.join(", "), 44)] : [])];
}

function count(item) {
  let ops = 0;
  (function walk(inner) { ops += inner.kind === "op"; inner.items.forEach(walk); })(item);
  return `${ops - (item.kind === "op")} ops`;
}

// Sizes and places of an item and all that it shows, from the inside out; places are relative to the parent.
function place(item) {
  const text = lines(item);
  const width = Math.max(textWidth(text[0], "600 12px system-ui"), ...text.slice(1).map(t => t.length * 6.1));
  const box = { item, text, x: 0, y: 0, w: Math.ceil(width) + 2 * PAD, h: text.length * LINE + 10, inner: [] };
  boxes.set(item.id, box);
  if (!open.has(item.id)) return box;
  box.inner = item.items.filter(isDrawn).map(place);
  const size = item.items.some(inner => inner.kind === "region")
    ? Layout.rows(box.inner, PAD) : Layout.layered(box.inner, edgesInside(item, box.inner));
  const top = TITLE + (text.length - 1) * LINE;
  for (const inner of box.inner) { inner.x += PAD; inner.y += top; }
  box.w = Math.max(box.w, size.w + 2 * PAD); box.h = top + size.h + PAD;
  return box;
}

// The edges between the items that one holds, as places in the list of its boxes.
function edgesInside(item, inner) {
  const index = new Map(inner.map((box, i) => [box.item.id, i]));
  const found = new Set();
  for (const child of item.items) for (const [from] of uses(child)) {
    const start = index.get(childOf(item, items[from])?.id), end = index.get(child.id);
    if (start !== undefined && end !== undefined && start < end) found.add(`${start} ${end}`);
  }
  return [...found].map(text => text.split(" ").map(Number));
}

function uses(item) { return item.items.length ? [...incoming[item.id], ...item.items.flatMap(uses)] : incoming[item.id]; }
function childOf(item, inner) {
  for (let at = inner; at; at = parent[at.id]) if (parent[at.id] === item) return at;
  return null;
}

// Drawing ---------------------------------------------------------------------------------------------

function element(name, attributes, into) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  into?.append(made);
  return made;
}

function draw() {
  boxes.clear();
  const roots = data.functions.filter(isDrawn).map(place);
  Layout.rows(roots, 40);
  const edges = element("g", {}), nodes = element("g", {});
  for (const box of roots) drawBox(box, 0, 0, nodes);
  drawEdges(nodes);
  $("world").replaceChildren(edges, nodes);
  mark();
}

function drawBox(box, left, top, into) {
  const { item, text } = box;
  box.left = left + box.x; box.top = top + box.y;
  const group = element("g", { class: `item ${item.kind}`, "data-id": item.id }, into);
  element("rect", { class: "box", x: box.left, y: box.top, width: box.w, height: box.h }, group);
  text.forEach((words, row) => {
    const attributes = { class: row ? "type" : "title", x: box.left + PAD, y: box.top + 17 + row * LINE };
    element("text", attributes, group).textContent = words;
  });
  if (box.inner.length) element("g", { class: "edges", "data-of": item.id }, into);
  for (const inner of box.inner) drawBox(inner, box.left, box.top, into);
}

// Each edge goes into the layer of the innermost open item that holds both ends, so that boxes cover it.
function drawEdges(root) {
  const layers = new Map([...root.querySelectorAll("g.edges")].map(layer => [Number(layer.dataset.of), layer]));
  const drawn = new Map();
  for (const [from, to, name] of data.edges) {
    if (!isDrawn(items[from])) continue;
    const start = visible(items[from]), end = visible(items[to]);
    if (start === end || !boxes.has(start.id) || !boxes.has(end.id)) continue;
    const key = `${start.id} ${end.id}`;
    const path = drawn.get(key) ?? edge(boxes.get(start.id), boxes.get(end.id), layers.get(around(start, end)));
    if (path && !drawn.has(key)) { drawn.set(key, path); path.dataset.ends = key; }
    if (path) path.firstChild.textContent += (path.firstChild.textContent && ", ") + name;
  }
}

function around(a, b) {
  const above = new Set();
  for (let at = parent[a.id]; at; at = parent[at.id]) above.add(at.id);
  for (let at = parent[b.id]; at; at = parent[at.id]) if (above.has(at.id)) return at.id;
  return -1;
}

function edge(a, b, layer) {
  if (!layer) return null;
  const x1 = a.left + a.w / 2, y1 = a.top + a.h, x2 = b.left + b.w / 2, y2 = b.top;
  const bend = Math.max(20, Math.min(80, Math.abs(y2 - y1) / 2));
  const path = element("path", { class: "edge", d: `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}` }, layer);
  element("title", {}, path);
  return path;
}

// Selection and search --------------------------------------------------------------------------------

function mark() {
  const near = new Set(), chosen = selected && visible(selected).id, found = new Set(matches.map(i => visible(i).id));
  for (const group of document.querySelectorAll(".item")) {
    const id = Number(group.dataset.id);
    group.classList.toggle("selected", id === chosen);
    group.classList.toggle("found", found.has(id));
  }
  for (const path of document.querySelectorAll(".edge")) {
    path.classList.toggle("near", path.dataset.ends.split(" ").some(end => Number(end) === chosen));
  }
}

function select(item, move) {
  selected = item;
  if (item && !isDrawn(item)) $("constants").checked = true;
  let changed = item && !boxes.has(item.id);
  for (let at = item && parent[item.id]; at; at = parent[at.id]) if (!open.has(at.id)) { open.add(at.id); changed = true; }
  changed ? draw() : mark();
  details();
  if (item && move) center(boxes.get(item.id));
}

function details() {
  const panel = $("details");
  panel.hidden = !selected;
  panel.replaceChildren();
  if (!selected) return;
  const item = selected, add = (name, text, into = panel) => {
    const made = document.createElement(name); made.textContent = text; into.append(made); return made;
  };
  add("h2", item.name || item.title);
  const facts = document.createElement("dl"); panel.append(facts);
  const fact = (name, text) => { if (text) { add("dt", name, facts); add("dd", text, facts); } };
  fact("kind", item.name ? "" : item.kind);
  fact("line", item.line ? String(item.line) : "");
  fact("location", item.location);
  for (const [name, type] of item.results) fact("result", `${name} : ${type}`);
  for (const [name, text] of item.attributes) fact(name, text);
  jumps("Operands", incoming[item.id], add);
  jumps("Used by", outgoing[item.id], add);
  jumps("Calls", item.calls.filter(name => functions.has(name)).map(name => [functions.get(name).id, "@" + name]), add);
  definition(data.definitions[item.name], add);
}

function jumps(title, rows, add) {
  if (!rows.length) return;
  add("h3", title);
  const list = add("ul", "");
  for (const [id, name] of rows) {
    const button = add("button", `${name}  ${items[id].title}`, add("li", "", list));
    button.className = "jump"; button.onclick = () => select(items[id], true);
  }
}

function definition(found, add) {
  if (!found) return;
  add("h3", "Definition"); add("p", found.doc);
  if (found.specification) {
    const link = add("a", "In the specification"); link.href = found.specification; link.target = "_blank"; link.rel = "noopener";
  }
  if (!found.constraints.length) return;
  add("h3", "Constraints");
  const list = add("ul", "");
  for (const [label, formula] of found.constraints) add("li", `${label}  ${formula}`, list);
}

function text(item) {
  return [item.title, item.name, item.location, ...item.results.flat(), ...item.attributes.flat()].join(" ").toLowerCase();
}

function search(words) {
  const wanted = words.trim().toLowerCase();
  matches = wanted ? items.filter(item => text(item).includes(wanted)) : [];
  match = -1;
  $("found").textContent = wanted ? `${matches.length} found` : "";
  mark();
}

function next(step) {
  if (!matches.length) return;
  match = (match + step + matches.length) % matches.length;
  $("found").textContent = `${match + 1} of ${matches.length}`;
  select(matches[match], true);
}

// Moving and zooming ----------------------------------------------------------------------------------

function apply() { $("world").setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`); }

function zoom(factor, x, y) {
  const scale = Math.max(0.01, Math.min(4, view.scale * factor)), ratio = scale / view.scale;
  view = { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio };
  apply();
}

function center(box) {
  const { width, height } = $("canvas").getBoundingClientRect();
  view.scale = Math.max(view.scale, 0.6);
  view.x = width / 2 - (box.left + box.w / 2) * view.scale;
  view.y = height / 2 - (box.top + Math.min(box.h, height / view.scale) / 2) * view.scale;
  apply();
}

function fit(least) {
  const { width, height } = $("canvas").getBoundingClientRect(), all = $("world").getBBox();
  view.scale = Math.max(least, Math.min(1.2, width / (all.width + 40), height / (all.height + 40)));
  view.x = Math.max(20, (width - all.width * view.scale) / 2) - all.x * view.scale;
  view.y = 20 - all.y * view.scale;
  apply();
}

// Events ----------------------------------------------------------------------------------------------

const canvas = $("canvas");
let grip = null;
canvas.addEventListener("pointerdown", event => { grip = { x: event.clientX, y: event.clientY, moved: false, target: event.target }; });
canvas.addEventListener("pointermove", event => {
  if (!grip) return;
  const dx = event.clientX - grip.x, dy = event.clientY - grip.y;
  if (!grip.moved && Math.hypot(dx, dy) < 4) return;
  if (!grip.moved) canvas.setPointerCapture(event.pointerId);
  grip = { ...grip, x: event.clientX, y: event.clientY, moved: true };
  canvas.classList.add("moving");
  view.x += dx; view.y += dy; apply();
});
canvas.addEventListener("pointerup", () => {
  const id = grip && !grip.moved && grip.target.closest(".item")?.dataset.id;
  if (grip && !grip.moved) select(id ? items[id] : null, false);
  grip = null; canvas.classList.remove("moving");
});
canvas.addEventListener("dblclick", event => {
  const id = event.target.closest(".item")?.dataset.id;
  if (id && items[id].items.length) { setOpen(items[id], !open.has(Number(id)), false); draw(); }
});
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const { left, top } = canvas.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY / 400), event.clientX - left, event.clientY - top);
}, { passive: false });
canvas.addEventListener("keydown", event => {
  const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
  if (steps) { view.x += steps[0]; view.y += steps[1]; apply(); event.preventDefault(); }
  if (event.key === "Enter" && selected?.items.length) { setOpen(selected, !open.has(selected.id), false); draw(); }
  if (event.key === "Escape") select(null, false);
});
$("search").addEventListener("input", event => search(event.target.value));
$("search").addEventListener("keydown", event => { if (event.key === "Enter") next(event.shiftKey ? -1 : 1); });
$("constants").addEventListener("change", draw);
$("expand").addEventListener("click", () => { data.functions.forEach(item => setOpen(item, true, true)); draw(); });
$("collapse").addEventListener("click", () => { data.functions.forEach(item => setOpen(item, false, true)); draw(); });
for (const [id, factor] of [["in", 1.25], ["out", 0.8]])
  $(id).addEventListener("click", () => { const { width, height } = canvas.getBoundingClientRect(); zoom(factor, width / 2, height / 2); });
$("fit").addEventListener("click", () => fit(0));

openAtFirst();
draw();
fit(0.35);
