"use strict";
// The items of a graph: ops are grouped by the name scopes of their locations, scope in scope.

const MOST_LAYERS = 16;

class GraphModel {
  constructor(data) {
    this.roots = data.functions;
    this.definitions = data.definitions ?? {};
    this.items = []; this.parent = [];
    for (const root of this.roots) this.enter(root, null);
    const count = this.items.length;
    this.incoming = this.items.map(() => []); this.outgoing = this.items.map(() => []);
    for (const [from, to, name] of data.edges) { this.incoming[to].push([from, name]); this.outgoing[from].push([to, name]); }
    this.edges = data.edges;
    for (const item of this.items.slice(0, count)) if (item.kind !== "op") this.group(item);
    for (const root of this.roots) this.sum(root);
    this.functions = new Map(this.roots.map(item => [item.title.replace(/^@/, ""), item]));
    this.total = Math.max(0, ...this.roots.map(item => item.operations));
    this.totalBytes = Math.max(0, ...this.roots.map(item => item.bytes));
    this.hasScopes = this.items.length > count;
    this.join();
  }

  // What the page leaves out of an item has its default.
  enter(item, above) {
    for (const name of ["results", "attributes", "calls", "items"]) item[name] ??= [];
    for (const name of ["name", "value", "location", "scope"]) item[name] ??= "";
    this.items[item.id] = item; this.parent[item.id] = above;
    for (const inner of item.items) this.enter(inner, item);
  }

  // Replaces the items of a function or region by those of its top layer.
  group(item) {
    if (!item.items.some(inner => inner.scope)) return;
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
    for (const inner of item.items) this.parent[inner.id] = item;
  }

  // An item for a scope: alone with another one, they share an item; of a single op, the op itself.
  scope(node) {
    let title = node.title;
    while (node.items.length === 1 && node.items[0].scopes) { node = node.items[0]; title += `/${node.title}`; }
    const inner = node.items.map(each => each.scopes ? this.scope(each) : each);
    if (inner.length === 1) return inner[0];
    const item = { id: this.items.length, kind: "scope", title, items: inner };
    this.enterScope(item);
    return item;
  }

  enterScope(item) {
    Object.assign(item, { name: "", value: "", location: "", scope: "", results: [], attributes: [], calls: [] });
    this.items.push(item); this.parent.push(null);
    this.incoming.push([]); this.outgoing.push([]);
    for (const inner of item.items) this.parent[inner.id] = item;
  }

  // The cost of what has no cost of its own, the largest error inside, and the number of ops.
  sum(item) {
    item.items.forEach(inner => this.sum(inner));
    const over = (name, reduce) => item.items.reduce((all, inner) => reduce(all, inner[name] ?? 0), 0);
    item.ops = over("ops", (a, b) => a + b) + (item.kind === "op");
    item.error = Math.max(item.error ?? 0, over("error", Math.max));
    if (item.operations !== undefined && item.kind !== "function") return;
    item.operations = over("operations", (a, b) => a + b);
    item.bytes = over("bytes", (a, b) => a + b);
  }

  // For each item, the edges between the items in it: pairs of them.
  join() {
    this.inside = new Map();
    for (const [from, to] of this.edges) {
      const pair = this.meet(this.items[from], this.items[to]);
      if (!pair) continue;
      const [around, start, end] = pair;
      if (!this.inside.has(around.id)) this.inside.set(around.id, new Map());
      const joined = this.inside.get(around.id);
      if (!joined.has(start.id)) joined.set(start.id, new Set());
      joined.get(start.id).add(end.id);
    }
  }

  // The innermost item around two, and the two items in it that they are or are in.
  meet(a, b) {
    const above = this.chain(a), other = this.chain(b);
    let at = 0;
    while (at < above.length && at < other.length && above[at] === other[at]) at++;
    return at && at < above.length && at < other.length ? [above[at - 1], above[at], other[at]] : null;
  }

  // An item and all around it, the outermost first.
  chain(item) {
    const found = [];
    for (let at = item; at; at = this.parent[at.id]) found.push(at);
    return found.reverse();
  }

  text(item) {
    const parts = [item.title, item.name, item.scope, item.location, ...item.results.flat(), ...item.attributes.flat()];
    return parts.join(" ").toLowerCase();
  }
}
