"""Remove one mechanism of the machine and show what changes.

The tables are those of ablations.md and lmbench.md.
"""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from locksim.cli import values
from lockui.completion import among
from lockui.console import console, say
from lockui.errors import UsageError, reported
from lockui.suggest import did_you_mean

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)


@app.command()
@reported()
def ablation(
    name: Annotated[
        str,
        typer.Argument(
            help="name of an ablation; without it all are listed",
            autocompletion=among(values.ablations),
        ),
    ] = "",
) -> None:
    """Show one ablation's tables, or list the ablations."""
    from locksim.papers.ablations import modules

    known = modules()
    if not name:
        for shown, module in known.items():
            summary = (_load(module).__doc__ or "").partition("\n")[0]
            say(f"{shown:<12}  {summary}")
        return
    if name not in known:
        raise UsageError(f"there is no ablation '{name}'; {did_you_mean(name, known)}")
    output = console()
    for part in _load(known[name]).view():
        output.print(part, soft_wrap=isinstance(part, str))


def _load(module: str) -> Any:
    return importlib.import_module(f"locksim.papers.ablations.{module}")
