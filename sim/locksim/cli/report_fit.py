"""Fit the simulator to measured points of one lock, and predict other points and other locks.

``--json`` prints a :class:`FitAnswer` (``locklab show schema "report fit"``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import options, values
from locksim.cli.options import PLACEMENTS, check_runs, cpus_of, read_placement
from locksim.cli.points import points_of
from lockui import tables
from lockui.arguments import bounded
from lockui.command import command
from lockui.completion import among
from lockui.console import progress
from lockui.errors import UsageError
from lockui.numbers import significant
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.machine import Machine
    from locksim.study.point_fit import Candidate, MeasuredPoint, PointFit

app = typer.Typer(add_completion=False)

NONE: list[str] = []
FEW = 4
"""Points below which predictions beyond them did not hold (docs/explain/uncertainty.md)."""


class FittedPoint(TypedDict):
    """A measured point: ns from one section to the next on one CPU, and the simulated time."""

    cpus: int
    measured_ns: float
    simulated_ns: float


class FittedLoad(TypedDict):
    """The load that predicts; ``low`` and ``high``: of the loads that are not ruled out.

    ``lines`` are cache lines in a section. ``placements`` are those that are not ruled out.
    ``tried`` is 1 where the points are too few to fit a load.
    """

    hold_ns: float
    hold_low_ns: float
    hold_high_ns: float
    lines: int
    lines_low: int
    lines_high: int
    placement: str
    placements: list[str]
    tried: int


class PredictedPoint(TypedDict):
    """A predicted rate of all CPUs together, with its 80 % band, and the time of one section."""

    lock: str
    cpus: int
    per_second: float
    band_low: float
    band_high: float
    ns_per_operation: float


class FitAnswer(TypedDict):
    """The fit, and what it predicts.

    ``level`` is measured over simulated time at the points, with its 80 % interval.
    ``contradicts``: the points are farther from the simulation than on 95 % of machines.
    ``too_fast``: numbers of CPUs at which a section takes less than the given hold and think time.
    """

    lock: str
    machine: str
    points: list[FittedPoint]
    level: float
    level_low: float
    level_high: float
    load: FittedLoad
    contradicts: bool
    too_fast: list[int]
    rows: list[PredictedPoint]


@command(app)
def report_fit(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV: lock, cpus, and per_second or ns_per_operation; or .json of a bench or sweep"
        ),
    ],
    load: options.Load,
    locks: Annotated[
        list[str] | None,
        typer.Argument(
            help="other locks to predict; FILE.py:CLASS, too",
            show_default=False,
            autocompletion=among(values.locks()),
        ),
    ] = None,
    machine: options.MachineName = "desktop-4",
    cpus: options.CpuCounts = None,
    placement: options.Placement = "compact",
    operations: int = 100,
    replications: int = 5,
    seed: int = 1,
) -> Report[FitAnswer]:
    """Fit the simulator to two or more measured points of a lock, and predict others.

    Two points give the level of this machine. Four or more give a hold time, lines and placement.
    """
    from locksim.machine.quantities import PS_PER_NS
    from locksim.machine.tables import WORD_BYTES
    from locksim.study.discrepancy import learned
    from locksim.study.point_fit import Candidate, candidates, fit, read_points

    check_runs(replications=replications, seed=seed, operations=operations)
    if not isinstance(read_placement(placement), str):
        raise UsageError(f"--placement {placement}: write compact or scatter")
    profile, counts = points_of(machine, cpus)
    points = read_points(file)
    for point in points:
        bounded(point.cpus, f"cpus in {file}", 1, profile.n_cpus, on=profile.name)
    name = points[0].lock
    names = list(dict.fromkeys([name, *(locks or [])]))
    for each in names:
        load.of(each)
    run = _Runs(profile, load, operations, replications, seed)
    words_per_line = profile.topology.line_bytes // WORD_BYTES
    given = Candidate(load.hold.mean.ps, load.words, placement)
    tried = candidates(
        given, len(points), words_per_line, len(PLACEMENTS) if profile.topology.nodes > 1 else 1
    )
    simulated: dict[Candidate, list[float]] = {}
    with progress("fit") as report:
        steps = len(tried) + len(names)
        for i, candidate in enumerate(tried):
            report(f"{name}: load {i + 1} of {len(tried)}", i / steps)
            simulated[candidate] = [run.ns(name, point.cpus, candidate) for point in points]
        found = fit(points, simulated, learned())
        rows: list[PredictedPoint] = []
        for i, lock in enumerate(names):
            report(lock, (len(tried) + i) / steps)
            times = [run.ns(lock, n, found.load) for n in counts]
            rows += _rows(found, lock, counts, times)
    work_ns = (load.hold.mean.ps + load.think.mean.ps) / PS_PER_NS
    document = FitAnswer(
        lock=name,
        machine=machine,
        points=_points(points, simulated[found.load]),
        level=found.level[0],
        level_low=found.level[1],
        level_high=found.level[2],
        load=_load(found, words_per_line),
        contradicts=found.contradicts,
        too_fast=[point.cpus for point in points if point.shorter_than(work_ns)],
        rows=rows,
    )
    return Report(document, lambda view: _print(view, document, f"{load.hold}, {load.think}"))


class _Runs:
    """Simulated times, each point once."""

    def __init__(
        self, machine: Machine, load: options.Load, operations: int, replications: int, seed: int
    ) -> None:
        self._machine, self._load = machine, load
        self._options: dict[str, Any] = {
            "operations": operations,
            "replications": replications,
            "seed": seed,
        }
        self._known: dict[tuple[str, int, Candidate], float] = {}

    def ns(self, lock: str, cpus: int, candidate: Candidate) -> float:
        """From one section to the next on one CPU.

        Raises:
            UsageError: the program got stuck.
        """
        from dataclasses import replace

        from locksim.core.result import SimulationError
        from locksim.kinds import plain_load
        from locksim.study.simulation import LONGEST_PS, simulate

        key = lock, cpus, candidate
        if key not in self._known:
            settings = replace(
                self._load.settings(), hold_ps=candidate.hold_ps, words=candidate.words
            )
            plain = plain_load(lock, settings)
            try:
                run = simulate(
                    plain.workload,
                    machine=self._machine,
                    cpus=cpus,
                    placement="scatter" if candidate.placement == "scatter" else "compact",
                    longest_ps=plain.livelock_limit_ps(cpus) or LONGEST_PS,
                    **self._options,
                )
            except SimulationError as error:
                raise UsageError(f"{lock} on {cpus_of(cpus)}: {error}") from error
            self._known[key] = run.operation_ps().mean / 1e3
        return self._known[key]


def _rows(
    found: PointFit, lock: str, counts: list[int], times: list[float]
) -> list[PredictedPoint]:
    """Return a lock's predictions."""
    factors = found.predict(lock, counts, times).factors()
    return [
        PredictedPoint(
            lock=lock,
            cpus=n,
            per_second=1e9 * n / (ns * factor),
            band_low=1e9 * n / (ns * high),
            band_high=1e9 * n / (ns * low),
            ns_per_operation=ns * factor,
        )
        for n, ns, (factor, low, high) in zip(counts, times, factors, strict=True)
    ]


