"""Say what on this machine is in the way of a simulation or of a clean measurement."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from locksim.cli.checks import Check, Status, examine
from locksim.cli.common import console, print_json

app = typer.Typer(help=__doc__)

# A word and a sign each: colour alone carries no meaning.
SIGNS: dict[Status, str] = {
    "ok": "[green]✓ ok[/green]",
    "warning": "[yellow]! warning[/yellow]",
    "unknown": "[dim]? unknown[/dim]",
    "broken": "[red]✗ broken[/red]",
}


@app.command()
def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")
    ] = False,
) -> None:
    """Say what on this machine is in the way of a simulation or of a clean measurement.

    Exit code 0 with warnings, too; 1 where something is broken that the simulator needs.
    """
    checks = examine()
    if as_json:
        print_json({"checks": [asdict(check) for check in checks], "summary": summary(checks)})
    else:
        _print(checks)
    if any(check.status == "broken" for check in checks):
        raise typer.Exit(1)


def summary(checks: list[Check]) -> dict[str, int]:
    """Return how many checks came out with each status, zeros included."""
    return {status: sum(check.status == status for check in checks) for status in SIGNS}


def _print(checks: list[Check]) -> None:
    """Print the checks as a table, then a line that counts them."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("found", overflow="fold")
    table.add_column("what to do", overflow="fold")
    for check in checks:
        table.add_row(
            check.name, SIGNS[check.status], escape(check.found), escape(check.advice or "")
        )
    output = console()
    output.print(table)
    counts = summary(checks)
    output.print(", ".join(f"{count} {status}" for status, count in counts.items() if count))
