"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { problems } = require("../src/problems.js");

function logOf(result, folder = "file:///home/a%20b/") {
  return { runs: [{ originalUriBaseIds: { FOLDER: { uri: folder } }, results: [result] }] };
}

function location(uri, startLine, startColumn) {
  return { physicalLocation: { artifactLocation: { uri, uriBaseId: "FOLDER" }, region: { startLine, startColumn } } };
}

test("a mistake at its place, counted from 0, in a folder with a space", () => {
  const result = { ruleId: "r", level: "error", message: { text: "m" }, locations: [location("x%20y.py", 7, 22)] };
  assert.deepEqual(problems(logOf(result), "/elsewhere"), [
    { rule: "r", error: true, message: "m", place: { file: "/home/a b/x y.py", line: 6, column: 21 }, steps: [] },
  ]);
});

test("steps of all threads in the order in which they happen", () => {
  const thread = (id, ...orders) => ({
    id,
    locations: orders.map((n) => ({ executionOrder: n, location: { ...location("a.py", n), message: { text: `s${n}` } } })),
  });
  const flows = [{ threadFlows: [thread("thread 0", 1, 3), thread("thread 1", 2)] }];
  const [found] = problems(logOf({ ruleId: "r", level: "error", message: { text: "m" }, codeFlows: flows }), "/");
  assert.deepEqual(
    found.steps.map(({ order, thread: id, says }) => [order, id, says]),
    [[1, "thread 0", "s1"], [2, "thread 1", "s2"], [3, "thread 0", "s3"]],
  );
});

test("a step of the library's client has no place in the reader's files", () => {
  const flows = [{ threadFlows: [{ id: "thread 0", locations: [{ executionOrder: 1, location: {} }] }] }];
  const [found] = problems(logOf({ ruleId: "r", level: "warning", message: { text: "m" }, codeFlows: flows }), "/");
  assert.deepEqual([found.steps, found.error, found.place], [[], false, undefined]);
});

test("an empty log has no problems", () => assert.deepEqual(problems({ runs: [] }, "/"), []));
