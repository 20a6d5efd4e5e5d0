"""Write what the playground's page loads beside its script: our Python, the menu and the levels.

    python playground/pack.py FOLDER

``FOLDER/pyodide`` and ``FOLDER/wheels`` hold Python and the wheels already.
"""

from __future__ import annotations

import gzip
import json
import sys
import zipfile
from pathlib import Path

from locksim.play.catalogue import examples, levels, library

ROOT = Path(__file__).resolve().parents[1]
ROWS = ("checker", "compiler", "core", "engine", "kinds", "lang", "library", "machine", "play")
"""The rows of locksim that the page runs; none of them needs numpy."""


def archive(path: Path) -> None:
    """Our Python code; the same tree gives the same bytes."""
    sim = ROOT / "sim"
    files = [file for row in ROWS for file in (sim / "locksim" / row).rglob("*.*")]
    files += (sim / "locksim").glob("*.py")
    found = {file.relative_to(sim): file for file in files if file.suffix in (".py", ".toml")}
    ui = ROOT / "ui"
    found |= {file.relative_to(ui): file for file in (ui / "lockui").glob("*.py")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(found):
            # A ZipInfo without a time has the oldest one that there is.
            packed.writestr(
                zipfile.ZipInfo(name.as_posix()), found[name].read_bytes(), zipfile.ZIP_DEFLATED
            )


def parts(folder: Path) -> None:
    """Compress what is not compressed, and write the list of what the worker loads.

    The list holds the bytes of each part, and Pyodide's own list without the packages that it
    offers and nobody here asks for.
    """
    python = folder / "pyodide"
    for name in ("pyodide.asm.wasm", "pyodide.asm.mjs"):
        # No suffix that a server knows: it would have the browser uncompress the file once more.
        packed = gzip.compress((python / name).read_bytes(), 9, mtime=0)
        (python / f"{name}.packed").write_bytes(packed)
        (python / name).unlink()
    found = [*sorted(python.glob("*.packed")), python / "python_stdlib.zip"]
    found += [folder / "locklab.zip", *sorted((folder / "wheels").glob("*.whl"))]
    lock = python / "pyodide-lock.json"
    listed = {
        "sizes": {file.relative_to(folder).as_posix(): file.stat().st_size for file in found},
        "lock": json.loads(lock.read_text("utf-8")) | {"packages": {}},
    }
    lock.unlink()
    _write(folder / "parts.json", listed)


def main(folder: Path) -> None:
    """Write all of it."""
    archive(folder / "locklab.zip")
    parts(folder)
    menu = {"Lessons": examples(), "Library": [*library().items()]}
    said = {
        group: [{"title": title, "argument": asked.to_json()} for title, asked in of]
        for group, of in menu.items()
    }
    _write(folder / "examples.json", said)
    listed = []
    (folder / "levels").mkdir(exist_ok=True)
    for level in levels():
        said = level.to_json()
        file = f"levels/{level.name}.json"
        _write(folder / file, said)
        listed.append(
            {key: said[key] for key in ("number", "name", "title", "steps")} | {"file": file}
        )
    _write(folder / "levels" / "list.json", listed)


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
