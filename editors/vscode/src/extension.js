// The editor's side: buttons above a lock, mistakes and counterexamples at their place, pages.

"use strict";

const path = require("node:path");
const fs = require("node:fs");
const vscode = require("vscode");
const { locklab, textOf, withFolder } = require("./locklab.js");
const { problems } = require("./problems.js");
const { programAt, programs } = require("./programs.js");

const FAILED = 2; // the exit code for bad input
const BUTTONS = [
  ["locklab.check", "Prove"],
  ["locklab.play", "You schedule"],
  ["locklab.trace", "Simulate"],
];

/** Called by the editor when the first Python file is opened. */
function activate(context) {
  const output = vscode.window.createOutputChannel("LockLab");
  const found = vscode.languages.createDiagnosticCollection("locklab");
  const commands = {
    "locklab.check": (uri, name) => onProgram(uri, name, (file) => check(file, found, output)),
    "locklab.play": (uri, name) => onProgram(uri, name, (file) => play(file, output)),
    "locklab.trace": (uri, name) => onProgram(uri, name, (file) => trace(file, output)),
    "locklab.lab": (uri) => checkLab(uri ?? vscode.window.activeTextEditor?.document.uri, found, output),
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, (...words) => run(...words).catch((error) => explain(error))),
  );
  const saved = vscode.workspace.onDidSaveTextDocument((document) => {
    if (settings().get("checkOnSave") && labOf(document.uri)) {
      vscode.commands.executeCommand("locklab.lab", document.uri);
    }
  });
  const buttons = vscode.languages.registerCodeLensProvider(
    { language: "python", scheme: "file" },
    { provideCodeLenses: lenses },
  );
  context.subscriptions.push(output, found, saved, buttons, ...registered);
}

function lenses(document) {
  return programs(document.getText()).flatMap(({ name, line }) =>
    BUTTONS.map(([command, title]) => {
      const range = new vscode.Range(line, 0, line, 0);
      return new vscode.CodeLens(range, { command, title, arguments: [document.uri, name] });
    }),
  );
}

/** Save a file, and act on one of its programs: the named one, or the one under the cursor. */
async function onProgram(uri, name, act) {
  const editor = vscode.window.activeTextEditor;
  const document = uri ? await vscode.workspace.openTextDocument(uri) : editor?.document;
  const line = editor?.document === document ? editor.selection.active.line : 0;
  const chosen = name ?? (document && programAt(document.getText(), line)?.name);
  if (!chosen) {
    vscode.window.showWarningMessage(
      "LockLab: no lock here. Open a file that has `from locksim.lang import *` and a class.",
    );
    return;
  }
  await document.save();
  await act({ uri: document.uri, name: chosen, wanted: `${path.basename(document.fileName)}:${chosen}` });
}

async function check(program, found, output) {
  await withFolder(async (folder) => {
    const log = path.join(folder, "found.sarif");
    const { code, said } = await run(["check", program.wanted, ...question(), "--out", log], here(program), output);
    report(await textOf(log), found, program.uri, here(program));
    if (code === 0) vscode.window.setStatusBarMessage(`LockLab: ${last(said)}`, 10_000);
  });
}

async function play(program, output) {
  const page = await withFolder(async (folder) => {
    const file = path.join(folder, "page.html");
    await run(["play", "schedule", program.wanted, ...question(), "--out", file], here(program), output);
    return textOf(file);
  });
  if (page) show(`${program.name}: you schedule`, page);
}

async function trace(program, output) {
  const page = await withFolder(async (folder) => {
    const file = path.join(folder, "page.html");
    const words = ["run", program.wanted, "--cpus", String(settings().get("cpus")), "--trace", file];
    await run(words, here(program), output);
    return textOf(file);
  });
  if (page) show(`${program.name}: a simulated run`, page);
}

async function checkLab(uri, found, output) {
  const lab = uri && labOf(uri);
  if (!lab) {
    vscode.window.showWarningMessage("LockLab: this file is in no lab. `locklab lab start` makes one.");
    return;
  }
  await vscode.workspace.saveAll(false);
  await withFolder(async (folder) => {
    const log = path.join(folder, "found.sarif");
    const { code, said } = await run(["lab", "check", "--out", log], lab, output);
    report(await textOf(log), found, undefined, lab);
    if (code === 0) vscode.window.setStatusBarMessage(`LockLab: ${last(said)}`, 10_000);
  });
}

/** The folder of the lab that a file is in. */
function labOf(uri) {
  let folder = path.dirname(uri.fsPath);
  while (!fs.existsSync(path.join(folder, ".lab", "state.json"))) {
    if (path.dirname(folder) === folder) return undefined;
    folder = path.dirname(folder);
  }
  return folder;
}

/** Run the command with a progress message that can be cancelled; what it says goes to the output. */
function run(words, cwd, output) {
  const stop = new AbortController();
  const title = `LockLab: ${words.slice(0, 2).join(" ")}`;
  const how = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(how, async (_, token) => {
    token.onCancellationRequested(() => stop.abort());
    const workspace = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(cwd))?.uri.fsPath;
    const command = settings().get("command");
    const done = await locklab(command, words, { cwd, workspace, signal: stop.signal });
    output.appendLine(`$ locklab ${words.join(" ")}\n${done.said}`);
    if (done.code === FAILED) {
      vscode.window.showErrorMessage(first(done.said), "Show all").then((asked) => asked && output.show());
    }
    return done;
  });
}

/** Show problems at their places: those of one file anew, or those of a lab's files. */
function report(text, found, uri, folder) {
  const byFile = new Map();
  for (const problem of text ? problems(JSON.parse(text), folder) : []) {
    const file = problem.place?.file ?? uri?.fsPath;
    if (file) byFile.set(file, [...(byFile.get(file) ?? []), diagnostic(problem)]);
  }
  if (uri) found.delete(uri);
  else found.clear();
  for (const [file, all] of byFile) found.set(vscode.Uri.file(file), all);
}

function diagnostic(problem) {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const made = new vscode.Diagnostic(range(problem.place), problem.message, problem.error ? Error : Warning);
  made.source = "LockLab";
  made.code = problem.rule;
  made.relatedInformation = problem.steps.map(
    (step) =>
      new vscode.DiagnosticRelatedInformation(
        new vscode.Location(vscode.Uri.file(step.place.file), range(step.place)),
        `step ${step.order}, ${step.thread}: ${step.says}`,
      ),
  );
  return made;
}

/** From a place to the end of its line; without a place, the file's first line. */
function range(place = { line: 0, column: 0 }) {
  return new vscode.Range(place.line, place.column, place.line, Number.MAX_SAFE_INTEGER);
}

/** Show a page of ours, which needs nothing but itself. */
function show(title, page) {
  const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] };
  const beside = vscode.ViewColumn.Beside;
  vscode.window.createWebviewPanel("locklab", title, beside, options).webview.html = page;
}

function explain(error) {
  const says =
    error.code === "ENOENT"
      ? `LockLab: the command ${settings().get("command")} was not found. Install it (pip install locklab), or set locklab.command to its path.`
      : `LockLab: ${error.message}`;
  vscode.window.showErrorMessage(says);
}

const settings = () => vscode.workspace.getConfiguration("locklab");
const question = () => ["--threads", String(settings().get("threads")), "--memory", settings().get("memory")];
const here = (program) => path.dirname(program.uri.fsPath);
const lines = (text) => text.split("\n").filter((line) => line.trim());
const first = (text) => lines(text)[0] ?? "LockLab: failed without a message";
const last = (text) => lines(text).at(-1) ?? "done";

module.exports = { activate };
