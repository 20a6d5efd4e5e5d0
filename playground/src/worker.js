// The worker: Python compiled to WebAssembly, LockLab's own code, and the wheels that it needs.
// All come from this page's own folder.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (name) => new URL(name, import.meta.url).href;

async function start() {
  const [python, wheels, ours] = await Promise.all([
    loadPyodide({ indexURL: here("pyodide/") }),
    fetch(here("wheels/list.json")).then((found) => found.json()),
    fetch(here("locklab.zip")).then((found) => found.arrayBuffer()),
  ]);
  const quiet = { messageCallback: () => {} };
  await python.loadPackage(wheels.map((wheel) => here(`wheels/${wheel}`)), quiet);
  python.unpackArchive(ours, "zip", { extractDir: "/locklab" });
  python.runPython("import sys; sys.path.insert(0, '/locklab')");
  return python.pyimport("locksim.play.worker");
}

const started = start();
let alive = false;
started.then(
  () => {
    alive = true;
    postMessage({ ready: "" });
  },
  (error) => postMessage({ ready: `Python cannot be started here: ${error.message}` }),
);

onmessage = async ({ data: { id, ask, said } }) => {
  try {
    const report = (what, share) => postMessage({ id, progress: [what, share] });
    const text = (await started).answer(ask, JSON.stringify(said), report);
    if (typeof text !== "string") throw new Error("there was no answer");
    postMessage({ id, answer: JSON.parse(text) });
  } catch (error) {
    // An exception of Python's leaves it alive. Anything else, such as a full stack, has ended it.
    postMessage({ id, failed: error.message, ended: alive && error.name !== "PythonError" });
  }
};
