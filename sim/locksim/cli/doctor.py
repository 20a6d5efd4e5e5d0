"""Diagnose this machine's setup.

``--sandbox KIND`` tests the grader's sandbox instead, by attacking each of its protections.
``--warm`` compiles the fast engine and the checker ahead, so that no later command has to.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from typing_extensions import TypedDict

from locksim.cli.checks import examine
from lockui import installation, tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say, stderr
from lockui.errors import UsageError
from lockui.findings import Check, Status
from lockui.plugins import plugins
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

#: Entry points of the checks of the sandbox.
SANDBOX = "locklab.sandbox"

app = typer.Typer(add_completion=False)


class DoctorAnswer(TypedDict):
    """Findings: name, status (a key of ``summary``), what was found, and advice or null.

    ``summary`` counts the findings of each status: ok, warning, unknown, broken.
    """

    checks: list[dict[str, Any]]
    summary: dict[str, int]


class WarmAnswer(TypedDict):
    """With ``--warm``: what was not ready before."""

    compiled: list[str]


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
        str,
        Detail(
            "attack its protections and report which hold",
            among(("namespaces", "platform")),
            rare=False,
        ),
    ] = "",
    warm: bool = False,
) -> Report[DoctorAnswer | WarmAnswer]:
    """Check whether this machine can simulate, and whether it can measure cleanly.

    Exit code 0 with warnings, too; 1 if a part that the simulator needs is broken, or a protection
    of the sandbox.
    """
    if warm:
        return _warm()
    checks = _sandbox(sandbox) if sandbox else examine()
    document = DoctorAnswer(checks=[asdict(check) for check in checks], summary=summary(checks))
    broken = any(check.status == "broken" for check in checks)
    return Report(document, lambda view: _print(view, checks), int(broken))


def _sandbox(kind: str) -> list[Check]:
    """Return the findings on the grader's sandbox; the grader offers them as a plug-in."""
    for _, load in plugins(SANDBOX):
        with progress("attacking the sandbox"):
            found: list[Check] = load()(kind)
        return found
    raise UsageError(f"--sandbox: the grader is not installed; run '{installation.again()}'")


def _warm() -> Report[DoctorAnswer | WarmAnswer]:
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
    nouns = ", ".join(part.noun for part in parts) or "nothing, all was ready"
    document = WarmAnswer(compiled=[part.name for part in parts])
    return Report(document, lambda view: say(f"compiled: {nouns}", view))


def summary(checks: list[Check]) -> dict[str, int]:
    """Return the number of checks with each status, zeros included."""
    return {status: sum(check.status == status for check in checks) for status in SIGNS}


def _print(view: Console, checks: list[Check]) -> None:
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
    tables.print_table(view, table)
    counts = summary(checks)
    view.print("\n" + ", ".join(f"{count} {status}" for status, count in counts.items() if count))
