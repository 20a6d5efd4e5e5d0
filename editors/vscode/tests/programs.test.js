"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { programAt, programs } = require("../src/programs.js");

const TEXT = `from locksim.lang import *

class First(Lock):
    held = word()


class Second(
    Lock,
):
    pass

class Plain:
    pass
`;

test("classes with a base, in a file that imports the language", () => {
  assert.deepEqual(programs(TEXT), [
    { name: "First", line: 2 },
    { name: "Second", line: 6 },
  ]);
});

test("a file without the language has none", () => {
  assert.deepEqual(programs("class First(Lock):\n    pass\n"), []);
});

test("a line belongs to the program that begins above it, lines before the first to the first", () => {
  assert.equal(programAt(TEXT, 4).name, "First");
  assert.equal(programAt(TEXT, 8).name, "Second");
  assert.equal(programAt(TEXT, 0).name, "First");
  assert.equal(programAt("", 0), undefined);
});
