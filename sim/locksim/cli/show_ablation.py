"""List the ablations, or show what one of them is about."""

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


class AblationEntry(TypedDict):
    """An ablation: its title, and what it does."""

    ablation: str
    title: str
    text: str


@command(app)
def show_ablation(
    name: Annotated[
        str,
        typer.Argument(
            help="only this one; without it all", autocompletion=among(values.ablations)
        ),
    ] = "",
) -> Report[AblationEntry | list[AblationEntry]]:
    """List the ablations; 'locklab paper ablate NAME' makes its tables."""
    from locksim.papers.ablations import find, modules

    found = [_entry(one, find(one).__doc__ or "") for one in ([name] if name else modules())]
    return titles("ablation", found, found[0]["text"] if name else "")


def _entry(name: str, doc: str) -> AblationEntry:
    title, _, text = doc.strip().partition("\n")
    return AblationEntry(ablation=name, title=title, text=text.strip())
