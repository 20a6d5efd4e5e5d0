"""Diagnose this machine's setup.

``--sandbox KIND`` tests the grader's sandbox instead, by attacking each of its protections.
``--warm`` compiles the fast engine and the checker ahead, so that no later command has to.
``--json`` prints ``{"checks": [{"name", "status", "found", "advice"}], "summary": {"ok", "warning",
"unknown", "broken"}}``: ``status`` is a key of the summary, whose values are counts; ``advice``
may be null. With ``--warm``: ``{"compiled": [NAME, ...]}``, what was not ready before.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from locksim.cli.checks import examine
from lockui import installation, tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import console, progress, say, stderr
from lockui.document import print_json
from lockui.errors import UsageError
from lockui.findings import Check, Status
from lockui.plugins import plugins

#: Entry points of the checks of the sandbox.
SANDBOX = "locklab.sandbox"

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)

# A word and a symbol each, so that the status does not depend on colour.
SIGNS: dict[Status, str] = {
    "ok": "[green]✓ ok[/green]",
    "warning": "[yellow]! warning[/yellow]",
    "unknown": "[dim]? unknown[/dim]",
    "broken": "[red]✗ broken[/red]",
}


@command(app)
def doctor(
    sandbox: Annotated[
        str, Detail("attack its protections", among(("namespaces", "platform")), rare=False)
    ] = "",
    warm: bool = False,
    json: bool = False,
) -> None:
    """Check whether this machine can simulate, and whether it can measure cleanly.

    Exit code 0 with warnings, too; 1 if a part that the simulator needs is broken, or a protection
    of the sandbox.
    """
    if warm:
        _warm(json)
        return
    checks = _sandbox(sandbox) if sandbox else examine()
    if json:
        print_json({"checks": [asdict(check) for check in checks], "summary": summary(checks)})
    else:
        _print(checks)
    if any(check.status == "broken" for check in checks):
        raise typer.Exit(1)


def _sandbox(kind: str) -> list[Check]:
    """Return the findings on the grader's sandbox; the grader offers them as a plug-in."""
    for _, load in plugins(SANDBOX):
        with progress("attacking the sandbox"):
            found: list[Check] = load()(kind)
        return found
    raise UsageError(f"--sandbox: the grader is not installed; run '{installation.again()}'")


def _warm(json: bool) -> None:
    """Compile what is not ready, with a progress bar on a terminal."""
    from locksim import jit, ready
    from locksim.checker.search import runner
    from locksim.engine.fast.ways import UNLIMITED

    if not jit.enabled():
        raise UsageError(
            "--warm: numba is missing or switched off\n"
            "help: install numba, and unset NUMBA_DISABLE_JIT"
        )
    parts = [part for part in (UNLIMITED, *runner.PARTS) if not ready.is_ready(part)]
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=stderr(),
        transient=True,
        disable=not stderr().is_terminal,
    )
    with bar:
        task = bar.add_task("compiling", total=sum(part.seconds for part in parts))
        for part in parts:
            bar.update(task, description=f"compiling {part.noun}")
            ready.make(part)
            bar.advance(task, part.seconds)
    if json:
        print_json({"compiled": [part.name for part in parts]})
    else:
        say(f"compiled: {', '.join(part.noun for part in parts) or 'nothing, all was ready'}")


def summary(checks: list[Check]) -> dict[str, int]:
    """Return the number of checks with each status, zeros included."""
    return {status: sum(check.status == status for check in checks) for status in SIGNS}


def _print(checks: list[Check]) -> None:
    """Print the checks as a table, then a line that counts them."""
    table = tables.table()
    tables.add(table, "check")
    tables.add(table, "")
    tables.add(table, "found", fold=True)
    tables.add(table, "advice", fold=True)
    for check in checks:
        table.add_row(
            check.name, SIGNS[check.status], escape(check.found), escape(check.advice or "")
        )
    output = console()
    tables.print_table(output, table)
    counts = summary(checks)
    output.print("\n" + ", ".join(f"{count} {status}" for status, count in counts.items() if count))
