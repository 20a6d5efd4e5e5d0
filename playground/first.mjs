// What the worker loads first, made when the page is built: a browser that loads and compiles little
// has its first verdict sooner.
//
//     node first.mjs FOLDER
//
// asks FOLDER's Python what the page asks about two programs of its menu, a wrong one and a right
// one. The modules of Python's library that were imported go into FOLDER/first.zip.packed, compiled.
// FOLDER/locklab.packed is FOLDER/locklab.zip with the compiled form of ours. The rest comes when a
// question misses a module (worker.js). FOLDER/parts.json has the bytes of each part.

import fs from "node:fs";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const folder = process.argv[2];
const read = (name) => new Uint8Array(fs.readFileSync(`${folder}/${name}`));
const python = await loadPyodide();
python.unpackArchive(read("locklab.zip"), "zip", { extractDir: "/locklab" });
python.FS.writeFile("/locklab.zip", read("locklab.zip"));
python.FS.writeFile("/menu.json", read("examples.json"));
python.FS.writeFile("/library.zip", read("pyodide/python_stdlib.zip"));
python.runPython(`
import importlib.util, json, marshal, sys, zipfile

sys.path.insert(0, "/locklab")
from locksim.play.worker import answer


def ask(what, **said):
    found = json.loads(answer(what, json.dumps(said), lambda text, share: None))
    if "error" in found:
        raise SystemExit(f"{what}: {found['error']}")
    return found


menu = {shown["argument"]["file"]: shown["argument"] for shown in json.load(open("/menu.json"))["Lessons"]}
for file in "wrong_ttas.py", "tas.py":
    for memory in "sc", "tso", "c11":
        few = menu[file] | {"threads": 2, "memory": memory}
        ask("read", file=file, text=few["text"])
        ask("check", **few)
        ask("game", **few)
        ask("move", argument=few, ask="hint", path=[])
        ask("open", **ask("link", **few))
ask("compare", claimed={}, found={})
answer("read", json.dumps({"file": "lock.py", "text": "class L(Lock):\\n    w = word("}), print)
imported = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}


def compiled(name, text, optimize):
    code = compile(text, name, "exec", dont_inherit=True, optimize=optimize)
    # Flag 1: a hash of the source stands in the file, and is not compared.
    return importlib.util.MAGIC_NUMBER + b"\\1\\0\\0\\0" + importlib.util.source_hash(text) + marshal.dumps(code)


ALWAYS = ("pyodide/", "_pyodide/")  # a browser may need other ones of these than Node
ENCODINGS = ("ascii", "cp437", "idna", "latin_1", "utf_8")  # a missing one has no import error
first = {}
with zipfile.ZipFile("/library.zip") as library:
    for name in library.namelist():
        path = f"/lib/python314.zip/{name}"
        wanted = path in imported or name.startswith(ALWAYS) or name in {f"encodings/{e}.py" for e in ENCODINGS}
        if wanted and name.endswith(".py"):
            first[f"{name}c"] = compiled(path, library.read(name), 2)  # 2: without docstrings
        elif wanted and not name.endswith("/"):
            first[name] = library.read(name)
with zipfile.ZipFile("/locklab.zip") as packed:
    ours = {name: packed.read(name) for name in packed.namelist()}
for path in sorted(imported):
    if path.startswith("/locklab/"):
        name = importlib.util.cache_from_source(path).removeprefix("/locklab/")
        ours[name] = compiled(path, open(path, "rb").read(), 0)
with zipfile.ZipFile("/first.zip", "w") as library:  # not compressed: the browser's own code is faster
    for name, data in first.items():
        library.writestr(zipfile.ZipInfo(name), data)  # without a time: the same tree, the same bytes
with open("/ours", "wb") as file:
    file.write(json.dumps({name: len(data) for name, data in ours.items()}).encode() + b"\\n")
    file.writelines(ours.values())
`);

/** No suffix that a server knows: it would have the browser uncompress the file once more. */
const pack = (name, bytes) => fs.writeFileSync(`${folder}/${name}.packed`, gzipSync(bytes, { level: 9 }));
for (const name of ["pyodide/pyodide.asm.wasm", "pyodide/pyodide.asm.mjs"]) {
  pack(name, read(name));
  fs.rmSync(`${folder}/${name}`);
}
pack("first.zip", python.FS.readFile("/first.zip"));
pack("locklab", python.FS.readFile("/ours"));
fs.rmSync(`${folder}/locklab.zip`);
const sizes = (names) => Object.fromEntries(names.map((name) => [name, fs.statSync(`${folder}/${name}`).size]));
const wheels = fs.readdirSync(`${folder}/wheels`).sort().map((name) => `wheels/${name}`);
// Pyodide's own list, without the packages that it offers and nobody here asks for.
const lock = { ...JSON.parse(fs.readFileSync(`${folder}/pyodide/pyodide-lock.json`)), packages: {} };
fs.rmSync(`${folder}/pyodide/pyodide-lock.json`);
fs.writeFileSync(`${folder}/parts.json`, JSON.stringify({
  first: sizes(["pyodide/pyodide.asm.wasm.packed", "pyodide/pyodide.asm.mjs.packed", "first.zip.packed", "locklab.packed"]),
  rest: sizes(["pyodide/python_stdlib.zip", ...wheels]),
  lock,
}));
