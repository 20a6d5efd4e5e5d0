"""Simulate locks on more and more CPUs: the curve.

``--json`` prints a :class:`SweepAnswer` (``locklab show schema sweep``); ``--out FILE`` saves its
rows.

With four replications or more each row also has ``band_low``, ``band_high`` and ``depends_on``: how
far ``per_second`` depends on starting order, placement, uncertain values of the machine and the
error of the model (docs/explain/uncertainty.md). By default this takes one run less than there are
replications. ``--sensitivity`` moves one cause at a time, arbitration too, and so takes more.
Several locks also have ``leads``: which one is the fastest, and how far ahead.

With ``--out FOLDER`` every run is kept in a folder of Parquet files (:mod:`locksim.cli.sweep_runs`,
docs/use/sweeps.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import bands, options, values
from locksim.cli.leads import Lead, leads_of, print_leads
from locksim.cli.options import check_runs, cpus_of, read_placement
from locksim.cli.points import points_of, simulated_curve
from locksim.cli.sweep_runs import FACTORS, Curve, DatasetOptions
from lockui import tables
from lockui.arguments import folder_to_write
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say, warn
from lockui.document import frame
from lockui.errors import UsageError, interrupted, saving
from lockui.extras import demand
from lockui.quantities import Share
from lockui.report import Chart

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.machine import Machine
    from locksim.study.bands import Cause
    from lockui.plots import Plot

app = typer.Typer(add_completion=False)

ENDINGS = (".csv", ".parquet")
#: Most points of a dataset's sweep that are printed as a table.
MOST_ROWS = 60
#: No value of an option that may be repeated.
NONE: list[str] = []
VARIED = (
    "hold=100ns,200ns; a cost: transfer.half=300..600; or a CSV file of points; needs --out FOLDER"
)


class SweepAnswer(TypedDict):
    """The points of the curves.

    A row has ``lock`` and ``cpus``. ``per_second`` counts critical sections of all CPUs together;
    ``low`` and ``high`` are its 95 % interval, null with one replication. ``ns_per_operation`` is
    the time from one critical section to the next on one CPU, ``transactions`` the line transfers
    per critical section, and ``fairness`` the slowest CPU's count over the fastest's.
    ``hold_p50_ns`` to ``hold_p999_ns``, ``wait_…`` and their ``read_…`` are percentiles (50, 90,
    99, 99.9) of the lock's holds and contended waits, each the mean over the replications; null
    where no thread took that side. ``complete`` is false after Ctrl-C and after a program got
    stuck: the rows are then those that were finished. ``dataset`` is there if the runs were kept.
    ``leads`` says at each number of CPUs which lock is the fastest, and its lead over the second.
    ``warm_up`` names the points that had a longer warm-up, since hit rates rose until its end.
    """

    machine: str
    placement: str
    complete: bool
    rows: list[dict[str, Any]]
    leads: NotRequired[list[Lead]]
    warm_up: NotRequired[list[str]]
    dataset: NotRequired[dict[str, Any]]


@command(app)
def sweep(
    locks: Annotated[
        list[str],
        typer.Argument(
            help="locks of the library, or FILE.py:CLASS", autocompletion=among(values.locks())
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
    out: Annotated[
        Path | None,
        Detail(".csv or .parquet; a folder keeps every run, and no run is repeated"),
    ] = None,
    vary: Annotated[list[str], Detail(VARIED, among(FACTORS))] = NONE,
    samples: Annotated[int | None, Detail("a Latin hypercube")] = None,
    precision: Annotated[
        Share | None,
        Detail("each point, its throughput; at most 1,000 runs; needs --out FOLDER"),
    ] = None,
    jobs: Annotated[int | None, Detail(default="all usable CPUs")] = None,
    cluster: str = "",
) -> Chart[SweepAnswer]:
    """Simulate each lock at each number of CPUs.

    Exit code 1: mutual exclusion was violated. 2: bad input, or a program got stuck.
    """
    # Check all arguments before the first long run.
    lying = placement or "compact"
    where = read_placement(lying)
    if not isinstance(where, str):
        raise UsageError(
            f"--placement {placement}: write compact or scatter; "
            "a sweep takes no CPU numbers, 'locklab run' does"
        )
    check_runs(replications=replications, seed=seed, operations=operations)
    loads = {name: load.of(name) for name in locks}
    profile, counts = points_of(machine, cpus)
    file, folder = _file_or_folder(out)
    wanted = DatasetOptions(vary, samples, precision, jobs, cluster)
    if folder is not None and sensitivity:
        raise UsageError(
            "--sensitivity and --out FOLDER exclude each other: vary costs with --vary, "
            "such as --vary tenure=5..30 --samples 20"
        )
    draws = None if sensitivity else replications - 1
    causes = [] if folder is not None else bands.causes_of(profile, placement, draws)
    if folder is None:
        wanted.check_unused()
        curve = simulated_curve(
            [(name, loads[name], n) for name in locks for n in counts],
            causes,
            machine=profile,
            placement=where,
            operations=operations,
            replications=replications,
            seed=seed,
        )
    else:
        curve = wanted.run(
            folder,
            locks=locks,
            machine=machine,
            cpus=None if cpus is None else counts,
            fixed=load.factors() | {"placement": lying, "operations": operations},
            replications=replications,
            seed=seed,
        )
    if curve.ended is not None and not curve.rows:
        raise curve.ended
    if file is not None:
        _save(curve.rows, file)
    units = " and ".join(dict.fromkeys(one.kind.unit for one in loads.values()))
    on = f"{machine} ({lying})"
    document = SweepAnswer(
        machine=machine, placement=lying, complete=curve.ended is None, rows=curve.rows
    )
    leads = leads_of(curve)
    if leads:
        document["leads"] = leads
    if curve.warm_up:
        document["warm_up"] = curve.warm_up
    if curve.dataset is not None:
        document["dataset"] = curve.dataset

    def show(view: Console) -> None:
        if folder is None or len(curve.rows) <= MOST_ROWS:
            _print(view, curve, units, f"{on}, hold {load.hold}, think {load.think}")
            _print_bands(view, curve, causes, profile)
            for text in curve.warm_up:
                view.print(f"  {text}", markup=False)
            print_leads(view, leads)
        if curve.dataset is not None:
            say(curve.in_words(), view)

    def picture() -> Plot:
        from locksim.study.plots import plot_of_sweep

        how = load.in_words(replications=replications, seed=seed)
        return plot_of_sweep(
            curve.rows,
            planned=curve.planned,
            unit=units,
            caption=f"Simulated on {on}. {how}",
            panel=curve.varied,
        )

    broken = int(any(curve.broken.values()))
    return Chart(document, show, broken, lambda: _end(curve), picture=picture)


def _end(curve: Curve) -> None:
    """Say what was wrong with the locks, and raise what ended the sweep early."""
    for name, times in curve.broken.items():
        if times:
            warn(f"{name}: mutual exclusion was violated {times:,} times")
    if isinstance(curve.ended, KeyboardInterrupt):
        raise interrupted("the points above are complete")
    if curve.ended is not None:
        raise curve.ended


def _file_or_folder(out: Path | None) -> tuple[Path | None, Path | None]:
    """Return the file for the table, or the folder for every run, that ``--out`` names.

    Raises:
        UsageError: neither can be written there.
    """
    if out is None:
        return None, None
    option = f"--out {out}"
    if not out.suffix or (out.is_dir() and out.suffix not in ENDINGS):
        return None, out
    if out.suffix not in ENDINGS:
        raise UsageError(
            f"{option}: the name of a file must end in {' or '.join(ENDINGS)}; "
            "the name of a folder has no such ending"
        )
    if out.is_dir():
        raise UsageError(f"{option}: this is a folder; name a file in it")
    demand(option, "pandas", *(["pyarrow"] if out.suffix == ".parquet" else []))
    folder_to_write(out.parent, option)
    return out, None


def _save(rows: list[dict[str, Any]], out: Path) -> None:
    """Save the curve in the format of the file's suffix."""
    table = frame(rows)
    with saving(f"--out {out}"):
        if out.suffix == ".csv":
            table.to_csv(out, index=False)
        else:
            table.to_parquet(out, index=False)


