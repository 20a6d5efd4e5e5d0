// What a SARIF log of `locklab` says, as plain problems. Nothing here knows the editor.

"use strict";

const { fileURLToPath } = require("node:url");
const path = require("node:path");

/**
 * @typedef {{file: string, line: number, column: number}} Place lines and columns from 0
 * @typedef {{place: Place, says: string, order: number, thread: string}} Step
 * @typedef {{rule: string, error: boolean, message: string, place?: Place, steps: Step[]}} Problem
 */

/**
 * The problems of a log, each with the steps that lead to it in the order in which they happen.
 *
 * @param {object} log a SARIF 2.1.0 document.
 * @param {string} folder that relative paths start from, where the log does not name one.
 * @returns {Problem[]}
 */
function problems(log, folder) {
  return (log.runs ?? []).flatMap((run) => {
    const named = run.originalUriBaseIds?.FOLDER?.uri;
    const base = named ? fileURLToPath(named) : folder;
    return (run.results ?? []).map((result) => problem(result, base));
  });
}

function problem(result, base) {
  const places = (result.locations ?? []).map((location) => placeOf(location, base));
  const steps = (result.codeFlows ?? []).flatMap((flow) =>
    flow.threadFlows.flatMap((thread) =>
      thread.locations.map(({ executionOrder, location }) => ({
        place: placeOf(location, base),
        says: location.message?.text ?? "",
        order: executionOrder,
        thread: thread.id,
      })),
    ),
  );
  return {
    rule: result.ruleId,
    error: result.level !== "warning",
    message: result.message.text,
    place: places.find(Boolean),
    steps: steps.filter((step) => step.place).sort((a, b) => a.order - b.order),
  };
}

function placeOf(location, base) {
  const physical = location?.physicalLocation;
  if (!physical) return undefined;
  const { uri } = physical.artifactLocation;
  const file = uri.startsWith("file:")
    ? fileURLToPath(uri)
    : path.join(base, decodeURIComponent(uri));
  const { startLine, startColumn = 1 } = physical.region;
  return { file, line: startLine - 1, column: startColumn - 1 };
}

module.exports = { problems };
