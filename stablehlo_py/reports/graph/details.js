"use strict";
// The panel about the selected item.

class Details {
  constructor(view, panel) { this.view = view; this.panel = panel; }

  add(name, text, into = this.panel) {
    const made = document.createElement(name);
    made.textContent = text;
    into.append(made);
    return made;
  }

  // What a search has found; `count` is with what is not listed.
  list(items, count) {
    this.add("h2", "Found");
    this.links(items.map(item => [item.id, item.value || (item.results[0]?.[0] ?? "")]), item => item.scope);
    if (count > items.length) this.add("p", `${count - items.length} more`);
  }

  show(item) {
    const { model, open } = this.view;
    this.add("h2", item.name || item.title);
    if (item.items.length) {
      const button = this.add("button", open.has(item.id) ? "Close" : "Open");
      button.onclick = () => this.view.toggle(item);
    }
    this.facts(item);
    this.jumps("Operands", model.incoming[item.id]);
    this.jumps("Used by", model.outgoing[item.id]);
    const called = item.calls.filter(name => model.functions.has(name));
    this.jumps("Calls", called.map(name => [model.functions.get(name).id, "@" + name]));
    this.definition(model.definitions[item.name]);
  }

  facts(item) {
    const list = document.createElement("dl");
    this.panel.append(list);
    const fact = (name, text) => { if (text) { this.add("dt", name, list); this.add("dd", text, list); } };
    const share = (part, all) => all ? `${metric(part)} (${(100 * part / all).toPrecision(2)} %)` : "";
    fact("kind", item.name ? "" : item.kind);
    fact("line", item.line ? String(item.line) : "");
    fact("scope", item.scope);
    fact("location", item.location);
    fact("ops", item.kind === "op" ? "" : String(item.ops));
    fact("operations", item.operations ? share(item.operations, this.view.model.total.operations) : "");
    fact("bytes read and written", item.bytes ? share(item.bytes, this.view.model.total.bytes) : "");
    fact("time", item.seconds ? `${metric(item.seconds * 1e6)} µs (${(100 * item.seconds / this.view.model.total.seconds).toPrecision(2)} %)` : "");
    fact("bytes that a device sends", item.sent ? share(item.sent, this.view.model.total.sent) : "");
    fact("live memory", item.live ? `${metric(item.live)} B (${(100 * item.live / this.view.model.total.live).toPrecision(2)} % of the peak)` : "");
    fact("path", item.kind === "argument" ? item.value : "");
    fact("largest relative error", item.error ? (item.error > 1e299 ? "cannot be compared" : item.error.toPrecision(3)) : "");
    for (const [name, type] of item.results) fact("result", `${name} : ${type}`);
    for (const [name, text] of item.attributes) fact(name, text);
  }

  jumps(title, rows) {
    if (!rows.length) return;
    this.add("h3", title);
    this.links(rows);
  }

  // Buttons that lead to items.
  links(rows, about = () => "") {
    const list = this.add("ul", "");
    for (const [id, name] of rows) {
      const item = this.view.model.items[id], line = this.add("li", "", list);
      const button = this.add("button", `${name}  ${item.title}`.trim(), line);
      button.className = "jump"; button.onclick = () => this.view.select(item, true);
      if (about(item)) this.add("div", about(item), line).className = "about";
    }
  }

  definition(found) {
    if (!found) return;
    this.add("h3", "Definition"); this.add("p", found.doc);
    if (found.specification) {
      const link = this.add("a", "In the specification");
      link.href = found.specification; link.target = "_blank"; link.rel = "noopener";
    }
    if (!found.constraints.length) return;
    this.add("h3", "Constraints");
    const list = this.add("ul", "");
    for (const [label, formula] of found.constraints) this.add("li", `${label}  ${formula}`, list);
  }
}
