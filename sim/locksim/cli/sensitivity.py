"""Show how much a published experiment depends on costs of its machine.

``--json`` prints one object::

    {"experiment", "machine", "response", "base", "tables",
     "swings": [{"parameter", "value", "low", "high", "range", "at_low", "at_high",
                 "cell", "cell_low", "cell_high"}],
     "indices": [{"parameter", "first", "first_half", "total", "total_half"}]}

Costs are in ns; ``range`` says where a cost's range comes from. The response is the mean error of
the predicted cells, a fraction, or the simulated value of ``--cell``. ``cell`` is the cell that
changes most, ``cell_low`` and ``cell_high`` its changes as fractions. ``indices`` are Sobol's, with
half of their 95 % intervals; empty without ``--sobol``. ``tables`` counts the simulated tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from locksim.cli import values
from locksim.cli.options import Plots, check_runs, say_plots
from lockui import tables
from lockui.arguments import bounded
from lockui.completion import among
from lockui.console import console, progress
from lockui.document import print_json
from lockui.errors import UsageError, reported
from lockui.plots import check_files, save_each

if TYPE_CHECKING:
    from locksim.papers.sensitivity import Sensitivity

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)

BAR = 24
"""Characters of the widest bar."""


@app.command()
@reported()
def sensitivity(
    name: Annotated[
        str,
        typer.Argument(
            help="an experiment, such as kaigai-2004", autocompletion=among(values.experiments)
        ),
    ],
    parameter: Annotated[
        str, typer.Option(help="costs of its machine, such as transfer.half,jitter")
    ],
    by: Annotated[
        str, typer.Option(help="range of a cost for which the profile gives none: 10% up and down")
    ] = "10%",
    cell: Annotated[str | None, typer.Option(help="watch this cell, as 'spinlock, 32 CPU'")] = None,
    sobol: Annotated[
        int, typer.Option(help="also Sobol indices, from N (costs + 2) tables; N a power of 2")
    ] = 0,
    replications: Annotated[
        int | None, typer.Option(help="independent runs per cell (default: the experiment's)")
    ] = None,
    seed: Annotated[int, typer.Option(help="seed of the first run")] = 1,
    brief: Annotated[bool, typer.Option("--brief/--full", help="shorten long runs")] = True,
    jobs: Annotated[
        int | None, typer.Option(help="number of processes (default: all usable CPUs)")
    ] = None,
    plots: Plots = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Vary costs of an experiment's machine, and show what its table does."""
    from locksim.papers import find
    from locksim.papers import sensitivity as study
    from locksim.study.jobs import Runner
    from lockui.portable import usable_cpus

    experiment = find(name)
    check_runs(replications=1 if replications is None else replications, seed=seed)
    check_files(plots or ())
    bounded(sobol, "--sobol", 0, 1 << 20)
    workers = usable_cpus() if jobs is None else bounded(jobs, "--jobs", 1, 1024)
    options = {"seed": seed} | ({} if replications is None else {"replications": replications})
    with Runner(workers) as run, progress(name) as report:
        found = study.sensitivity(
            experiment,
            [part.strip() for part in parameter.split(",")],
            by=_share(by),
            cell=cell,
            samples=sobol,
            run=run,
            progress=report,
            **options,
            **(experiment.brief if brief else {}),
        )
    if plots:
        save_each(study.tornado(found, f"One cost at a time; seeds from {seed}."), plots)
    if json:
        print_json(_document(found))
    else:
        _print(found)
        if plots:
            say_plots(plots)


def _share(text: str) -> float:
    """Return the fraction of a text such as ``10%``."""
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not text.endswith("%") or not 0 < share < 1:
        raise UsageError(f"--by {text}: write a percentage between 0% and 100%, such as 10%")
    return share


def _document(found: Sensitivity) -> dict[str, object]:
    return {
        "experiment": found.experiment,
        "machine": found.machine,
        "response": found.response,
        "base": found.base,
        "tables": found.runs,
        "swings": [
            {
                **{"parameter": s.range.name, "value": s.range.value, "low": s.range.low},
                **{"high": s.range.high, "range": s.range.source},
                **{"at_low": s.at_low, "at_high": s.at_high},
                **{"cell": s.cell, "cell_low": s.cell_low, "cell_high": s.cell_high},
            }
            for s in found.swings
        ],
        "indices": [
            {
                **{"parameter": i.name, "first": i.first, "first_half": i.first_half},
                **{"total": i.total, "total_half": i.total_half},
            }
            for i in found.indices
        ],
    }


def _print(found: Sensitivity) -> None:
    """Print the tornado as a table with bars, the widest first, then the indices."""
    from locksim.papers.sensitivity import MEAN_ERROR

    share = found.response == MEAN_ERROR
    output = console()
    output.print(
        f"[bold]{escape(found.experiment)}[/bold] on {escape(found.machine)}: "
        f"{escape(found.response)} {_text(found.base, share)}"
    )
    view = tables.table()
    tables.add(view, "cost", fold=True)
    for head in ("ns", "low", "high", "at low", "at high"):
        tables.add(view, head, right=True)
    tables.add(view, "swing")
    tables.add(view, "moves most", fold=True)
    widest = max((swing.width for swing in found.swings), default=0.0) or 1.0
    for swing in found.swings:
        r = swing.range
        view.add_row(
            escape(r.name),
            *(tables.digits(value) for value in (r.value, r.low, r.high)),
            _text(swing.at_low, share),
            _text(swing.at_high, share),
            "█" * round(BAR / 2 * swing.width / widest) or "▏",
            f"{escape(swing.cell)}: {swing.cell_low:+.1%} … {swing.cell_high:+.1%}",
        )
    tables.print_table(output, view)
    if found.indices:
        view = tables.table()
        tables.add(view, "cost", fold=True)
        for head in ("first order", "± 95 %", "total", "± 95 %"):
            tables.add(view, head, right=True)
        for index in found.indices:
            values = index.first, index.first_half, index.total, index.total_half
            view.add_row(escape(index.name), *(f"{value:.2f}" for value in values))
        tables.print_table(output, view)
    output.print(
        f"\n  {found.runs} tables simulated; each sets the experiment's inputs anew.", markup=False
    )


def _text(value: float, share: bool) -> str:
    return f"{value:.2%}" if share else tables.digits(value)
