// Runs the commands of the extension with the real `shlo`, on stand-ins for the editor's API and the language client.
// Environment: SHLO, the command line as a JSON list (default: ["shlo"]).
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { beforeEach, test } = require("node:test");

const COMMAND = JSON.parse(process.env.SHLO || '["shlo"]');
const VALID = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n";
const INVALID = VALID.replace("return %x : tensor<2xf32>", "return %x : tensor<3xf32>");

let commands, shown, opened, panels, log, settings, clients;

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, server, options, running: false });
    clients.push(this);
  }
  async start() {
    this.running = true;
  }
  async stop() {
    this.running = false;
  }
}

const vscode = {
  ViewColumn: { Beside: -2 },
  commands: { registerCommand: (name, run) => ((commands[name] = run), { dispose() {} }) },
  window: {
    activeTextEditor: undefined,
    createOutputChannel: () => ({ appendLine: (line) => log.push(line), show() {}, dispose() {} }),
    showInformationMessage: (text) => shown.push(["information", text]),
    showErrorMessage: (text) => shown.push(["error", text]),
    showTextDocument: async (document) => opened.push(document),
    createWebviewPanel: (id, title) => {
      const panel = { id, title, webview: { html: "" } };
      panels.push(panel);
      return panel;
    },
  },
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    openTextDocument: async (document) => document,
  },
};

const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient };
  return load.call(this, name, ...rest);
};
const extension = require("../extension.js");

function open(text, languageId = "mlir") {
  const fileName = path.join(os.tmpdir(), "model.mlir");
  const uri = { scheme: "file", fsPath: fileName };
  vscode.window.activeTextEditor = { document: { languageId, fileName, uri, getText: () => text } };
}

beforeEach(async () => {
  commands = {};
  [shown, opened, panels, log, clients] = [[], [], [], [], []];
  settings = { command: COMMAND };
  await extension.activate({ subscriptions: [] });
});

test("every command of the manifest is registered", () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, "..", "package.json"), "utf8"));
  const names = manifest.contributes.commands.map((row) => row.command);
  assert.deepStrictEqual(Object.keys(commands).sort(), names.sort());
});

test("the language server is started, and started again", async () => {
  await commands["stablehlo.restart"]();
  assert.deepStrictEqual(clients.map((client) => client.running), [false, true]);
  assert.deepStrictEqual(clients[1].server, { command: COMMAND[0], args: [...COMMAND.slice(1), "lsp"] });
  await extension.deactivate();
  assert.strictEqual(clients[1].running, false);
});

test("verify says that a program is valid, or shows its errors", async () => {
  open(VALID);
  await commands["stablehlo.verify"]();
  assert.match(shown[0].join(": "), /^information: no errors in 1 file/);
  open(INVALID);
  await commands["stablehlo.verify"]();
  assert.strictEqual(shown.length, 1);
  assert.match(log.at(-1), /<stdin>:2:\d+: error: /);
});

test("a run on random inputs is a document beside the program", async () => {
  open(VALID);
  await commands["stablehlo.runFile"]();
  assert.match(opened[0].content, /^result 0: tensor<2xf32>/);
  assert.strictEqual(opened[0].language, "plaintext");
});

test("the graph is a panel with the page, and leaves no file behind", async () => {
  const before = fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("stablehlo-"));
  open(VALID);
  await commands["stablehlo.graph"]();
  assert.strictEqual(panels[0].title, "Graph of model.mlir");
  assert.match(panels[0].webview.html, /<html[^]*@main/);
  assert.deepStrictEqual(fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("stablehlo-")), before);
  open("func.func @main(");
  await commands["stablehlo.graph"]();
  assert.deepStrictEqual([panels.length, shown[0][0]], [1, "error"]);
});

test("without a program or without shlo, a message says what to do", async () => {
  open(VALID, "python");
  await commands["stablehlo.verify"]();
  assert.deepStrictEqual(shown.pop(), ["information", "Open a program (.mlir) first."]);
  open(VALID);
  settings = { command: ["no-such-command"] };
  await commands["stablehlo.verify"]();
  assert.match(shown.pop().join(": "), /^error: shlo is not installed: pip install/);
});

test("what a command of the server gives is a document", async () => {
  const { executeCommand } = clients[0].options.middleware;
  await executeCommand("shlo.explain", ["dead-op"], async () => "# dead-op");
  assert.deepStrictEqual(opened, [{ content: "# dead-op", language: "markdown" }]);
});
