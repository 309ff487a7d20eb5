"use strict";
// What colours items: their share of a cost, from 1/10000, or an error, from 1e-8. A row for each.

const COLOURS = {
  none: { title: "none" },
  operations: { title: "operations", field: "operations", isShare: true },
  bytes: { title: "bytes", field: "bytes", isShare: true },
  seconds: { title: "time", field: "seconds", isShare: true },
  sent: { title: "bytes sent", field: "sent", isShare: true },
  error: { title: "error", field: "error" },
};
const FIRST = ["error", "seconds"]; // what was measured is shown at first

class Colours {
  constructor(view) {
    this.part = view.part; this.model = view.model;
    const has = row => !row.field || this.model.roots.some(root => root[row.field] > 0);
    const names = Object.keys(COLOURS).filter(name => has(COLOURS[name]));
    this.part("colour").replaceChildren(...names.map(name => new Option(COLOURS[name].title, name)));
    this.part("colour").value = FIRST.find(name => names.includes(name)) ?? "none";
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
    const heat = Math.round(this.heat(item) * 12) / 12;
    return heat ? `color-mix(in srgb, var(--heat) ${Math.round(heat * 100)}%, var(--op))` : "";
  }

  legend() {
    const { field, isShare, title } = this.row;
    this.part("legend").hidden = !field;
    this.part("low").textContent = isShare ? "0.01 %" : "1e-8";
    this.part("high").textContent = isShare ? `100 % of ${title}` : "1 relative";
  }
}
