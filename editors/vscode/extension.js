// The client of `shlo lsp`, and commands that run `shlo` on the program in the active editor.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const MISSING = "shlo is not installed: pip install 'stablehlo-py[lsp]', or set stablehlo.command.";
let client;
let output;

async function activate(context) {
  output = vscode.window.createOutputChannel("StableHLO");
  const commands = {
    "stablehlo.verify": verify,
    "stablehlo.runFile": () => runFunction(activeFile()),
    "stablehlo.graph": () => showGraph(activeFile()),
    "stablehlo.restart": restart,
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  context.subscriptions.push(output);
  await restart();
}

async function deactivate() {
  await client?.stop();
}

function commandLine(...args) {
  const [program, ...before] = vscode.workspace.getConfiguration("stablehlo").get("command");
  return { command: program, args: [...before, ...args] };
}

async function restart() {
  await client?.stop();
  client = new LanguageClient("stablehlo", "StableHLO", commandLine("lsp"), {
    documentSelector: [{ language: "mlir" }],
    outputChannel: output,
    middleware: { executeCommand: showResult },
  });
  try {
    await client.start();
  } catch (error) {
    output.appendLine(String(error));
    vscode.window.showErrorMessage(MISSING);
  }
}

// Results of the server's commands (run a function, explain a rule) are documents beside the program.
async function showResult(command, args, next) {
  const text = await next(command, args);
  if (typeof text === "string") {
    const language = command === "shlo.explain" ? "markdown" : "plaintext";
    await showText(text, language);
  }
  return text;
}

async function showText(content, language) {
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

function activeFile() {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "mlir") {
    vscode.window.showInformationMessage("Open a program (.mlir) first.");
    return undefined;
  }
  return document;
}

// Runs shlo with the text of a document as its standard input, saved or not.
function shlo(document, ...args) {
  const { command, args: all } = commandLine(...args);
  const cwd = document.uri.scheme === "file" ? path.dirname(document.uri.fsPath) : undefined;
  return new Promise((resolve, reject) => {
    const child = execFile(command, all, { cwd, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") reject(new Error(MISSING));
      else resolve({ status: error ? error.code : 0, stdout, stderr });
    });
    child.stdin.on("error", () => {}); // the command may end before it has read everything
    child.stdin.end(document.getText());
  });
}

async function report(work) {
  try {
    return await work();
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
    return undefined;
  }
}

async function verify() {
  const document = activeFile();
  const done = document && (await report(() => shlo(document, "verify", "-")));
  if (!done) return;
  output.appendLine(done.stdout + done.stderr);
  if (done.status === 0) vscode.window.showInformationMessage(done.stdout.trim());
  else output.show(true);
}

async function runFunction(document) {
  const done = document && (await report(() => shlo(document, "run", "-", "--random", "0")));
  if (done) await showText(done.stdout + done.stderr, "plaintext");
}

async function showGraph(document) {
  if (!document) return;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stablehlo-"));
  const page = path.join(folder, "graph.html");
  try {
    const done = await report(() => shlo(document, "graph", "-", "-o", page));
    if (!done) return;
    if (done.status !== 0) {
      vscode.window.showErrorMessage(done.stderr || done.stdout);
      return;
    }
    const title = `Graph of ${path.basename(document.fileName)}`;
    const panel = vscode.window.createWebviewPanel("stablehlo.graph", title, vscode.ViewColumn.Beside, {
      enableScripts: true,
      retainContextWhenHidden: true,
      localResourceRoots: [],
    });
    panel.webview.html = fs.readFileSync(page, "utf8");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { activate, deactivate };
