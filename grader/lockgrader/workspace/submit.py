"""Make the archive to hand in, and warn about everything that the grader could not grade."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lockgrader.author.bundle import archive
from lockgrader.files import write_bytes
from lockgrader.grade import accept
from lockgrader.read.record import RECORD
from lockgrader.read.refused import Refused
from lockgrader.read.submission import read
from lockgrader.sandbox import Profile
from lockgrader.workspace.attempt import Changed, changed, public_checks
from lockgrader.workspace.folder import State, Workspace, WorkspaceError


@dataclass(frozen=True)
class HandedIn:
    """An archive to hand in.

    Arguments:
        path: of the archive. files: in it, without the record. sha256: of all of them.
        warnings: warnings about what will cost points.
    """

    path: Path
    files: tuple[str, ...]
    sha256: str
    warnings: tuple[str, ...]


def default_name(state: State) -> str:
    """The archive's name: the student and the lab."""
    return f"{state.student}-{state.lab.partition('-')[0]}.zip"


def submit(workspace: Workspace, out: Path, profile: Profile = "namespaces") -> HandedIn:
    """Make the archive.

    Arguments:
        workspace: the student's. out: the archive; an earlier archive is replaced.
        profile: the sandbox in which the files are tried.

    Raises:
        Refused: it could not be graded. WorkspaceError: it cannot be written there.
        SandboxError: there is no sandbox.
    """
    state, lab = workspace.state, workspace.lab
    _may_write(out)
    found = read(workspace.folder, lab.wanted())
    found.files.pop(RECORD, None)  # of an archive that was unpacked here
    if not found.files:
        names = ", ".join(lab.wanted())
        raise WorkspaceError(f"there is nothing to hand in: write at least one of {names}")
    refused: dict[str, Refused] = {}
    submitted = accept(lab, public_checks(workspace), found, refused, profile)
    for error in refused.values():
        if error.verdict == "ungradable":
            raise error
    data = archive({**found.files, RECORD: record(state)})
    try:
        write_bytes(out, data)
    except OSError as error:
        raise WorkspaceError(f"{out} cannot be written: {error.strerror}") from error
    again = read(out, lab.wanted())
    if {n: d for n, d in again.files.items() if n != RECORD} != found.files:
        raise WorkspaceError(f"{out} was not written completely; is the disk full?")
    warnings = _warnings(workspace, refused, changed(state, submitted.answers))
    return HandedIn(out, tuple(sorted(found.files)), again.sha256, warnings)


def record(state: State) -> bytes:
    """The record of a workspace, as the archive holds it: what was predicted, and when."""
    document = {
        "format": 1,
        "lab": state.lab,
        "student": state.student,
        "variant": state.variant,
        "started": state.started.isoformat(),
        "attempts": state.attempts,
        "best": state.best,
        "solved": state.solved,
        "hints_seen": {name: hints.seen for name, hints in state.hints.items()},
        "predictions": {
            name: {"values": list(p.values), "at": p.at.isoformat()}
            for name, p in state.predictions.items()
        },
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def _warnings(
    workspace: Workspace, refused: dict[str, Refused], changes: list[Changed]
) -> tuple[str, ...]:
    state = workspace.state
    found = [error.message for error in refused.values()]
    for name, before in changes:
        values = ", ".join(f"{v:g}" for v in before.values)
        found.append(
            f"the prediction {name} was [{values}] before the first measurement and "
            f"differs now; {RECORD} in the archive says so, which costs no points"
        )
    asked = [n for c in public_checks(workspace) for n in c.predictions]
    if any(name not in state.predictions for name in asked):
        found.append("nothing was measured yet: run 'locklab lab check' to see what is missing")
    return tuple(found)


def _may_write(out: Path) -> None:
    """Refuse to replace a file that is not an earlier archive of this command."""
    if out.is_dir():
        raise WorkspaceError(f"-o {out} is a folder; name a file, such as {out / 'lab.zip'}")
    if not out.exists():
        return
    try:
        with zipfile.ZipFile(out) as old:
            if RECORD in old.namelist():
                return
    except (OSError, zipfile.BadZipFile):
        pass
    raise WorkspaceError(f"-o {out} exists and was not made by this command; name another file")
