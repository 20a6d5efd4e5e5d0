"""Simulate a lock on one machine: rate, waits, line transfers.

``--json`` prints a :class:`RunAnswer` (``locklab show schema run``).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import bands, options
from locksim.cli.ledger import ledger_json, print_ledger
from locksim.cli.meter import print_meter
from locksim.cli.options import check_runs, cpus_of, read_placement
from locksim.cli.reports import check_format, report_text
from lockui import tables
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.console import progress, say, warn
from lockui.document import plain
from lockui.errors import interrupted, saving
from lockui.report import Chart

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from locksim.lang import Workload
    from locksim.machine import Machine
    from locksim.study.bands import Band, Cause, Effect
    from locksim.study.simulation import Simulation
    from lockui.plots import Plot

app = typer.Typer(add_completion=False)


class RunAnswer(TypedDict):
    """The measures of a run, and its lock meter.

    ``low`` and ``high`` of ``summary`` are the 95 % interval of the mean over replications, null
    with a single one; ``--sensitivity`` adds ``band_low``, ``band_high`` and ``depends_on``
    (:mod:`locksim.cli.bands`). ``locks`` has a row for each metered lock and side (``write`` or
    ``read``) that was taken at all; ``util``, ``con`` and ``cpu_share`` are fractions.
    ``complete`` is false after Ctrl-C: the values are then those of the finished replications.
    ``ledger``, ``trace`` (the file's path) and ``report`` are there if they were asked for.
    """

    lock: str
    machine: str
    cpus: int
    placement: str
    complete: bool
    summary: list[dict[str, Any]]
    locks: list[dict[str, Any]]
    ledger: NotRequired[dict[str, Any]]
    trace: NotRequired[str]
    report: NotRequired[dict[str, str]]


@command(app)
def run(
    lock: options.LockName,
    load: options.Load,
    machine: options.MachineName = "desktop-4",
    cpus: Annotated[int | None, Detail(default="all, or as many as --placement lists")] = None,
    placement: options.StatedPlacement = None,
    tasks: int = 16,
    operations: int = 200,
    replications: int = 5,
    seed: int = 1,
    trace: Path | None = None,
    ledger: bool = False,
    report: options.ReportFormat = None,
    sensitivity: bool = False,
) -> Chart[RunAnswer]:
    """Simulate one lock under a plain load: acquire, hold, release, think, repeat.

    Exit code 1: mutual exclusion was violated. 2: bad input, or the program got stuck.
    """
    from locksim import machine as machines
    from locksim.study.simulation import LONGEST_PS, simulate
    from locksim.study.traces.record import record
    from locksim.study.traces.save import check_ending

    if trace is not None:
        check_ending(trace)
    check_format(report)
    where = read_placement(placement or "compact")
    check_runs(replications=replications, seed=seed, operations=operations)
    program = load.of(lock, tasks)
    profile = machines.load(machine)
    every = profile.n_cpus if isinstance(where, str) else min(profile.n_cpus, len(where))
    n = every if cpus is None else bounded(cpus, "--cpus", 1, profile.n_cpus, on=profile.name)

    def simulated(on: Machine, **options: Any) -> Simulation:
        return simulate(
            program.workload,
            machine=on,
            cpus=n,
            placement=where,
            operations=operations,
            seed=seed,
            longest_ps=program.livelock_limit_ps(n) or LONGEST_PS,
            **options,
        )

    with progress(f"{lock} on {machine}") as show_progress:
        result = simulated(profile, replications=replications, progress=show_progress)
    causes = bands.causes_of(profile, placement, None) if sensitivity else []
    found = _bands(result, program.workload, causes, simulated) if sensitivity else {}
    document = RunAnswer(
        lock=lock,
        machine=result.machine,
        cpus=result.cpus,
        placement=result.placement,
        complete=result.complete,
        summary=plain(_summary(result, found)),
        locks=plain(result.meters()),
    )
    if ledger or trace is not None:
        recorded = record(
            program.workload,
            machine=profile,
            cpus=n,
            placement=where,
            seed=seed,
            title=f"{lock} on {profile.name}",
        )
        if trace is not None:
            with saving("--trace"):
                recorded.save(trace)
            document["trace"] = str(trace)
        if ledger:
            document["ledger"] = ledger_json(recorded.ledger())
    if report is not None:
        text = report_text(report, result, program.workload, profile, where, seed)
        document["report"] = {"format": report, "text": text}

    def show(view: Console) -> None:
        _print(view, lock, result)
        if found:
            _print_bands(view, result, found, profile)
        else:
            _print_model_error(view, _model_effects(result, program.workload)["throughput"])
        if ledger:
            print_ledger(view, recorded.ledger())
        if trace is not None:
            say(f"\n  {len(recorded.rows):,} events written to {trace}", view)
        if report is not None:
            say(f"\n{text}", view)

    def picture() -> Plot:
        from locksim.study.plots import plot_of_run

        how = load.in_words(replications=len(result.replications), seed=seed)
        return plot_of_run(lock, result, unit=program.kind.unit, caption=how)

    broken = result.violations()

    def after() -> None:
        if broken:
            warn(
                f"{lock}: mutual exclusion was violated {broken:,} times; the measurements are "
                "those of a broken lock"
            )
        if result.warming:
            warn(
                "hit rates still rose when the measurement ended: the caches were being filled\n"
                "help: give more --operations, or use 'locklab sweep', which lengthens the warm-up"
            )
        if not result.complete:
            raise interrupted("the values above are those of the finished replications")

    return Chart(document, show, int(broken > 0), after, picture=picture)


def _bands(
    result: Simulation,
    workload: Workload,
    causes: list[Cause],
    simulated: Callable[..., Simulation],
) -> dict[str, Band]:
    """Return the band of each measure, one cause at a time."""
    from locksim.study.bands import bands as bands_of

    def measured(run: Simulation) -> dict[str, float]:
        return {row["measure"]: row["mean"] for row in run.measures()}

    runs, done = sum(len(cause.machines) for cause in causes), count()
    with progress("sensitivity") as report:

        def measure(machine: Machine) -> dict[str, float]:
            report("sensitivity", next(done) / runs)
            return measured(simulated(machine, replications=1))

        first = replace(result, replications=result.replications[:1])
        model = {name: [one] for name, one in _model_effects(result, workload).items()}
        return bands_of(causes, measure, measured(result), measured(first), model)


def _model_effects(result: Simulation, workload: Workload) -> dict[str, Effect]:
    """Return how far the error of the model moves the rate and the time."""
    from locksim.study.model_error import model_effect

    values = {row["measure"]: row["mean"] for row in result.measures()}
    return {
        name: model_effect(result, workload, values[name], rate=rate)
        for name, rate in (("throughput", True), ("time per operation", False))
    }


def _summary(result: Simulation, found: dict[str, Band]) -> list[dict[str, Any]]:
    """Return the measures, with their bands if there are any."""
    rows = result.measures()
    return [row | found[row["measure"]].columns() for row in rows] if found else rows


def _print_bands(
    output: Console, result: Simulation, found: dict[str, Band], profile: Machine
) -> None:
    """Print the bands."""
    units = {row["measure"]: row["unit"] for row in result.measures()}
    bands.warn_without_range(output, profile)
    bands.print_bands(output, {name: (b, units[name]) for name, b in found.items()})


def _print_model_error(output: Console, effect: Effect) -> None:
    """Say how far the error of the model moves the throughput."""
    scale = tables.scale_of(effect.high, "1/s")
    say(
        f"\n  The error of the model: throughput {scale.number(effect.low)} to "
        f"{scale.text(effect.high)}\n  ({effect.why}).\n"
        "  --sensitivity adds what else is not known.",
        output,
    )


def _print(output: Console, lock: str, result: Simulation) -> None:
    """Print the measures of the run, then the lock meter."""
    where = f"{cpus_of(result.cpus)} of {result.machine} ({result.placement})"
    output.print(f"[bold]{escape(lock)}[/bold] on {escape(where)}")
    view = tables.table()
    tables.add(view, "measure", fold=True)
    tables.add(view, "mean", right=True)
    tables.add(view, "95 % interval", right=True)
    for row in plain(result.measures()):
        view.add_row(escape(row["measure"]), *_mean_and_interval(row))
    tables.print_table(output, view)
    number = len(result.replications)
    output.print(f"\n  means over {number} replication{'s' * (number != 1)}", markup=False)
    print_meter(output, plain(result.meters()))


def _mean_and_interval(row: dict[str, Any]) -> tuple[str, str]:
    """Return a measure and its interval, both in the unit that suits the mean."""
    scale = tables.scale_of(row["mean"], row["unit"])
    if row["low"] is None:
        return scale.text(row["mean"]), tables.DASH
    return scale.text(row["mean"]), f"{scale.number(row['low'])} … {scale.text(row['high'])}"
