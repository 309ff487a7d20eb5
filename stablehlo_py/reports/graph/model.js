"use strict";
// The items of a graph: ops are grouped by the name scopes of their locations, scope in scope, and what is
// still many by its order, so that each layer can be read at once.

const MOST_LAYERS = 16, MANY = 120, SEGMENT = 24, MAIN_OPS = 3;
const TEXTS = ["title", "name", "value", "location", "scope"], NUMBERS = ["line", "operations", "bytes", "error", "seconds", "sent", "live"];

const cut = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

// Lists of neighbours: scopes, and what is in none.
function runs(items) {
  const found = [];
  for (const item of items) {
    const last = found.at(-1);
    last && (last[0].kind === "scope") === (item.kind === "scope") ? last.push(item) : found.push([item]);
  }
  return found;
}

class GraphModel {
  constructor(data) {
    this.texts = data.texts;
    this.definitions = data.definitions ?? {};
    this.parent = []; this.depth = [];
    this.enter(data.items);
    this.incoming = this.items.map(() => []); this.outgoing = this.items.map(() => []);
    this.edges = [];
    for (let at = 0; at < data.edges.length; at += 3) this.join(data.edges[at], data.edges[at + 1], this.texts[data.edges[at + 2]]);
    const count = this.items.length;
    for (const item of this.items.slice(0, count)) if (item.items.length) this.group(item);
    for (const item of this.items.slice(0, count)) if (item.items.length > MANY) this.split(item);
    for (const item of this.items.slice(count)) if (item.items.length > MANY) this.split(item);
    for (const root of this.roots) { this.settle(root, null, 0); this.sum(root); }
    this.functions = new Map(this.roots.map(item => [item.title.replace(/^@/, ""), item]));
    this.total = {};
    for (const name of ["operations", "bytes", "live"]) this.total[name] = Math.max(0, ...this.roots.map(item => item[name]));
    for (const name of ["seconds", "sent"]) this.total[name] = this.roots.reduce((sum, item) => sum + item[name], 0);
    this.layOutEdges();
  }

  // Items from columns of fields; a column that is left out has no values.
  enter(columns) {
    const texts = this.texts, pairs = row => {
      const found = [];
      for (let at = 0; at < row.length; at += 2) found.push([texts[row[at]], texts[row[at + 1]]]);
      return found;
    };
    this.roots = [];
    this.items = columns.parent.map((above, id) => {
      const item = { id, kind: texts[columns.kind[id]], items: [], weight: Boolean(columns.weight?.[id]) };
      for (const name of TEXTS) item[name] = texts[columns[name]?.[id] ?? 0];
      for (const name of NUMBERS) item[name] = columns[name]?.[id] ?? 0;
      for (const name of ["results", "attributes"]) item[name] = pairs(columns[name]?.[id] || []);
      item.calls = (columns.calls?.[id] || []).map(each => texts[each]);
      return item;
    });
    this.items.forEach((item, id) => (columns.parent[id] < 0 ? this.roots : this.items[columns.parent[id]].items).push(item));
  }

  join(from, to, name) {
    this.edges.push([from, to, name]);
    this.incoming[to].push([from, name]); this.outgoing[from].push([to, name]);
  }

  // Replaces the items of a function or region by those of its top layer.
  group(item) {
    if (item.kind === "op" || !item.items.some(inner => inner.scope)) return;
    const top = { scopes: new Map(), items: [] };
    for (const inner of item.items) {
      let at = top;
      for (const name of inner.scope ? inner.scope.split("/").slice(0, MOST_LAYERS) : []) {
        if (!at.scopes.has(name)) {
          const made = { title: name, scopes: new Map(), items: [] };
          at.scopes.set(name, made); at.items.push(made);
        }
        at = at.scopes.get(name);
      }
      at.items.push(inner);
    }
    item.items = top.items.map(inner => inner.scopes ? this.scope(inner) : inner);
  }

  // An item for a scope: alone with another one, they share an item; of a single op, the op itself.
  scope(node) {
    let title = node.title;
    while (node.items.length === 1 && node.items[0].scopes) { node = node.items[0]; title += `/${node.title}`; }
    const inner = node.items.map(each => each.scopes ? this.scope(each) : each);
    return inner.length === 1 ? inner[0] : this.add("scope", title, inner);
  }

  // Replaces many items by segments, which follow each other in the program; what is folded stays beside them.
  split(item) {
    const staysOut = each => each.kind === "argument" || each.kind === "constant" || each.title === "return";
    const out = item.items.filter(staysOut);
    let inner = item.items.filter(each => !staysOut(each));
    if (inner.length > MANY) inner = this.segments(inner.filter(each => each.kind !== "scope").length > SEGMENT ? runs(inner) : [inner]);
    while (inner.length > MANY) inner = this.segments([inner]);
    const isLast = each => each.title === "return";
    item.items = [...out.filter(each => !isLast(each)), ...inner, ...out.filter(isLast)];
  }

