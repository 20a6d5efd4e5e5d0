"""Write what the playground's page loads beside its script: our Python, the menu and the levels.

python playground/pack.py FOLDER
"""

from __future__ import annotations

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


def main(folder: Path) -> None:
    """Write all of it."""
    archive(folder / "locklab.zip")
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
