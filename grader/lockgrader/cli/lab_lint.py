"""Check labs before students see them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from lockgrader.author.lint import Item
from lockgrader.author.lint import lint as examine
from lockgrader.cli import values
from lockgrader.cli.lint_show import show_lint
from lockgrader.cli.sandbox import OwnWork, usable
from locklabs import find, names
from lockui.arguments import bounded, folder_to_write
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress
from lockui.errors import UsageError
from lockui.portable import usable_cpus
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

KEPT = Path("out/lint")
"""Where lint keeps what it has graded."""


class LintEntry(TypedDict):
    """A lab: its properties, and how many students and variants were tried.

    ``draw`` repeats the run with ``--seed``. ``cpu_s`` is processor time, of which an earlier run
    has spent ``kept_s``.
    """

    lab: str
    ok: bool
    students: int
    variants: int
    draw: int
    cpu_s: float
    kept_s: float
    items: list[Item]


@command(app)
def lint(
    labs: Annotated[
        list[str] | None,
        typer.Argument(
            help="folders or names; by default all",
            metavar="LAB",
            autocompletion=among(values.labs),
        ),
    ] = None,
    count: Annotated[
        int, Detail("students to try the solution for; 0: check files only", rare=False)
    ] = 20,
    jobs: Annotated[int | None, Detail(default="as many as CPUs")] = None,
    seed: Annotated[
        int | None, Detail("of the students to try right submissions for", default="today's")
    ] = None,
    out: Annotated[Path, Detail("what is graded, so that an ended run goes on")] = KEPT,
    again: bool = False,
    all_: Annotated[bool, Detail("every property, also those that hold")] = False,
    sandbox: OwnWork = "namespaces",
) -> Report[list[LintEntry]]:
    """Check labs before students see them: solution passes, starter fails, hints exist, and more.

    grader/README.md lists all properties. Exit code 0: all hold. 1: some do not.
    """
    folders = [find(name) for name in labs or names()]
    if not folders:
        raise UsageError("no lab is installed here: name a lab's folder")
    bounded(count, "--count", 0, 10_000)
    processes = bounded(usable_cpus() if jobs is None else jobs, "--jobs", 1, 256)
    today = datetime.now(UTC).date().toordinal()
    draw = bounded(today if seed is None else seed, "--seed", 0, 10**9)
    profile = usable(sandbox)
    folder_to_write(out, "--out")
    with progress("lint") as report:
        made = [
            examine(
                one,
                students=count,
                draw=draw,
                processes=processes,
                profile=profile,
                keep=out,
                again=again,
                report=report,
            )
            for one in folders
        ]
    document = [
        LintEntry(
            lab=one.lab,
            ok=one.ok,
            students=one.students,
            variants=one.variants,
            draw=one.draw,
            cpu_s=round(one.cpu_s, 1),
            kept_s=round(one.kept_s, 1),
            items=list(one.items),
        )
        for one in made
    ]

    def show(_: Console) -> None:
        for one in made:
            show_lint(one, every=all_)

    return Report(document, show, int(not all(one.ok for one in made)))
