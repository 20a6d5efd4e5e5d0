"""Say whether another lock is worth a change, at each number of CPUs.

``--json`` prints an :class:`AdviceAnswer` (``locklab show schema "report advise"``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import bands, options, values
from locksim.cli.leads import SMALL, Lead, lead_of, rivals_of
from locksim.cli.options import check_runs, cpus_of, read_placement
from locksim.cli.points import points_of, simulated_curve
from lockui import tables
from lockui.arguments import bounded
from lockui.command import command
from lockui.completion import among
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.study.bands import Band

app = typer.Typer(add_completion=False)

KEEP, MEASURE, CHANGE = "keep", "measure", "change"


class Advice(Lead):
    """The lead of the fastest lock over the one in use; of the one in use, over the next.

    ``advice`` is ``keep``, if the lock in use is the fastest or hardly slower; ``change``, if the
    band of the lead lies above 1; or ``measure``: only a measurement of both locks can tell.
    """

    advice: str


class AdviceAnswer(TypedDict):
    """The lock in use, and the advice at each number of CPUs."""

    in_use: str
    machine: str
    placement: str
    rows: list[Advice]


@command(app)
def report_advise(
    locks: Annotated[
        list[str],
        typer.Argument(
            help="the lock in use, then one or more others; FILE.py:CLASS, too",
            autocompletion=among(values.locks()),
        ),
    ],
    load: options.Load,
    machine: options.MachineName = "desktop-4",
    cpus: options.CpuCounts = None,
    placement: options.StatedPlacement = None,
    operations: int = 100,
    replications: int = 5,
    seed: int = 1,
    sensitivity: bool = False,
) -> Report[AdviceAnswer]:
    """Say at each number of CPUs whether another lock is worth a change."""
    from locksim.study.bands import LEAST_DRAWS

    lying = placement or "compact"
    where = read_placement(lying)
    if not isinstance(where, str):
        raise UsageError(f"--placement {placement}: write compact or scatter")
    if len({*locks}) < 2:
        raise UsageError("name the lock in use, and at least one other, such as ticket mcs")
    check_runs(replications=replications, seed=seed, operations=operations)
    bounded(replications, "--replications", LEAST_DRAWS + 1, 10**5)
    profile, counts = points_of(machine, cpus)
    loads = {name: load.of(name) for name in locks}
    curve = simulated_curve(
        [(name, loads[name], n) for name in loads for n in counts],
        bands.causes_of(profile, placement, None if sensitivity else replications - 1),
        machine=profile,
        placement=where,
        operations=operations,
        replications=replications,
        seed=seed,
    )
    if curve.ended is not None:
        raise curve.ended
    rows = [advice(n, locks[0], rivals) for n, rivals in rivals_of(curve).items()]
    document = AdviceAnswer(in_use=locks[0], machine=machine, placement=lying, rows=rows)
    on = f"{machine} ({lying}), hold {load.hold}, think {load.think}"
    return Report(document, lambda view: _print(view, document, on, sensitivity))


def advice(cpus: int, in_use: str, rivals: dict[str, Band]) -> Advice:
    """Return the advice at a number of CPUs.

    Arguments:
        in_use: one of the locks. rivals: the band of each lock's rate.
    """
    first, second, *_ = sorted(rivals, key=lambda name: -rivals[name].value)
    lead = lead_of(cpus, first, second if first == in_use else in_use, rivals)
    if first == in_use or lead["lead"] < SMALL:
        return Advice(**lead, advice=KEEP)
    return Advice(**lead, advice=CHANGE if lead["sure"] else MEASURE)


def _print(output: Console, document: AdviceAnswer, on: str, sensitivity: bool) -> None:
    """Print a line for each number of CPUs, then what the words mean."""
    output.print(f"in use: {document['in_use']}, on {on}", markup=False)
    view = tables.table()
    tables.add(view, "CPUs", right=True)
    tables.add(view, "fastest", fold=True)
    tables.add(view, "over", fold=True)
    for head in ("lead", "80 % band"):
        tables.add(view, head, right=True)
    tables.add(view, "advice", fold=True)
    for row in document["rows"]:
        view.add_row(
            str(row["cpus"]),
            escape(row["best"]),
            escape(row["second"]),
            f"{row['lead']:.2f}",
            f"{row['band_low']:.2f} to {row['band_high']:.2f}",
            escape(_words(row, document["in_use"])),
        )
    tables.print_table(output, view)
    output.print(
        "\n  measure: the lead may be an error of the costs or of the model, so measure"
        "\n  both locks at this number of CPUs (locklab help uncertainty).",
        markup=False,
    )
    if sensitivity:
        output.print()
        for row in document["rows"]:
            where = f"{cpus_of(row['cpus'])}, the widest first"
            output.print(f"  {where}: {row['depends_on']}", markup=False)


def _words(row: Advice, in_use: str) -> str:
    """Return the advice in words: which lock to keep, to measure or to take."""
    change = f"change to {row['best']}"
    return {KEEP: f"keep {in_use}", MEASURE: "measure", CHANGE: change}[row["advice"]]
