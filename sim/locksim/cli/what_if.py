"""Change one thing in a published experiment and compare.

Of several names ``--json`` prints a list. Both sides are simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import values
from locksim.cli.options import check_runs
from lockui import tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.errors import UsageError, interrupted
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.papers.what_if import Comparison, Outcome

COLUMNS = ("as it was", "± 95 %", "changed", "± 95 %", "unit", "times better")

app = typer.Typer(add_completion=False)


class WhatIfRow(TypedDict):
    """A value without and with the change.

    ``low`` and ``high`` are 95 % intervals, null with one replication. ``better`` says whether
    ``lower`` or ``higher`` is an improvement; ``gain`` is how many times better it gets.
    """

    row: str
    column: str
    before: float
    before_low: float | None
    before_high: float | None
    after: float
    after_low: float | None
    after_high: float | None
    unit: str
    better: str
    gain: float | None


class WhatIfAnswer(TypedDict):
    """A what-if; ``complete`` is false after Ctrl-C."""

    what_if: str
    experiment: str
    title: str
    change: str
    complete: bool
    rows: list[WhatIfRow]


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
) -> Report[WhatIfAnswer | list[WhatIfAnswer]]:
    """Simulate a published experiment as it was, and with one change."""
    from locksim.papers import what_if as registry

    if all_ and names:
        raise UsageError(f"--all includes {names[0]}: leave out --all or the names")
    chosen = registry.names() if all_ else names or []
    if not chosen:
        raise UsageError("name a what-if ('locklab show what-if' lists them), or write --all")
    found = [registry.find(name) for name in chosen]
    check_runs(replications=replications, seed=seed)
    outcomes: list[Outcome] = []
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
    documents = cast("list[WhatIfAnswer]", [outcome.to_json() for outcome in outcomes])

    def show(view: Console) -> None:
        for k, outcome in enumerate(outcomes):
            if k:
                say("", view)
            _print(view, outcome)

    whole = len(outcomes) == len(found) and outcomes[-1].complete
    return Report(
        documents if len(found) > 1 else documents[0], show, after=partial(_check_end, whole)
    )


def _check_end(complete: bool) -> None:
    """End the command as Ctrl-C does, if that ended the runs."""
    if not complete:
        raise interrupted("the results above are complete")


def _print(output: Console, outcome: Outcome) -> None:
    output.print(f"[bold]{escape(outcome.name)}[/bold]  {escape(outcome.title)}")
    output.print(f"variant of {outcome.of}: {outcome.change}", markup=False)
    tables.print_groups(
        output,
        ("", *COLUMNS),
        ((row.row, [row.column, *_values(row, outcome.rows)]) for row in outcome.rows),
        right=[name for name in COLUMNS if name != "unit"],
    )
    output.print("\n  Both sides are simulated; nothing was fitted for the change.", markup=False)


def _values(row: Comparison, rows: Sequence[Comparison]) -> list[str]:
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
