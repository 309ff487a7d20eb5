"use strict";
// The text of a program: lines are made where they are looked at, regions fold, and locations are hidden.

const CHUNK = 100, FOLDED = 40, LONG = 30, LINE_HEIGHT = 1.6, NEAR = "1500px";
const LOCATIONS = /^#[\w$.-]+ = loc\(/;

function made(name, className = "", text = "") {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

// Tokens of a line by the patterns of the highlighter: [class, text].
class Lexer {
  constructor(rows) {
    this.classes = rows.map(([, name]) => name);
    this.pattern = new RegExp(rows.map(([pattern]) => `(${pattern})`).join("|"), "y");
  }

  tokens(line) {
    const found = [];
    for (let at = 0; at < line.length; at = this.pattern.lastIndex || line.length) {
      this.pattern.lastIndex = at;
      const match = this.pattern.exec(line) ?? [line.slice(at), line.slice(at)];
      found.push([this.classes[match.findIndex((part, i) => i && part !== undefined) - 1] ?? "", match[0]]);
    }
    return found;
  }
}

class ProgramText {
  constructor(root, data, lexer) {
    this.root = root; this.data = data; this.lexer = lexer;
    this.prefix = root.dataset.prefix;
    this.lines = data.text.split("\n");
    if (!this.lines.at(-1)) this.lines.pop();
    this.cards = new Map([...root.nextElementSibling.children].map(card => [Number(card.dataset.line), card]));
    this.noted = [...this.cards.keys()].sort((a, b) => a - b);
    this.folds = new Map(); this.chunks = new Map();
    this.observer = new IntersectionObserver(seen => {
      for (const { isIntersecting, target } of seen) if (isIntersecting) target.render();
    }, { rootMargin: NEAR });
    this.findEnds();
    this.fill(root, this.items(0, this.lines.length), 0);
  }

  // The line that closes what a line leaves open, and the one after a run of lines of locations.
  findEnds() {
    this.ends = new Map(); this.runs = new Map();
    const pending = [];
    let run = -1;
    this.lines.forEach((line, index) => {
      if (!LOCATIONS.test(line)) run = -1;
      else this.runs.set(run < 0 ? run = index : run, index + 1);
      if (!/[{}]/.test(line)) return;
      let opens = 0, closes = 0;
      for (const [, text] of this.lexer.tokens(line)) {
        if (text === "{") opens++;
        else if (text === "}") opens ? opens-- : closes++;
      }
      for (; closes && pending.length; closes--) this.ends.set(pending.pop(), index);
      while (opens--) pending.push(index);
    });
  }

  number(index) { return this.data.first + index; }
  hasCards(start, end) { return this.noted.some(line => line >= this.number(start) && line < this.number(end)); }

  // Lines and folds.
  items(start, end) {
    const items = [];
    for (let at = start; at < end; at = items.at(-1).end)
      items.push({ start: at, end: this.runs.get(at) ?? this.ends.get(at) ?? at + 1 });
    return items;
  }

  // Puts lines into an element: many of them in chunks, which are filled when they are near to the window.
  fill(into, items, depth) {
    if (items.length <= CHUNK) return into.append(...items.flatMap(item => this.item(item, depth)));
    const chunks = [];
    for (let at = 0; at < items.length; at += CHUNK) chunks.push(this.chunk(into, items.slice(at, at + CHUNK), depth));
    this.chunks.set(into, chunks);
    chunks[0].element.render();
  }

  chunk(into, items, depth) {
    const element = made("div");
    element.style.height = `${items.length * LINE_HEIGHT}em`;
    element.render = () => {
      element.render = () => {};
      element.style.height = "";
      element.append(...items.flatMap(item => this.item(item, depth)));
    };
    this.observer.observe(element);
    into.append(element);
    return { element, end: items.at(-1).end };
  }

  item({ start, end, isPlain }, depth) {
    if (this.ends.has(start)) return this.fold(start, end, depth, this.line(start, "summary"));
    if (this.runs.has(start) && !isPlain) return this.fold(start, end, depth, made("summary", "", `${(end - start).toLocaleString("en")} lines of locations`));
    return [this.line(start, "div"), ...this.cardOf(start)];
  }

  cardOf(index) {
    const card = this.cards.get(this.number(index));
    return card ? [card] : [];
  }

  fold(start, end, depth, summary) {
    const isRun = this.runs.has(start), details = made("details", isRun ? "locations" : "");
    details.append(summary, ...(isRun ? [] : this.cardOf(start)));
    const inner = () => isRun ? Array.from({ length: end - start }, (_, at) => ({ start: start + at, end: start + at + 1, isPlain: true }))
      : this.items(start + 1, end);
    details.setOpen = state => {
      if (state && !details.isFilled) { details.isFilled = true; this.fill(details, inner(), depth + 1); }
      details.open = state;
    };
    details.addEventListener("toggle", () => details.setOpen(details.open));
    this.folds.set(start, details);
    const isSmall = depth < 2 || end - start <= FOLDED;
    const isOpen = this.all === undefined ? isSmall : this.all || !depth;
    details.setOpen((isOpen && !isRun) || this.hasCards(start, end));
    return [details];
  }

  // Opens or closes all regions; the outermost ones stay open.
  setAll(state) {
    this.all = state;
    for (const details of [...this.folds.values()])
      if (details.className !== "locations") details.setOpen(state || details.parentElement.closest("details") === null);
  }

  // Makes and opens what a line is in.
  show(number) {
    const index = number - this.data.first;
    let into = this.root;
    const around = [...this.ends, ...this.runs].filter(([start, end]) => index < end && (index > start || (index === start && this.runs.has(start))));
    for (const [start] of around.sort(([a], [b]) => a - b)) {
      this.renderChunk(into, start);
      into = this.folds.get(start);
      into.setOpen(true);
    }
    this.renderChunk(into, index);
  }

  renderChunk(into, index) { this.chunks.get(into)?.find(chunk => index < chunk.end)?.element.render(); }

  // Lines ----------------------------------------------------------------------------------------------

  line(index, name) {
    const number = this.number(index), line = made(name, name === "div" ? "line" : "");
    line.id = `${this.prefix}${number}`;
    line.append(made("span", "number", String(number)), ...this.code(this.lexer.tokens(this.lines[index]), this.data.marks[number] ?? []));
    return line;
  }

  code(tokens, marks) {
    const nodes = [];
    let column = 1;
    for (let at = 0; at < tokens.length;) {
      const end = this.constantEnd(tokens, at) || this.locationEnd(tokens, at);
      const [style, text] = tokens[at];
      if (end) {
        const part = tokens.slice(at, end), literal = part.map(token => token[1]).join("");
        nodes.push(text === "dense" ? this.constant(literal) : this.location(part));
        column += literal.length; at = end;
        continue;
      }
      const mark = marks.find(([first, after]) => first < column + text.length && column < after);
      const classes = [style, ...(mark && text.trim() ? ["at", mark[2]] : [])].filter(Boolean).join(" ");
      nodes.push(classes ? made("span", classes, this.visible(text)) : this.visible(text));
      column += text.length; at++;
    }
    return nodes;
  }

  // The index after a bracket's end, from the one that opens it.
  closing(tokens, at, open, close) {
    for (let depth = 0; at < tokens.length; at++) {
      depth += (tokens[at][1] === open) - (tokens[at][1] === close);
      if (!depth) return at + 1;
    }
    return 0;
  }

  constantEnd(tokens, at) {
    if (tokens[at][1] !== "dense" || tokens[at + 1]?.[1] !== "<") return 0;
    const end = this.closing(tokens, at + 1, "<", ">");
    return tokens.slice(at + 1, end).reduce((size, [, text]) => size + text.length, 0) > LONG ? end : 0;
  }

  // A location with the space before it, but for a line that is one.
  locationEnd(tokens, at) {
    const name = tokens[at][1].trim() ? at : at + 1;
    return at && tokens[name]?.[1] === "loc" && tokens[name + 1]?.[1] === "(" ? this.closing(tokens, name + 1, "(", ")") : 0;
  }

  location(tokens) {
    const span = made("span", "loc");
    span.append(...tokens.map(([style, text]) => made("span", style, this.visible(text))));
    return span;
  }

  constant(literal) {
    const details = made("details", "constant");
    details.append(made("summary", "", `${this.visible(literal.slice(0, LONG))}…`), this.visible(literal));
    return details;
  }

  visible(text) {
    const { escapes } = this.data;
    return escapes ? [...text].map(char => escapes[char] ?? char).join("") : text;
  }
}

// What a token means: the type of a value, the doc and location of an op; from the data of a graph.
class Hints {
  constructor({ texts, items }, definitions) {
    this.values = new Map(); this.ops = new Map(); this.definitions = definitions;
    const field = (name, id) => texts[items[name]?.[id] ?? 0];
    items.parent.forEach((_, id) => {
      const line = items.line?.[id] ?? 0, results = items.results?.[id] || [], types = [];
      for (let at = 0; at < results.length; at += 2) {
        const [name, type] = [texts[results[at]], texts[results[at + 1]]];
        types.push(`${name}: ${type}`);
        this.values.has(name) ? this.values.get(name).push([line, type]) : this.values.set(name, [[line, type]]);
      }
      const name = field("name", id);
      if (name) this.ops.set(`${line} ${name}`, [types.join(", "), field("location", id)]);
    });
  }

  of(words, line) {
    const value = this.values.get(words)?.findLast(([place]) => place <= line);
    if (value) return `${words}: ${value[1]}`;
    for (const name of [words, `stablehlo.${words}`, `func.${words}`]) {
      const op = this.ops.get(`${line} ${name}`);
      if (op) return [name, this.definitions[name]?.doc, ...op].filter(Boolean).join("\n");
    }
    return "";
  }
}