def _print(output: Console, curve: Curve, units: str, where: str) -> None:
    """Print the curves, all rates in one unit; ``units`` of work in words."""
    rows, varied = curve.rows, curve.varied
    output.print(f"{units} on {where}", markup=False)
    scale = tables.scale_of(max(row["per_second"] for row in rows), "1/s")
    places = tables.decimals(row["per_second"] / scale.factor for row in rows)
    view = tables.table()
    tables.add(view, "lock", fold=True)
    banded = ["band, %"] if rows and "band_low" in rows[0] else []
    heads = (scale.unit, "± 95 %", *banded, "ns/section", "transfers", "fairness")
    for head in (*varied, "CPUs", *heads):
        tables.add(view, head, right=True)
    for i, row in enumerate(rows):
        if i and rows[i - 1]["lock"] != row["lock"]:
            view.add_section()
        view.add_row(
            escape(row["lock"]),
            *(escape(str(row[name])) for name in varied),
            str(row["cpus"]),
            tables.fixed(row["per_second"] / scale.factor, places),
            tables.fixed((row["high"] - row["per_second"]) / scale.factor, places),
            *(bands.percent(row["per_second"], row["band_low"], row["band_high"]) for _ in banded),
            tables.digits(row["ns_per_operation"]),
            tables.digits(row["transactions"]),
            tables.digits(row["fairness"]),
        )
    tables.print_table(output, view)
    output.print(
        f"\n  {scale.unit}: {units} of all CPUs together, with half of the 95 % interval."
        "\n  ns/section: from one to the next on one CPU. transfers: line transfers per"
        "\n  section. fairness: the slowest CPU's count over the fastest's.",
        markup=False,
    )


def _print_bands(output: Console, curve: Curve, causes: list[Cause], profile: Machine) -> None:
    """Say what the bands hold, and for each point what moves it, if that is known."""
    if not causes:
        return
    output.print(
        f"  band: {bands.what(causes)}, and the error of"
        "\n  the model: it should hold 80 % of real machines (locklab help uncertainty).",
        markup=False,
    )
    if any(machine.placement for cause in causes for machine in cause.machines):
        output.print(
            "  If your threads are pinned, write --placement: the band is then narrower.",
            markup=False,
        )
    bands.warn_without_range(output, profile)
    if len(causes) > 1:
        output.print()
        for row in curve.rows:
            where = f"{row['lock']} on {cpus_of(row['cpus'])}"
            output.print(f"  {where}, the widest first: {row['depends_on']}", markup=False)
