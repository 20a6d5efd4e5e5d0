// The worker: Python compiled to WebAssembly, and LockLab's own code. All comes from this page's own
// folder: first what a check needs, the rest when a question misses it.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (name) => new URL(name, import.meta.url).href;
const plain = self.fetch;

/** Ask for all parts at once, as Pyodide fetches one after the other, and report how much is here.
 *  A part may lie there compressed, so that a server that compresses nothing sends few bytes, too.
 *  @param sizes bytes of each part's file. Gives answers by address. */
function load(sizes) {
  const all = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  let loaded = 0;
  const count = (chunk, out) => {
    loaded += chunk.length;
    postMessage({ loaded: [loaded, all] });
    out.enqueue(chunk);
  };
  const part = async (file, name) => {
    const found = await plain(here(file));
    if (!found.ok) throw new Error(`${file} cannot be loaded (${found.status})`);
    const counted = found.body.pipeThrough(new TransformStream({ transform: count }));
    const body = file === name ? counted : counted.pipeThrough(new DecompressionStream("gzip"));
    return new Response(body, { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "text/javascript" } });
  };
  const named = Object.keys(sizes).map((file) => [file, file.replace(/\.packed$/, "")]);
  return new Map(named.map(([file, name]) => [here(name), part(file, name)]));
}

/** Write the files of an archive: a line of JSON has their lengths, then come their bytes. */
function unpack(FS, bytes, folder) {
  const line = bytes.indexOf(10), lengths = JSON.parse(new TextDecoder().decode(bytes.subarray(0, line)));
  let at = line + 1;
  for (const [name, length] of Object.entries(lengths)) {
    const path = `${folder}/${name}`;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, bytes.subarray(at, (at += length)));
  }
}

async function start() {
  const { lock, first, rest } = await (await plain(here("parts.json"))).json();
  const parts = load(first);
  self.fetch = (address, options) => parts.get(String(address)) ?? plain(address, options);
  const script = URL.createObjectURL(await (await fetch(here("pyodide/pyodide.asm.mjs"))).blob());
  const { default: createPyodideModule } = await import(script);
  const python = await loadPyodide({
    indexURL: here("pyodide/"), stdLibURL: here("first.zip"), lockFileContents: lock, createPyodideModule });
  unpack(python.FS, new Uint8Array(await (await fetch(here("locklab"))).arrayBuffer()), "/locklab");
  python.runPython("import sys; sys.path.insert(0, '/locklab')");
  return { python, parts, rest, worker: python.pyimport("locksim.play.worker") };
}

/** Load what no check needs: all of Python's library, and the wheels. */
async function complete({ python, parts, rest }) {
  const more = load(rest);
  await Promise.all(more.values());
  for (const [address, part] of more) parts.set(address, part);
  const library = await (await fetch(here("pyodide/python_stdlib.zip"))).arrayBuffer();
  python.FS.writeFile("/lib/python314.zip", new Uint8Array(library));
  python.runPython("import importlib; importlib.invalidate_caches()");
  await python.loadPackage(Object.keys(rest).filter((name) => name.endsWith(".whl")).map(here), { messageCallback: () => {} });
  postMessage({ ready: "" });
}

let completed = null;
/** Ask Python; a question that misses a module is asked again when the rest is there. */
async function answer(...asked) {
  const { worker } = await started;
  try {
    return worker.answer(...asked);
  } catch (error) {
    if (!/^ModuleNotFoundError/m.test(error.message)) throw error;
  }
  try {
    await (completed ??= started.then(complete));
  } catch (error) {
    completed = null;
    const message = `a part of Python cannot be loaded (${error.message})`;
    return JSON.stringify({ error: { line: 0, message, help: "connect to the network, and try again" } });
  }
  return worker.answer(...asked);
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
    const text = await answer(ask, JSON.stringify(said), report);
    if (typeof text !== "string") throw new Error("there was no answer");
    postMessage({ id, answer: JSON.parse(text) });
  } catch (error) {
    // An exception of Python's leaves it alive. Anything else, such as a full stack, has ended it.
    postMessage({ id, failed: error.message, ended: alive && error.name !== "PythonError" });
  }
};
