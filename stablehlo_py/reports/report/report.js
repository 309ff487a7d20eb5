"use strict";
// Navigation by the fragment of the address: #index, #rules, #<program>, #<program>-L<line>, #<program>-<panel>.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const $ = id => document.getElementById(id);
const programs = all("section.program");
const title = document.title;

async function route() {
  const name = decodeURIComponent(location.hash.slice(1));
  const [, program, line] = /^(.+)-L(\d+)$/.exec(name) ?? [];
  if (program && $(program)) (await textOf($(program)))?.show(Number(line));
  const target = name && name !== "content" ? $(name) : null;
  const shown = target?.closest("section") ?? (programs.length === 1 ? programs[0] : $("index"));
  await textOf(shown);
  for (const section of all("main > section")) section.hidden = section !== shown;
  document.title = shown.classList.contains("program") ? `${shown.querySelector("h1").textContent} – ${title}` : title;
  all(".here").forEach(line => line.classList.remove("here"));
  fill(shown);
  if (!target || target === shown) { window.scrollTo(0, 0); return shown.querySelector("h1")?.focus({ preventScroll: true }); }
  reveal(target);
}

// Opens what is around an element, and goes there.
function reveal(element) {
  const panel = element.closest("[role=tabpanel]"), tab = panel && $(`${panel.id}-tab`);
  if (tab) choose(tab);
  for (let at = element.parentElement; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (/-L\d+$/.test(element.id)) element.classList.add("here");
  element.scrollIntoView({ block: element === panel ? "nearest" : "center" });
}

// Explanations: kept once, and copied beside a finding when they are opened.
function fill(section) { all("details.why[open]", section).forEach(explain); }
function explain(details) {
  const rule = $(`rule-${details.dataset.rule}`);
  if (!rule || details.dataset.filled) return;
  details.dataset.filled = "true";
  const copy = rule.cloneNode(true);
  copy.removeAttribute("id");
  details.lastElementChild.replaceWith(copy);
}
document.addEventListener("toggle", event => {
  if (event.target.matches?.("details.why[open]")) explain(event.target);
}, true);

// Tabs -------------------------------------------------------------------------------------------------

function choose(tab) {
  for (const each of all("[role=tab]", tab.parentElement)) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    $(each.getAttribute("aria-controls")).hidden = !chosen;
  }
  $(tab.getAttribute("aria-controls")).dispatchEvent(new CustomEvent("shown", { bubbles: true }));
}
document.addEventListener("click", event => {
  const tab = event.target.closest("[role=tab]");
  if (tab) { choose(tab); history.replaceState(null, "", `#${tab.getAttribute("aria-controls")}`); }
});
document.addEventListener("keydown", event => {
  const tab = event.target.closest?.("[role=tab]");
  if (!tab) return;
  const tabs = all("[role=tab]", tab.parentElement), at = tabs.indexOf(tab), last = tabs.length - 1;
  const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at ? at - 1 : last, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault(); tabs[to].focus(); tabs[to].click();
});

// Filters of the index ---------------------------------------------------------------------------------

let status = "all";
function filter() {
  const words = $("filter").value.trim().toLowerCase(), rule = $("rule")?.value ?? "";
  let count = 0;
  const rows = all("#index tbody tr");
  for (const row of rows) {
    const { codes, status: own } = row.querySelector("a").dataset;
    const found = (row.cells[0].textContent + " " + codes).toLowerCase().includes(words);
    row.hidden = !(found && (status === "all" || own === status) && (!rule || codes.split(" ").includes(rule)));
    count += !row.hidden;
  }
  $("count").textContent = count === rows.length ? "" : `${count} of ${rows.length}`;
  $("none").hidden = count > 0;
}
$("filter").addEventListener("input", filter);
$("rule")?.addEventListener("change", filter);
for (const button of all("[data-status][aria-pressed]")) button.addEventListener("click", () => {
  status = button.dataset.status;
  for (const each of all("[data-status][aria-pressed]")) each.setAttribute("aria-pressed", String(each === button));
  filter();
});

// The text of a program --------------------------------------------------------------------------------

// The text of a section, made when it is first asked for; none if the file could not be read.
const texts = new Map();
let lexer;
async function textOf(section) {
  const root = section.querySelector("[data-text]");
  if (!root || texts.has(root)) return texts.get(root);
  const data = await readData(root.dataset.text);
  lexer ??= new Lexer(await readData("lexer"));
  if (!texts.has(root)) texts.set(root, new ProgramText(root, data, lexer));
  return texts.get(root);
}

document.addEventListener("click", event => {
  const fold = event.target.closest("[data-fold]");
  if (fold) texts.get(fold.closest("section").querySelector("[data-text]"))?.setAll(fold.dataset.fold === "open");
  if (event.target.matches(".text .number")) {
    event.preventDefault();
    location.hash = event.target.parentElement.id;
  }
});
document.addEventListener("change", event => {
  const name = event.target.dataset.shows;
  if (name) event.target.closest("[role=tabpanel]").querySelector(".text").classList.toggle(name, event.target.checked);
});

// Hints are what the data of the graph says of a token; it is read when the pointer is first over a text.
const hints = new Map();
document.addEventListener("pointerover", async event => {
  const token = event.target.closest(".text .v, .text .o"), line = token?.closest(".line, summary");
  if (!line || token.title) return;
  const id = token.closest("section").querySelector("[data-graph]")?.dataset.graph;
  if (!id) return;
  if (!hints.has(id)) hints.set(id, Promise.all([id, "definitions"].map(readData)).then(data => new Hints(...data)));
  token.title = (await hints.get(id)).of(token.textContent, Number(line.id.replace(/.*-L/, "")));
});

// Graphs, which are drawn when they are first shown.
document.addEventListener("shown", async event => {
  const root = event.target.querySelector("[data-graph]");
  if (!root || root.firstElementChild) return;
  root.append($("graph-view").content.cloneNode(true));
  const [data, definitions] = await Promise.all([root.dataset.graph, "definitions"].map(readData));
  new GraphView(root, { ...data, definitions });
});

window.addEventListener("hashchange", route);
route();
