"""Take one mechanism away, and show what changes.

The tables are those of ablations.md and lmbench.md.
"""

from __future__ import annotations

from typing import Annotated

import typer

from locksim.cli import values
from lockui.command import command
from lockui.completion import among
from lockui.console import console

app = typer.Typer(add_completion=False)


@command(app)
def ablate(
    name: Annotated[
        str,
        typer.Argument(
            help="a name from 'locklab show ablation'", autocompletion=among(values.ablations)
        ),
    ],
) -> None:
    """Show the tables of one ablation."""
    from locksim.papers.ablations import find

    output = console()
    for part in find(name).view():
        output.print(part, soft_wrap=isinstance(part, str))
