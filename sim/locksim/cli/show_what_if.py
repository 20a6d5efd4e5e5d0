"""List the what-ifs: published experiments with one change."""

from __future__ import annotations

from typing import Annotated

import typer
from typing_extensions import TypedDict

from locksim.cli import values
from locksim.cli.titles import titles
from lockui.command import command
from lockui.completion import among
from lockui.report import Report

app = typer.Typer(add_completion=False)


class WhatIfEntry(TypedDict):
    """A what-if: of which experiment it is a variant, and what it changes there."""

    what_if: str
    experiment: str
    title: str
    change: str


@command(app)
def show_what_if(
    name: Annotated[
        str,
        typer.Argument(help="only this one; without it all", autocompletion=among(values.what_ifs)),
    ] = "",
) -> Report[WhatIfEntry | list[WhatIfEntry]]:
    """List the what-ifs; 'locklab paper what-if NAME' simulates one."""
    from locksim.papers import what_if as registry

    found = [
        WhatIfEntry(what_if=w.name, experiment=w.of, title=w.title, change=w.change)
        for w in map(registry.find, [name] if name else registry.names())
    ]
    about = f"  variant of {found[0]['experiment']}: {found[0]['change']}" if name else ""
    return titles("what-if", found, about)
