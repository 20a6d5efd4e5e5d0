"""Vary costs of an experiment's machine: what does its table do?

``--json`` prints :class:`locksim.papers.sensitivity.Sensitivity`. Costs are in ns. The response is
the mean error of the predicted cells, a fraction, or the simulated value of ``--only``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from locksim import papers
from locksim.cli import values
from locksim.cli.options import check_runs
from locksim.papers import sensitivity as study
from lockui import tables
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress
from lockui.errors import UsageError
from lockui.quantities import Share
from lockui.report import Chart

if TYPE_CHECKING:
    from rich.console import Console


app = typer.Typer(add_completion=False)

BAR = 24
"""Characters of the widest bar."""


@command(app)
def sensitivity(
    name: Annotated[
        str,
        typer.Argument(
            help="an experiment, such as kaigai-2004", autocompletion=among(values.experiments)
        ),
    ],
    vary: Annotated[
        list[str],
        Detail(
            "costs of its machine: transfer.half,jitter=10%; names: locklab show machine NAME",
            rare=False,
        ),
    ],
    only: Annotated[str | None, Detail("a cell, as 'spinlock, 32 CPU'")] = None,
    samples: Annotated[
        int,
        Detail(
            "Sobol indices: all costs at once, N x (costs + 2) tables; N a power of 2; 0: one cost "
            "at a time",
            rare=False,
        ),
    ] = 0,
    replications: Annotated[int | None, Detail(default="the experiment's")] = None,
    seed: int = 1,
    full: bool = False,
    jobs: Annotated[int | None, Detail(default="all usable CPUs")] = None,
) -> Chart[study.Sensitivity]:
    """Vary costs of an experiment's machine, and show what its table does."""
    from locksim.study.jobs import Runner
    from lockui.portable import usable_cpus

    experiment = papers.find(name)
    costs = dict(_cost(text) for one in vary for text in one.split(","))
    check_runs(replications=1 if replications is None else replications, seed=seed)
    bounded(samples, "--samples", 0, 1 << 20)
    workers = usable_cpus() if jobs is None else bounded(jobs, "--jobs", 1, 1024)
    options = {"seed": seed} | ({} if replications is None else {"replications": replications})
    with Runner(workers) as run, progress(name) as report:
        found = study.sensitivity(
            experiment,
            list(costs),
            by={cost: share for cost, share in costs.items() if share is not None},
            cell=only,
            samples=samples,
            run=run,
            progress=report,
            **options,
            **({} if full else experiment.brief),
        )
    caption = f"One cost at a time; seeds from {seed}."
    return Chart(
        found,
        lambda view: _print(view, found),
        picture=lambda: study.tornado(found, caption),
    )


def _cost(text: str) -> tuple[str, float | None]:
    """Return the name of a cost, and the fraction of ``NAME=10%``, if there is one.

    Raises:
        UsageError: the fraction is not between 0 and 1.
    """
    name, equals, share = (part.strip() for part in text.partition("="))
    if not equals:
        return name, None
    try:
        fraction = Share.parse(share).fraction
    except UsageError as error:
        raise UsageError(f"--vary {name}={error}") from None
    if not 0 < fraction < 1:
        raise UsageError(f"--vary {text}: write a percentage between 0% and 100%, such as 10%")
    return name, fraction


def _print(output: Console, found: study.Sensitivity) -> None:
    """Print the tornado as a table with bars, the widest first, then the indices."""
    share = found.response == study.MEAN_ERROR
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
