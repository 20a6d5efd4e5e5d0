"""Compare the student's solution with the lab's, after the student has solved the lab."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

import locklabs
from lockgrader.workspace.folder import Workspace, WorkspaceError


@dataclass(frozen=True)
class Compared:
    """A file and its difference: lines with - are the student's, with + the lab's."""

    file: str
    diff: str


def compare(workspace: Workspace) -> list[Compared]:
    """The differences between the student's code and the solution, by file.

    Raises:
        WorkspaceError: the lab is not solved yet, or the solution is not here.
    """
    state = workspace.state
    if not state.solved:
        best = f"{state.best:.4g} of {state.max_points:g} public points so far"
        so_far = best if state.max_points else "'locklab lab check' has not run yet"
        raise WorkspaceError(f"the solution is shown after all your checks have passed: {so_far}")
    try:
        folder = locklabs.find(state.lab) / "solution"
    except locklabs.UnknownLabError:
        folder = Path("/nonexistent")
    if not folder.is_dir():
        raise WorkspaceError("the solution is not part of the bundle: your instructor releases it")
    answers = Path(workspace.lab.answers).stem
    made = []
    for name in workspace.lab.wanted():
        ours = folder / name
        if ours.is_file() and ours.stem != answers:
            made.append(Compared(name, _diff(workspace.folder / name, ours)))
    return made


def _diff(theirs: Path, ours: Path) -> str:
    old = theirs.read_text(encoding="utf-8", errors="replace") if theirs.is_file() else ""
    new = ours.read_text(encoding="utf-8")
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"yours/{theirs.name}", f"ours/{ours.name}", lineterm=""
    )
    return "\n".join(lines)
