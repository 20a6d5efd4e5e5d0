"""Run the public checks; again and again with --watch."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Annotated

import typer
from typing_extensions import TypedDict

from lockgrader.cli import values
from lockgrader.cli.answers import ResultAnswer
from lockgrader.cli.answers import document as document_of
from lockgrader.cli.lab_show import Live, show_result
from lockgrader.cli.sandbox import HERE, OwnWork, usable
from lockgrader.judging.evaluate import warm
from lockgrader.judging.needs import with_needs
from lockgrader.read.record import Locked
from lockgrader.result import Result
from lockgrader.workspace.attempt import attempt, public_checks, to_do
from lockgrader.workspace.folder import find
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import PATIENCE_S, progress, stderr
from lockui.document import print_json
from lockui.errors import INTERRUPTED, UsageError, saving

app = typer.Typer(add_completion=False)

EXIT_NOT_YET, EXIT_GRADER_ERROR = 1, 3


class LabCheckAnswer(TypedDict):
    """A run of the public checks.

    ``next`` is the check to work on, or null. ``predictions`` are the locked ones, by name.
    ``best`` are the most points so far.
    """

    folder: str
    variant: dict[str, str | int]
    attempts: int
    best: float
    solved: bool
    next: str | None
    predictions: dict[str, Locked]
    result: ResultAnswer


@command(app, answer=LabCheckAnswer)
def check(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            help="checks to run; by default all",
            metavar="CHECK",
            autocompletion=among(values.checks),
        ),
    ] = None,
    watch: bool = False,
    all_: Annotated[bool, Detail("explain all checks that have not passed")] = False,
    dir_: Path = Path("."),
    sandbox: OwnWork = HERE,
    out: Annotated[Path | None, Detail("FILE.sarif: what is wrong, for editors")] = None,
    json: bool = False,
) -> None:
    """Run the public checks: the grader's verdicts, and what to fix next.

    Exit code 0: all checks that ran have passed. 1: not yet. 2: bad input, or no sandbox. 3: the
    grader failed in a check (internal error). With --watch: 0.
    """
    space = find(dir_)
    if watch and (only or json or out):
        raise UsageError("--watch runs all checks: leave out CHECK, --json and --out")
    if out is not None and out.suffix != ".sarif":
        raise UsageError(f"--out {out}: must end in .sarif")
    profile = usable(sandbox)
    checks = public_checks(space)
    asked = with_needs(only or [c.name for c in checks], checks)
    if any(c.engines for c in checks if c.name in asked):
        _load()
    if watch:
        from lockgrader.workspace.watch import watch as watched

        try:
            watched(space, Live(space, keys=sys.stdin.isatty()), profile=profile)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        return
    with progress("compiling") as report:

        def finished(so_far: Result) -> None:
            done = len(so_far.checks)
            report(so_far.checks[-1].title, done / max(1, len(only or checks)))

        result = attempt(space, profile=profile, only=only or (), progress=finished)
    if out is not None:
        from lockgrader.export.sarif import problems
        from lockui.sarif import write

        with saving("--out"):
            write(out, problems(result, space.lab.wanted()), space.folder)
    state = space.state
    if json:
        following = to_do(state, checks)
        print_json(
            LabCheckAnswer(
                folder=str(space.folder),
                variant=state.variant,
                attempts=state.attempts,
                best=state.best,
                solved=state.solved,
                next=None if following is None else following.name,
                predictions=state.model_dump(mode="json")["predictions"],
                result=document_of(result),
            )
        )
    else:
        show_result(space, result, every=all_ or bool(only))
    if result.errors:
        raise typer.Exit(EXIT_GRADER_ERROR)
    if any(c.verdict != "pass" for c in result.checks) and not state.solved:
        raise typer.Exit(EXIT_NOT_YET)


def _load() -> None:
    """Load checker and simulator; report it if it takes long, as after an installation."""

    def say() -> None:
        stderr().print("loading the simulator and the checker …")

    patience = threading.Timer(PATIENCE_S, say)
    patience.start()
    try:
        warm()
    finally:
        patience.cancel()
        patience.join()  # the next step forks, and threads do not survive a fork
