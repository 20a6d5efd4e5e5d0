// The command `locklab`, run without a shell: what it was asked never becomes code.

"use strict";

const { spawn } = require("node:child_process");
const { mkdtemp, readFile, rm } = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");

/**
 * Run the command in a folder until it ends.
 *
 * @param {string} command a name on the PATH, or a path; a relative one starts from the folder of
 *   the workspace.
 * @param {string[]} words its arguments.
 * @param {{cwd: string, workspace?: string, signal?: AbortSignal}} where
 * @returns {Promise<{code: number|null, said: string}>} its exit code, null if it was stopped, and
 *   all that it said.
 * @throws {Error} with code ENOENT: there is no such command.
 */
function locklab(command, words, { cwd, workspace, signal }) {
  const relative = command.includes("/") && !path.isAbsolute(command);
  const file = relative ? path.join(workspace ?? cwd, command) : command;
  return new Promise((resolve, reject) => {
    let said = "";
    const environment = { ...process.env, COLUMNS: "100", NO_COLOR: "1" };
    const child = spawn(file, words, { cwd, env: environment, signal, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (said += text));
    }
    child.on("error", (error) => (error.name === "AbortError" ? resolve({ code: null, said }) : reject(error)));
    child.on("close", (code) => resolve({ code, said }));
  });
}

/** Call `use` with the path of a new folder, which is gone afterwards. */
async function withFolder(use) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "locklab-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The text of a file; undefined if it was not written. */
async function textOf(file) {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

module.exports = { locklab, textOf, withFolder };
