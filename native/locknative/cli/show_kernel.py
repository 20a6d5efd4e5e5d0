"""List the C kernels of this build: locks, structures, probes.

``--json`` prints a list of them; of one kernel its entry alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from locknative.cli import values
from lockui import tables
from lockui.command import command
from lockui.completion import among
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class KernelEntry(TypedDict):
    """A kernel: ``read`` says whether it has a read side."""

    name: str
    kind: str
    loops: list[str]
    read: bool


@command(app)
def show_kernel(
    name: Annotated[
        str,
        typer.Argument(
            help="only this kernel; without it all", autocompletion=among(values.kernels())
        ),
    ] = "",
) -> Report[KernelEntry | list[KernelEntry]]:
    """List the locks, data structures, probes and workloads of this build, or show one."""
    from locknative.compilation.executable import kernels
    from locknative.errors import unknown

    found = {
        kernel.name: KernelEntry(
            name=kernel.name, kind=kernel.kind, loops=list(kernel.loops), read=kernel.has_read
        )
        for kernel in kernels()
    }
    if name and name not in found:
        raise unknown("kernel", name, found)
    rows = [found[name]] if name else list(found.values())
    return Report(rows[0] if name else rows, lambda view: _print(view, rows))


def _print(view: Console, rows: list[KernelEntry]) -> None:
    table = tables.table()
    for column in ("kernel", "kind", "loops", "readers"):
        tables.add(table, column)
    for row in rows:
        loops = ", ".join(row["loops"])
        table.add_row(row["name"], row["kind"], loops, "yes" if row["read"] else "")
    tables.print_table(view, table)
