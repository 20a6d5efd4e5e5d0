"""Make the bundle for students: no hidden checks, no solution."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from lockgrader.author.bundle import bundles
from lockgrader.cli.options import LabName
from lockgrader.course.roster import read_roster
from lockgrader.lab.variants import PUBLIC_KEY, course_key
from lockgrader.workspace.folder import student_name
from locklabs import find
from lockui.arguments import folder_to_write
from lockui.command import Detail, command
from lockui.console import say
from lockui.errors import UsageError, saving
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class BundleEntry(TypedDict):
    """A bundle: whose it is ("" for everybody's), and what it holds."""

    file: str
    student: str
    files: list[str]
    sha256: str


@command(app)
def bundle(
    lab: LabName,
    out: Annotated[Path | None, Detail("the zip; with --roster a folder of them")] = None,
    student: Annotated[str, Detail("makes their bundle, with their values")] = "",
    roster: Annotated[Path | None, Detail("makes a bundle for each")] = None,
    key: Annotated[
        Path | None, Detail("without it a public one: anyone can compute the values", rare=False)
    ] = None,
) -> Report[list[BundleEntry]]:
    """Make the bundle for students: no hidden checks, no solution, the same bytes each time."""
    home, secret = find(lab), course_key(key)
    if roster and student:
        raise UsageError("give either --student or --roster")
    students = _students(roster) if roster else [student_name(student)] if student else []
    if not students and secret != PUBLIC_KEY:
        raise UsageError(
            "with a course key, only the course can compute a student's values: "
            "make a bundle for each student with --roster FILE or --student NAME"
        )
    made = bundles(home, students, secret)
    short = home.resolve().name.partition("-")[0]
    if roster:
        target = folder_to_write(out or Path(f"{short}-bundles"), "--out")
        paths = [target / f"{one.student}-{short}.zip" for one in made]
    else:
        paths = [out or Path(f"{student}-{short}.zip" if student else f"{short}.zip")]
    rows: list[BundleEntry] = []
    for path, one in zip(paths, made, strict=True):
        with saving("--out"):
            path.write_bytes(one.data)
        digest = hashlib.sha256(one.data).hexdigest()
        rows.append(
            BundleEntry(file=str(path), student=one.student, files=list(one.files), sha256=digest)
        )

    def show(view: Console) -> None:
        for row in rows:
            say(f"{row['file']}: {', '.join(row['files'])}", view)

    return Report(rows, show)


def _students(path: Path) -> list[str]:
    """Return the students of a course's roster, or of a file with one on each line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--roster {path} cannot be read: {error}") from error
    if any("login" in line.casefold().replace(";", ",").split(",") for line in lines[:1]):
        return [student_name(login) for login in read_roster(path)]
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not names:
        raise UsageError(f"--roster {path} names no student; write one on each line")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"--roster {path} names {', '.join(twice)} twice")
    return [student_name(name) for name in names]
