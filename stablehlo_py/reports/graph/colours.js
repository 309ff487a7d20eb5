"use strict";
// What colours items: the kind of an op, a share of a cost, from 1/10000, or an error, from 1e-8. A row for each.

const COLOURS = {
  kind: { title: "kind of op" },
  none: { title: "none" },
  operations: { title: "operations", field: "operations", isShare: true },
  bytes: { title: "bytes", field: "bytes", isShare: true },
  seconds: { title: "time", field: "seconds", isShare: true },
  sent: { title: "bytes sent", field: "sent", isShare: true },
  live: { title: "live memory", field: "live", isShare: true },
  error: { title: "error", field: "error" },
};
const FIRST = ["error", "seconds"]; // what was measured is shown at first

// The kinds of ops that have a colour, with the families of their definitions.
const KINDS = {
  contraction: ["dot", "convolution", "linalg", "fft"],
  reduction: ["reduction", "window", "sort"],
  movement: ["shape", "gather_scatter", "dynamic", "tensor", "buffers"],
  control: ["control", "func", "scf", "cf"],
  communication: ["collective", "transfer"],
};
const kindOf = new Map(Object.entries(KINDS).flatMap(([kind, families]) => families.map(family => [family, kind])));

class Colours {
  constructor(view) {
    this.part = view.part; this.model = view.model;
    const has = row => !row.field || this.model.roots.some(root => root[row.field] > 0);
    const names = Object.keys(COLOURS).filter(name => has(COLOURS[name]));
    this.part("colour").replaceChildren(...names.map(name => new Option(COLOURS[name].title, name)));
    this.part("colour").value = FIRST.find(name => names.includes(name)) ?? "kind";
    const found = new Set(this.model.items.map(item => this.kind(item)));
    this.part("kinds").replaceChildren(...Object.keys(KINDS).filter(kind => found.has(kind)).map(kind => {
      const made = document.createElement("span");
      made.textContent = kind;
      made.style.background = `var(--${kind})`;
      return made;
    }));
    this.legend();
  }

  get row() { return COLOURS[this.part("colour").value]; }

  // How strong the colour of an item is, from 0 to 1.
  heat(item) {
    const { field, isShare } = this.row;
    const value = field ? item[field] / (isShare ? this.model.total[field] : 1) : 0;
    const low = isShare ? 1e-4 : 1e-8;
    return value ? Math.max(0.06, Math.min(1, 1 - Math.log10(Math.min(value, 1)) / Math.log10(low))) : 0;
  }

  fill(item) {
    if (this.part("colour").value === "kind") return this.kind(item) ? `var(--${this.kind(item)})` : "";
    const heat = Math.round(this.heat(item) * 12) / 12;
    return heat ? `color-mix(in srgb, var(--heat) ${Math.round(heat * 100)}%, var(--op))` : "";
  }

  kind(item) { return item.kind === "op" ? kindOf.get(this.model.definitions[item.name]?.family) : undefined; }

  legend() {
    const { field, isShare, title } = this.row;
    this.part("kinds").hidden = this.part("colour").value !== "kind";
    this.part("legend").hidden = !field;
    this.part("low").textContent = isShare ? "0.01 %" : "1e-8";
    this.part("high").textContent = isShare ? `100 % of ${title}` : "1 relative";
  }
}
