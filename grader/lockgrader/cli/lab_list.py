"""List the installed labs, and those that you have started.

``--json`` prints a list of ``{"lab", "title", "points", "state", "best", "folder"}``.
"""

from __future__ import annotations

from pathlib import Path

import typer

from lockgrader.lab import LabError, load
from lockgrader.workspace.folder import WorkspaceError, workspaces
from locklabs import find, names
from lockui import tables
from lockui.command import command
from lockui.console import console, say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def list_(dir_: Path = Path("."), json: bool = False) -> None:
    """List the installed labs, and those that you have started near this folder."""
    rows: list[dict[str, object]] = []
    begun = set()
    for one in workspaces(dir_):
        try:
            state, checks = one.state, one.lab.check
        except (WorkspaceError, LabError):  # 'lab check' in that folder says why
            rows.append({"lab": one.folder.name, "title": "", "points": None, "best": None})
            rows[-1] |= {"state": "unreadable", "folder": str(one.folder)}
            continue
        begun.add(state.lab)
        points = sum(raw.get("points", 0) for raw in checks)
        progress = "solved" if state.solved else f"{state.best:.4g} of {points:g}"
        rows.append({"lab": state.lab, "title": state.title, "points": points, "state": progress})
        rows[-1] |= {"best": state.best, "folder": str(one.folder)}
    for name in names():
        if name not in begun:
            lab = load(find(name))
            points = sum(raw.get("points", 0) for raw in lab.check if raw.get("public", True))
            rows.append({"lab": name, "title": lab.title, "points": points, "state": "not begun"})
            rows[-1] |= {"best": None, "folder": None}
    rows.sort(key=lambda row: (str(row["lab"]), str(row["folder"])))
    if json:
        print_json(rows)
        return
    if not rows:
        say(
            "no lab is installed, and none was started near this folder\n"
            "help: start the bundle that you received: locklab lab start LAB.zip"
        )
        return
    table = tables.table()
    for name in ("lab", "title", "points", "state", "folder"):
        tables.add(table, name, fold=name in ("title", "folder"))
    for row in rows:
        points = "" if row["points"] is None else f"{row['points']:g}"
        where = _from_here(Path(str(row["folder"]))) if row["folder"] else ""
        table.add_row(str(row["lab"]), str(row["title"]), points, str(row["state"]), where)
    tables.print_table(console(), table)
    say("\npoints: of the public checks; the grader also runs hidden checks")


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
