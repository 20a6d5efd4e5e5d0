"""Change one thing in a published experiment and compare.

``--json`` prints one object, or with several names or ``--all`` a list of them::

    {"what_if", "experiment", "title", "change", "complete",
     "rows": [{"row", "column", "before", "before_low", "before_high",
               "after", "after_low", "after_high", "unit", "better", "gain"}]}

Both sides are simulated; ``low`` and ``high`` are 95 % intervals, null with one replication.
``better`` says whether ``lower`` or ``higher`` is an improvement, and ``gain`` is how many times
better the change makes it. ``--list --json`` prints a list of ``{"what_if", "experiment", "title",
"change"}``. ``complete`` is false after Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from locksim.cli import values
from locksim.cli.options import check_runs
from lockui import tables
from lockui.completion import among
from lockui.console import console, progress, say
from lockui.document import print_json
from lockui.errors import UsageError, interrupted, reported

if TYPE_CHECKING:
    from locksim.papers.what_if import Comparison, Outcome

COLUMNS = ("as it was", "± 95 %", "changed", "± 95 %", "unit", "times better")

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)


@app.command()
@reported()
def what_if(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="what-ifs, such as kaigai-2004-mcs", autocompletion=among(values.what_ifs)
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="list the what-ifs")] = False,
    all_: Annotated[bool, typer.Option("--all", help="every what-if")] = False,
    replications: Annotated[int, typer.Option(help="independent runs per value")] = 3,
    seed: Annotated[int, typer.Option(help="seed of the first run")] = 1,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Simulate a published experiment as it was, and with one change."""
    from locksim.papers import what_if as registry

    if list_:
        _list(json)
        return
    if all_ and names:
        raise UsageError(f"--all includes {names[0]}: leave out --all or the names")
    chosen = registry.names() if all_ else names or []
    if not chosen:
        raise UsageError("name a what-if, or write --list to see them, or --all")
    found = [registry.find(name) for name in chosen]
    check_runs(replications=replications, seed=seed)
    outcomes: list[Outcome] = []
    complete = True
    for one in found:
        try:
            with progress(one.name) as report:
                outcome = one.run(registry.Runs(replications, seed, report))
        except KeyboardInterrupt:
            if not outcomes:
                raise
            complete = False
            break
        if not json:
            if outcomes:
                say("")
            _print(outcome)
        outcomes.append(outcome)
        complete = outcome.complete
        if not complete:
            break
    if json:
        documents = [outcome.to_json() for outcome in outcomes]
        print_json(documents if len(found) > 1 else documents[0])
    if not complete:
        raise interrupted("the results above are complete")


def _list(json: bool) -> None:
    from locksim.papers import what_if as registry

    found = [registry.find(name) for name in registry.names()]
    if json:
        print_json(
            [
                {"what_if": w.name, "experiment": w.of, "title": w.title, "change": w.change}
                for w in found
            ]
        )
        return
    view = tables.table()
    tables.add(view, "what-if")
    tables.add(view, "title", fold=True)
    for one in found:
        view.add_row(escape(one.name), escape(one.title))
    tables.print_table(console(), view)


def _print(outcome: Outcome) -> None:
    output = console()
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
