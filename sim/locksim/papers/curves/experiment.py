"""The curves as experiments: simulated from latencies alone, beside formulas.

Nothing is fitted. A cell of one thread is an input where the work between two operations is set
from it, and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from locksim import machine as machines
from locksim.machine import Machine, Parameter
from locksim.papers import plots
from locksim.papers.curves.sets import SETS, CurveSet, workload
from locksim.papers.experiment import Cell, Experiment, Plan, Reproduction
from locksim.papers.factors import HEADS, Factor, Point, factors, formulas, laws
from locksim.study.jobs import Job
from locksim.study.simulation import Interval, simulate
from lockui.plots import Axis, Curves, Plot


class CurveExperiment(Experiment):
    """The curves of one dataset (see the module)."""

    replications: ClassVar = 5

    def __init__(self, curves: CurveSet) -> None:
        self.curves = curves
        self.name, self.title = curves.name, curves.title
        self.year, self.machine = curves.year, curves.machine

    def plan(
        self,
        *,
        machine: Machine | None = None,
        operations: int = 100,
        replications: int = replications,
        seed: int = 1,
        **options: Any,
    ) -> Plan[Any, Interval]:
        """All points of all curves.

        Arguments:
            machine: a profile instead of the curves' own.
            operations: measured per CPU and replication. replications: independent runs per point.
            seed: of the first replication.
        """
        curves = self.curves
        profile = machines.load(self.machine) if machine is None else machine
        measured = curves.measured()
        alone = {row: operation_ns(profile, curves, row, 1, 0, seed=seed).mean for row in measured}
        thinks = {
            row: max(0, round(1000 * (points[1][1] - alone[row]))) if curves.thinks else 0
            for row, points in measured.items()
        }
        runs = {"operations": operations, "replications": replications, "seed": seed}

        def assemble(done: Mapping[Any, Interval]) -> Reproduction:
            cells = [
                Cell(
                    *(row, f"{n} CPU"),
                    *measured[row][n],
                    *(t.mean, t.low, t.high),
                    "input" if n == 1 and curves.thinks else "predicted",
                    "ns",
                    at=n,
                )
                for (row, n), t in done.items()
            ]
            found = _points(profile, curves, cells, alone, thinks)
            every, unseen = factors(found), factors(found, unseen=True)
            return Reproduction(
                curves.name,
                curves.title,
                curves.source,
                profile.name,
                _parameters(profile, curves, thinks),
                cells,
                extra={
                    "factors": [asdict(f) for f in every],
                    "factors_unseen": [asdict(f) for f in unseen],
                },
                notes=[_note("all points with two or more CPUs", every)]
                + ([_note("points that no fit has seen", unseen)] if unseen else []),
            )

        jobs = {
            (row, n): Job(
                f"{row} on {n} CPUs",
                operation_ns,
                (profile, curves, row, n, thinks[row]),
                runs,
                seconds=n / 100,
            )
            for row, points in measured.items()
            for n in points
        }
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction) -> Plot:
        """Time from one operation to the next against CPUs, on log axes."""
        x, y = Axis("CPUs (one thread on each)"), Axis("time from one operation to the next [ns]")
        return plots.plot(result, self.title, [Curves(plots.lines(result.cells), x, y)])


MCKENNEY, DOWNS, FOLLY = (CurveExperiment(one) for one in SETS)


def operation_ns(
    profile: Machine,
    curves: CurveSet,
    row: str,
    cpus: int,
    think_ps: int,
    *,
    operations: int = 100,
    replications: int = 1,
    seed: int = 1,
) -> Interval:
    """Return the time from one operation to the next on one CPU, in ns."""
    run = simulate(
        workload(row, think_ps),
        machine=profile,
        cpus=cpus,
        placement=curves.placement(cpus),
        operations=operations,
        replications=replications,
        seed=seed,
    )
    if not run.complete:
        raise KeyboardInterrupt  # a mean over too few replications is not a cell
    time = run.operation_ps()
    return Interval(time.mean / 1e3, time.low / 1e3, time.high / 1e3)


def _points(
    profile: Machine,
    curves: CurveSet,
    cells: list[Cell],
    alone: Mapping[str, float],
    thinks: Mapping[str, int],
) -> list[Point]:
    """Return every point with what each model predicts."""
    found = []
    for row in dict.fromkeys(cell.row for cell in cells):
        own = {c.at: c for c in cells if c.row == row and c.corrected is not None}
        fitted = laws({n: c.corrected or 0.0 for n, c in own.items()})
        for n, cell in own.items():
            predicted = {
                "simulator": cell.simulated,
                **formulas(profile, curves.placement(n), alone[row], thinks[row] / 1e3),
                **fitted.get(n, {}),
            }
            found.append(Point(row, n, cell.corrected or 0.0, predicted))
    return found


def _parameters(profile: Machine, curves: CurveSet, thinks: Mapping[str, int]) -> list[Parameter]:
    works = [
        Parameter(f"think.{row}", ps, "ps", f"cell {row}, 1 CPU, less the operation", "input")
        for row, ps in thinks.items()
        if ps
    ]
    where = (
        "thread t runs on CPU t, and each lock has every 56/p-th: the threads are not pinned"
        if curves.spread
        else "thread i is pinned to CPU i"
    )
    stride = 0 if curves.spread else 1
    role: Any = "assumed" if curves.spread else "published"
    return [*works, Parameter("placement.stride", stride, "CPUs", where, role)] + (
        profile.parameters()
    )


def _note(where: str, found: list[Factor]) -> str:
    listed = ", ".join(f"{HEADS[f.model]} {f.mean:.2f}" for f in found)
    return f"Geometric mean of max(p/m, m/p), {where} ({found[0].points}): {listed}."
