"""List the installed labs, and those that you have started."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typing_extensions import TypedDict

from lockgrader.lab import LabError, load
from lockgrader.workspace.folder import WorkspaceError, workspaces
from locklabs import find, names
from lockui import tables
from lockui.command import command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

UNREADABLE = "unreadable"
"""State of a folder whose state cannot be read."""


class LabEntry(TypedDict):
    """A lab, and ``points`` of its public checks.

    ``folder`` is where it was started, ``best`` the most points there; null if it was not.
    """

    lab: str
    title: str
    points: float | None
    state: str
    best: float | None
    folder: str | None


@command(app)
def list_(dir_: Path = Path(".")) -> Report[list[LabEntry]]:
    """List the installed labs, and those that you have started near this folder."""
    rows = [*_started(dir_)]
    begun = {row["lab"] for row in rows if row["state"] != UNREADABLE}
    rows += [_installed(name) for name in names() if name not in begun]
    rows.sort(key=lambda row: (row["lab"], str(row["folder"])))
    return Report(rows, lambda view: _print(view, rows))


def _started(near: Path) -> Iterator[LabEntry]:
    """Yield the labs that were started near a folder."""
    for one in workspaces(near):
        folder = str(one.folder)
        try:
            state, checks = one.state, one.lab.check
        except (WorkspaceError, LabError):  # 'lab check' in that folder says why
            name = one.folder.name
            yield LabEntry(
                lab=name, title="", points=None, state=UNREADABLE, best=None, folder=folder
            )
            continue
        points = sum(raw.get("points", 0) for raw in checks)
        yield LabEntry(
            lab=state.lab,
            title=state.title,
            points=points,
            state="solved" if state.solved else f"{state.best:.4g} of {points:g}",
            best=state.best,
            folder=folder,
        )


def _installed(name: str) -> LabEntry:
    """Return a lab that was not started."""
    lab = load(find(name))
    points = sum(raw.get("points", 0) for raw in lab.check if raw.get("public", True))
    return LabEntry(
        lab=name, title=lab.title, points=points, state="not begun", best=None, folder=None
    )


def _print(view: Console, rows: Sequence[LabEntry]) -> None:
    if not rows:
        say(
            "no lab is installed, and none was started near this folder\n"
            "help: start the bundle that you received: locklab lab start LAB.zip",
            view,
        )
        return
    table = tables.table()
    for name in ("lab", "title", "points", "state", "folder"):
        tables.add(table, name, fold=name in ("title", "folder"))
    for row in rows:
        points = "" if row["points"] is None else f"{row['points']:g}"
        where = _from_here(Path(row["folder"])) if row["folder"] else ""
        table.add_row(row["lab"], row["title"], points, row["state"], where)
    tables.print_table(view, table)
    say("\npoints: of the public checks; the grader also runs hidden checks", view)


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
