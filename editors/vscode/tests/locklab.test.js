"use strict";

const assert = require("node:assert");
const { existsSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { locklab, textOf, withFolder } = require("../src/locklab.js");

test("exit code and all that was said; words never reach a shell", async () => {
  const program = "console.log(process.argv[1]); console.error('err'); process.exit(3)";
  const done = await locklab(process.execPath, ["-e", program, "$(id); a b"], { cwd: "." });
  assert.equal(done.code, 3);
  assert.match(done.said, /\$\(id\); a b\n/);
  assert.match(done.said, /err\n/);
});

test("a relative path starts from the workspace", async () => {
  await withFolder(async (folder) => {
    writeFileSync(path.join(folder, "say.sh"), "#!/bin/sh\necho said\n", { mode: 0o755 });
    const done = await locklab("./say.sh", [], { cwd: "/", workspace: folder });
    assert.deepEqual(done, { code: 0, said: "said\n" });
  });
});

test("a missing command is an error", async () => {
  await assert.rejects(locklab("no-such-command-here", [], { cwd: "." }), { code: "ENOENT" });
});

test("a stopped command gives no exit code", async () => {
  const stop = new AbortController();
  const running = locklab(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { cwd: ".", signal: stop.signal });
  stop.abort();
  assert.equal((await running).code, null);
});

test("a folder is gone afterwards, and a file that was not written has no text", async () => {
  let made;
  const text = await withFolder((folder) => textOf(path.join((made = folder), "none")));
  assert.deepEqual([text, existsSync(made)], [undefined, false]);
});