  segments(runs) {
    return runs.flatMap(run => {
      const size = Math.max(SEGMENT, Math.ceil(Math.sqrt(run.length)));
      return run.length <= SEGMENT ? run : cut(run, size).map(part => this.segment(part));
    });
  }

  segment(inner) {
    if (inner.length === 1) return inner[0];
    const [first, last] = [inner[0], inner.at(-1)];
    const lines = [first.first ?? first, last.last ?? last].map(each => each.line);
    const isLines = inner.every(each => each.kind !== "scope") || first.first;
    const made = this.add("scope", isLines && lines[0] ? `lines ${lines.join(" – ")}` : `${first.title} … ${last.title}`, inner);
    if (isLines) [made.first, made.last] = [first.first ?? first, last.last ?? last];
    return made;
  }

  add(kind, title, inner) {
    const item = { id: this.items.length, kind, title, items: inner, name: "", value: "", location: "", scope: "",
                   results: [], attributes: [], calls: [], weight: false, line: 0, operations: 0, bytes: 0, error: 0, seconds: 0, sent: 0, live: 0 };
    this.items.push(item); this.incoming.push([]); this.outgoing.push([]);
    return item;
  }

  settle(item, above, depth) {
    this.parent[item.id] = above; this.depth[item.id] = depth;
    for (const inner of item.items) this.settle(inner, item, depth + 1);
  }

  // The cost of what has no cost of its own, the time and the largest error inside, and the number of ops.
  sum(item) {
    item.items.forEach(inner => this.sum(inner));
    const over = (name, reduce) => item.items.reduce((all, inner) => reduce(all, inner[name]), 0);
    const add = (a, b) => a + b;
    item.ops = over("ops", add) + (item.kind === "op");
    for (const name of ["error", "live"]) item[name] = Math.max(item[name], over(name, Math.max));
    item.seconds += over("seconds", add);
    item.sent += over("sent", add);
    if (item.kind === "op") return; // its cost is that of its regions, too
    item.operations = over("operations", add) + item.operations;
    item.bytes = over("bytes", add) + item.bytes;
  }

  // The ops in a scope with most operations, then those that are most often there, as `dot_general ×2`.
  contents(item) {
    const found = new Map();
    const collect = inner => {
      if (inner.kind === "op" && inner.title !== "return") {
        const known = found.get(inner.title) ?? { count: 0, operations: 0 };
        found.set(inner.title, { count: known.count + 1, operations: known.operations + inner.operations });
      } else inner.items.forEach(collect);
    };
    item.items.forEach(collect);
    const rows = [...found].sort(([, a], [, b]) => b.operations - a.operations || b.count - a.count);
    return rows.slice(0, MAIN_OPS).map(([title, { count }]) => count > 1 ? `${title} ×${count}` : title);
  }

  // For each item, the edges between the items in it: pairs of them.
  layOutEdges() {
    this.inside = new Map();
    for (const [from, to] of this.edges) {
      const found = this.meet(this.items[from], this.items[to]);
      if (!found) continue;
      const [around, start, end] = found;
      if (!this.inside.has(around.id)) this.inside.set(around.id, new Map());
      const joined = this.inside.get(around.id);
      if (!joined.has(start.id)) joined.set(start.id, new Set());
      joined.get(start.id).add(end.id);
    }
  }

  // The innermost item around two, and the two items in it that they are or are in.
  meet(a, b) {
    const { parent, depth } = this;
    while (depth[a.id] > depth[b.id]) a = parent[a.id];
    while (depth[b.id] > depth[a.id]) b = parent[b.id];
    if (a === b) return null;
    while (parent[a.id] !== parent[b.id]) { a = parent[a.id]; b = parent[b.id]; }
    return parent[a.id] ? [parent[a.id], a, b] : null;
  }

  text(item) {
    const parts = [item.title, item.value, item.name, item.scope, item.location, ...item.results.flat(), ...item.attributes.flat()];
    return parts.join(" ").toLowerCase();
  }
}

// The test of what a search looks for: words, or a regular expression between slashes; null if that is invalid.
function matcher(wanted) {
  const pattern = /^\/(.+)\/$/.exec(wanted)?.[1], words = wanted.toLowerCase();
  if (!pattern) return text => text.includes(words);
  try {
    const expression = new RegExp(pattern, "i");
    return text => expression.test(text);
  } catch {
    return null;
  }
}
