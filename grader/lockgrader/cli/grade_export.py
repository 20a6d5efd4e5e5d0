"""Write results for course platforms, CI servers, databases and people.

``--json`` prints ``{"results", "files": [...], "gradebook": {"new_attempts"} | null}``, with
``--before`` also ``"gain": [{"name", "students", "before", "after", "gain", "low", "high"}]``.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

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
from lockui.document import print_json
from lockui.errors import UsageError

app = typer.Typer(add_completion=False)


@command(app)
def export(
    results: Results,
    to: Annotated[list[str] | None, Detail(values=among(values.export_formats))] = None,
    out: Annotated[Path | None, Detail("by default RESULTS")] = None,
    gradebook: Annotated[str, Detail("enters all results, with their history", rare=False)] = "",
    before: Annotated[Path | None, Detail("in items.csv", rare=False)] = None,
    json: bool = False,
) -> None:
    """Write existing results in other formats; nothing is graded.

    Without --to and --gradebook: all formats that a batch writes.
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
    if json:
        entered = None if new is None else {"new_attempts": new}
        document = {"results": len(loaded), "files": files, "gradebook": entered}
        print_json(document | ({"gain": [asdict(one) for one in gained]} if gained else {}))
        return
    if gained:
        show_gain(gained)
    for path in files:
        say(f"{path}")
    if new is not None:
        say(f"gradebook: {new} new attempts of {len(loaded)} students")