def _points(points: list[MeasuredPoint], times: list[float]) -> list[FittedPoint]:
    return [
        FittedPoint(cpus=point.cpus, measured_ns=point.ns, simulated_ns=ns)
        for point, ns in zip(points, times, strict=True)
    ]


def _load(found: PointFit, words_per_line: int) -> FittedLoad:
    """Return the load with its intervals."""
    holds = [one.hold_ps / 1e3 for one in found.possible]
    lines = [one.lines(words_per_line) for one in found.possible]
    return FittedLoad(
        hold_ns=found.load.hold_ps / 1e3,
        hold_low_ns=min(holds),
        hold_high_ns=max(holds),
        lines=found.load.lines(words_per_line),
        lines_low=min(lines),
        lines_high=max(lines),
        placement=found.load.placement,
        placements=sorted({one.placement for one in found.possible}),
        tried=found.tried,
    )


def _print(output: Console, document: FitAnswer, work: str) -> None:
    """Print the fit, then the predictions; ``work``: hold and think time as given."""
    points, load = document["points"], document["load"]
    for line in (
        f"{document['lock']} on {document['machine']}: {len(points)} measured points",
        f"  level: they are {document['level']:.2f} times as long as simulated "
        f"({document['level_low']:.2f} to {document['level_high']:.2f})",
        *_load_lines(load),
    ):
        output.print(line, markup=False)
    if document["contradicts"]:
        output.print(
            "  warning: the points are farther from the simulation than on 95 % of machines\n"
            "  help: check --machine, the load, and whether threads were pinned",
            markup=False,
        )
    if document["too_fast"]:
        output.print(
            f"  warning: on {cpus_of(document['too_fast'][0])} a section takes less time than "
            f"the given\n  hold and think time ({work})\n"
            "  help: give --hold and --think as the measured program has them",
            markup=False,
        )
    output.print()
    _print_points(output, points)
    output.print()
    _print_rows(output, document["rows"])
    output.print(
        "\n  band: of the fit and of the model's error; it should hold 80 % of real"
        "\n  machines (locklab help uncertainty).",
        markup=False,
    )
    farthest = max(point["cpus"] for point in points)
    if len(points) < FEW and any(row["cpus"] > farthest for row in document["rows"]):
        output.print(
            f"  Beyond {cpus_of(farthest)} fewer than {FEW} points say little: there such bands "
            "held 50 %\n  of the values of a test. Measure at more CPUs, too.",
            markup=False,
        )


def _load_lines(load: FittedLoad) -> list[str]:
    """Say which load predicts, and which others are possible."""
    held = f"  hold {significant(load['hold_ns'])} ns"
    if load["tried"] == 1:
        return [f"{held}, as given: four points can tell more"]
    return [
        f"{held} ({significant(load['hold_low_ns'])} to {significant(load['hold_high_ns'])} ns "
        f"are not ruled out), {load['tried']} loads tried",
        f"  lines in a section: {load['lines']} ({load['lines_low']} to {load['lines_high']})",
        f"  placement: {load['placement']} (possible: {', '.join(load['placements'])})",
    ]


def _print_points(output: Console, points: list[FittedPoint]) -> None:
    view = tables.table()
    for head in ("CPUs", "measured ns", "simulated ns", "factor"):
        tables.add(view, head, right=True)
    for point in points:
        factor = point["measured_ns"] / point["simulated_ns"]
        times = (significant(point[key]) for key in ("measured_ns", "simulated_ns"))
        view.add_row(str(point["cpus"]), *times, f"{factor:.2f}")
    tables.print_table(output, view)


def _print_rows(output: Console, rows: list[PredictedPoint]) -> None:
    scale = tables.scale_of(max(row["per_second"] for row in rows), "1/s")
    view = tables.table()
    tables.add(view, "lock", fold=True)
    for head in ("CPUs", scale.unit, "80 % band", "ns/section"):
        tables.add(view, head, right=True)
    for i, row in enumerate(rows):
        if i and rows[i - 1]["lock"] != row["lock"]:
            view.add_section()
        view.add_row(
            escape(row["lock"]),
            str(row["cpus"]),
            scale.number(row["per_second"]),
            f"{scale.number(row['band_low'])} to {scale.number(row['band_high'])}",
            tables.digits(row["ns_per_operation"]),
        )
    tables.print_table(output, view)
