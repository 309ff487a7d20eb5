// Tokenizes programs with the grammar, as VS Code does, and compares with tokens that Python wrote:
// {"file": [[line, column, length, scope], ...]}. Environment: TOKENS, the path of that JSON file; without it,
// `python editors/tokens.py` writes the file in a checkout, with the Python that PYTHON names.
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry } = require("vscode-textmate");

const GRAMMAR = path.join(__dirname, "..", "syntaxes", "mlir.tmLanguage.json");

async function load() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const onigLib = Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  });
  const registry = new Registry({
    onigLib,
    loadGrammar: async () => JSON.parse(fs.readFileSync(GRAMMAR, "utf8")),
  });
  return registry.loadGrammar("source.mlir");
}

function tokens(grammar, text) {
  let state = INITIAL;
  return text.split("\n").map((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens;
  });
}

function written() {
  const root = path.join(__dirname, "..", "..", "..");
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "tokens-")), "tokens.json");
  const command = [path.join(root, "editors", "tokens.py"), file, path.join(root, "testdata")];
  const environment = { ...process.env, PYTHONPATH: root };
  execFileSync(process.env.PYTHON || "python3", command, { env: environment, stdio: "inherit" });
  return file;
}

test("tokens have the scopes of the language", async () => {
  const grammar = await load();
  const expected = JSON.parse(fs.readFileSync(process.env.TOKENS || written(), "utf8"));
  const wrong = [];
  let count = 0;
  for (const [file, rows] of Object.entries(expected)) {
    const text = fs.readFileSync(file, "utf8");
    const lines = text.split("\n");
    const found = tokens(grammar, text);
    for (const [line, column, length, scope] of rows) {
      count += 1;
      const inside = found[line].filter((t) => t.startIndex < column + length && t.endIndex > column);
      const scopes = inside.map((t) => t.scopes.join(" "));
      if (!scopes.every((s) => s.includes(scope))) {
        wrong.push(`${file}:${line + 1}: ${lines[line].slice(column, column + length)}: ${scopes[0]}, not ${scope}`);
      }
    }
  }
  console.log(`${count} tokens`);
  assert.deepStrictEqual(wrong.slice(0, 20), []);
});
