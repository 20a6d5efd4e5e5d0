// Where the programs of the language are in a text. Nothing here knows the editor.

"use strict";

const IMPORTS = /^\s*(?:from\s+locksim\.lang\s+import|import\s+locksim)\b/m;
const CLASS = /^class\s+([A-Za-z_]\w*)\s*\(([^)]*)\)\s*:/gm;

/**
 * The classes of a Python file that can be proven: those with a base class, of a file that imports
 * the language.
 *
 * @param {string} text of the file.
 * @returns {{name: string, line: number}[]} in their order; lines from 0.
 */
function programs(text) {
  if (!IMPORTS.test(text)) return [];
  const found = [];
  for (const match of text.matchAll(CLASS)) {
    if (!match[2].trim()) continue;
    found.push({ name: match[1], line: text.slice(0, match.index).split("\n").length - 1 });
  }
  return found;
}

/** The program that a line belongs to: the last that begins above it, or the first of all. */
function programAt(text, line) {
  const all = programs(text);
  return all.filter((program) => program.line <= line).at(-1) ?? all[0];
}

module.exports = { programs, programAt };
