"""Change one thing in a published experiment and compare.

``--json`` prints :class:`locksim.papers.what_if.Outcome`, of several names a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from locksim.cli import values
from locksim.cli.options import check_runs
from locksim.papers import what_if as registry
from lockui import tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.errors import UsageError, interrupted
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console


COLUMNS = ("as it was", "± 95 %", "changed", "± 95 %", "unit", "times better")

app = typer.Typer(add_completion=False)


@command(app)
def what_if(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="names from 'locklab show what-if'", autocompletion=among(values.what_ifs)
        ),
    ] = None,
    all_: Annotated[bool, Detail("every what-if")] = False,
    replications: int = 3,
    seed: int = 1,
) -> Report[registry.Outcome | list[registry.Outcome]]:
    """Simulate a published experiment as it was, and with one change."""
    if all_ and names:
        raise UsageError(f"--all includes {names[0]}: leave out --all or the names")
    chosen = registry.names() if all_ else names or []
    if not chosen:
        raise UsageError("name a what-if ('locklab show what-if' lists them), or write --all")
    found = [registry.find(name) for name in chosen]
    check_runs(replications=replications, seed=seed)
    outcomes: list[registry.Outcome] = []
    for one in found:
        try:
            with progress(one.name) as report:
                outcomes.append(one.run(registry.Runs(replications, seed, report)))
        except KeyboardInterrupt:
            if not outcomes:
                raise
            break
        if not outcomes[-1].complete:
            break

    def show(view: Console) -> None:
        for k, outcome in enumerate(outcomes):
            if k:
                say("", view)
            _print(view, outcome)

    whole = len(outcomes) == len(found) and outcomes[-1].complete
    return Report(
        outcomes if len(found) > 1 else outcomes[0], show, after=partial(_check_end, whole)
    )


def _check_end(complete: bool) -> None:
    """End the command as Ctrl-C does, if that ended the runs."""
    if not complete:
        raise interrupted("the results above are complete")


def _print(output: Console, outcome: registry.Outcome) -> None:
    output.print(f"[bold]{escape(outcome.what_if)}[/bold]  {escape(outcome.title)}")
    output.print(f"variant of {outcome.experiment}: {outcome.change}", markup=False)
    tables.print_groups(
        output,
        ("", *COLUMNS),
        ((row.row, [row.column, *_values(row, outcome.rows)]) for row in outcome.rows),
        right=[name for name in COLUMNS if name != "unit"],
    )
    output.print("\n  Both sides are simulated; nothing was fitted for the change.", markup=False)


def _values(row: registry.Comparison, rows: Sequence[registry.Comparison]) -> list[str]:
    """Return the cells below ``COLUMNS``, with the decimals of the column's largest value."""
    largest = max(abs(v.mean) for r in rows if r.column == row.column for v in (r.before, r.after))
    places = tables.decimals([largest])
    texts = []
    for value in (row.before, row.after):
        half = tables.fixed(value.high - value.mean, places)
        texts += [
            tables.fixed(value.mean, places),
            half if half == tables.DASH else f"±{half}",
        ]
    # A gain over a value that is printed as zero means nothing.
    visible = all(map(tables.shows, texts[::2]))
    return [*texts, row.unit, f"{row.gain:.2f}" if visible else tables.DASH]
