"""Write results for course platforms, CI servers, databases and people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NotRequired

import typer
from typing_extensions import TypedDict

from lockgrader.cli import values
from lockgrader.cli.options import Results
from lockgrader.cli.show import say_withheld, show_gain
from lockgrader.export import BATCH, load_all
from lockgrader.export import export as write_all
from lockgrader.report.items import FEW, Gain, gain
from lockui.arguments import folder_to_write
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say, warn
from lockui.document import plain
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class GradebookAnswer(TypedDict):
    """What is new in the gradebook."""

    new_attempts: int


class GainEntry(TypedDict):
    """What a class has gained in a question, or in "all"; null where it cannot be told."""

    name: str
    students: int
    before: float
    after: float
    gain: float | None
    low: float | None
    high: float | None


class ExportAnswer(TypedDict):
    """The number of results, the files that were written, and ``gain`` if it was asked for."""

    results: int
    files: list[str]
    gradebook: GradebookAnswer | None
    gain: NotRequired[list[GainEntry]]


@command(app)
def export(
    results: Results,
    to: Annotated[list[str] | None, Detail(values=among(values.export_formats))] = None,
    out: Annotated[Path | None, Detail(default="RESULTS")] = None,
    gradebook: Annotated[str, Detail("enters all results, with their history", rare=False)] = "",
    before: Annotated[Path | None, Detail("in items.csv", rare=False)] = None,
) -> Report[ExportAnswer]:
    """Write existing results in other formats; nothing is graded.

    'locklab grade LAB FOLDER --out RESULTS' has written csv, canvas, moodle, junit and html
    already; without --to and --gradebook they are written anew.
    """
    loaded = load_all(results)
    formats = tuple(to or ()) or (() if gradebook else BATCH)
    gained: list[Gain] = []
    if before is not None:
        if to not in (None, ["items"]):
            raise UsageError("--before is for --to items; leave other formats out")
        formats, gained = ("items",), gain(load_all(before), loaded)
    folder = results if out is None else folder_to_write(out, "--out")
    files = write_all(loaded, formats, folder, gained)
    new = None
    if gradebook:
        from lockgrader.export.gradebook import enter

        students = [path.parent.name for path in sorted(results.glob("*/result.json"))]
        new = enter(results, students, gradebook)
    say_withheld(loaded)
    if gained and gained[0].students < FEW:
        warn(
            f"{gained[0].students} students answered both quizzes: the gain of so few is not sharp"
        )
    document = ExportAnswer(
        results=len(loaded),
        files=[str(path) for path in files],
        gradebook=None if new is None else {"new_attempts": new},
    )
    if gained:
        document["gain"] = plain(gained)

    def show(view: Console) -> None:
        if gained:
            show_gain(gained)
        for path in files:
            say(f"{path}", view)
        if new is not None:
            say(f"gradebook: {new} new attempts of {len(loaded)} students", view)

    return Report(document, show)
