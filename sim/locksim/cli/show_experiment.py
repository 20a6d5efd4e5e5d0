"""List the published experiments that can be reproduced."""

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


class ExperimentEntry(TypedDict):
    """An experiment, its machine's profile, and its variants: names for ``locklab paper what-if``.

    ``year`` is that of the publication; null where none is printed.
    """

    experiment: str
    title: str
    year: int | None
    machine: str
    what_ifs: list[str]


@command(app)
def show_experiment(
    name: Annotated[
        str,
        typer.Argument(
            help="only this one; without it all", autocompletion=among(values.experiments)
        ),
    ] = "",
) -> Report[ExperimentEntry | list[ExperimentEntry]]:
    """List the experiments; 'locklab paper reproduce NAME' simulates one."""
    from locksim import papers
    from locksim.papers import what_if

    variants = [what_if.find(one) for one in what_if.names()]
    found = [
        ExperimentEntry(
            experiment=one.name,
            title=one.title,
            year=one.year,
            machine=one.machine,
            what_ifs=[variant.name for variant in variants if variant.of == one.name],
        )
        for one in map(papers.find, [name] if name else papers.names())
    ]
    about = f"  what-ifs: {', '.join(found[0]['what_ifs']) or 'none'}" if name else ""
    return titles("experiment", found, about, columns=("year", "machine"))
