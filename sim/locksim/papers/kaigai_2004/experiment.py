"""kaigai-2004: SELinux's access vector cache under a spinlock, an rwlock and RCU on 4 to 32 CPUs.

KaiGai Kohei, "Re: RCU issue with SELinux", linux-kernel, 20 August 2004: N processes write one byte
to a file on tmpfs and seek back, 5,000,000 times. Four kernels: SELinux off, one spinlock around
the cache, a reader-writer lock, and RCU.

The parent process of the original waits only for its first child. In the simulated steady state all
processes progress equally in the long run, so the mean over CPUs stands for that child.

Inputs: the work of one iteration (from the cell "disabled, 4 CPUs") and the register work of one
check (from "rcu, 4 CPUs"). Fitted: two costs of the machine profile, to the rwlock at 4 CPUs and
the points at 1 and 2 CPUs (:func:`fit`). All other cells are predictions, including the one that
took too long to measure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from locksim import machine as machines
from locksim.lang import Struct
from locksim.library.avc.avc_rcu import AvcRCU
from locksim.library.avc.avc_rwlock import AvcRWLock
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.avc.no_check import NoCheck
from locksim.library.workloads.rcutest import RcuTest
from locksim.machine import Machine, Parameter
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Reproduction, Role
from locksim.papers.models import Load, Models, compare_models, mean_transfer_ns
from locksim.study.jobs import Job
from locksim.study.simulation import Interval, simulate
from lockui.plots import Axis, Curves, Plot

ITERATIONS = 5_000_000
"""LOOP in rcutest.c; the text of the message has a tenth of it (dataset kaigai-2004/setup)."""
PS_PER_SECOND = 10**12
KERNELS = ("disabled", "spinlock", "rwlock", "rcu")
CPUS = (1, 2, 4, 8, 16, 32)
INPUTS = {("disabled", 4), ("rcu", 4)}
FITTED_ON = {
    ("rwlock", 4),
    *((k, n) for k in ("spinlock", "rwlock", "rcu", "disabled") for n in (1, 2)),
}
"""Cells that count as fitted. The fit reads three of them (:func:`fit`); the others at 1 and 2 CPUs
count too, because the placement was chosen with knowledge of them."""
SEARCH_SHARE = 0.5
"""Share of a check's register work while the cache is held; there is no measurement."""


COMPACT_UP_TO = 2
"""Up to this many processes share a node; more are spread over the nodes first."""
_PLACEMENT = (
    "more are spread over the nodes first; not published. The rwlock's line takes 0.50 us at "
    "4 CPUs and 0.56 to 0.62 us at 8 to 32, so four CPUs cannot have shared a node; the points "
    "at 2 CPUs need a much shorter transfer"
)


@dataclass(frozen=True, slots=True)
class Work:
    """The register work of an iteration.

    Arguments:
        other_ps: work outside the check, in picoseconds (an input).
        check_ps: work in the check, in picoseconds (an input).
        search_share: share of the check's work while the cache is held (assumed).
    """

    other_ps: int
    check_ps: int
    search_share: float = SEARCH_SHARE

    def check(self) -> dict[str, int]:
        """The check's work as parameters of an AVC: before and while the cache is held."""
        search_ps = round(self.check_ps * self.search_share)
        return {"check_ps": self.check_ps - search_ps, "search_ps": search_ps}


def cache(kernel: str, work: Work) -> Struct:
    """The access vector cache of one of the four kernels.

    Only the RCU version tests ``used`` before it stores it; the others store on every hit.
    """
    match kernel:
        case "disabled":
            return NoCheck()
        case "spinlock":
            return AvcSpinlock(store_used=1, **work.check())
        case "rwlock":
            return AvcRWLock(store_used=1, **work.check())
        case "rcu":
            return AvcRCU(store_used=0, **work.check())
    raise ValueError(kernel)


class Kaigai2004(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "kaigai-2004", 2004, "itanium2-32"
    title = "write() on tmpfs with the SELinux AVC under a spinlock, an rwlock and RCU"
    source = "KaiGai Kohei, Re: RCU issue with SELinux, linux-kernel, 20 August 2004"
    replications: ClassVar = 5

    def plan(
        self,
        *,
        machine: Machine | None = None,
        operations: int = 60,
        replications: int = replications,
        seed: int = 1,
        search_share: float = SEARCH_SHARE,
        **options: Any,
    ) -> Plan[Any, Interval]:
        """All 24 cells.

        Arguments:
            machine: a profile instead of ``itanium2-32`` (for ablations).
            operations: iterations measured per CPU and replication, in the steady state.
            replications: independent runs per cell.
            seed: of the first replication.
            search_share: share of a check's register work while the cache is held.
        """
        profile = machines.load(self.machine) if machine is None else machine
        table = published()
        work = inputs(profile, search_share)
        runs = {"operations": operations, "replications": replications, "seed": seed}

        def assemble(done: Mapping[Any, Interval]) -> Reproduction:
            cells = [
                Cell(k, f"{n} CPU", *table[k, n], t.mean, t.low, t.high, role_of(k, n), "s", at=n)
                for (k, n), t in done.items()
            ]
            return Reproduction(
                self.name,
                self.title,
                self.source,
                profile.name,
                parameters(profile, work),
                cells,
                extra={
                    "spinlock_slope": slope(cells),
                    "models": models(profile, work, cells).to_json(),
                },
            )

        jobs = {
            (k, n): Job(
                f"{k} on {n} CPUs", wall_seconds, (profile, k, n, work), runs, seconds=n / 200
            )
            for k in KERNELS
            for n in CPUS
        }
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction) -> Plot:
        """Wall time against CPUs on log axes, as measured points on simulated lines."""
        x, y = Axis("CPUs (one process on each)"), Axis("wall time of 5,000,000 iterations [s]")
        title = "One check per write(): spinlock collapse, rwlock plateau, RCU flat"
        return plots.plot(result, title, [Curves(plots.lines(result.cells), x, y)])


EXPERIMENT = Kaigai2004()


def published() -> dict[tuple[str, int], tuple[str, float | None]]:
    """The wall times: (kernel, CPUs) → (as printed, corrected seconds)."""
    import lockdata

    frame = lockdata.load("kaigai-2004/rcutest", reading="both")
    wall = frame[frame["measure"] == "wall"]
    rows: list[tuple[str, int, str, float | None]] = [
        *wall[["kernel", "cpus", "printed", "corrected"]].itertuples(index=False, name=None)
    ]
    return {
        (kernel, int(cpus)): (
            str(printed),
            None if corrected is None or math.isnan(corrected) else float(corrected),
        )
        for kernel, cpus, printed, corrected in rows
    }


def role_of(kernel: str, cpus: int) -> Role:
    """The role of a cell."""
    if (kernel, cpus) in INPUTS:
        return "input"
    return "fitted" if (kernel, cpus) in FITTED_ON else "predicted"


def wall_seconds(
    profile: Machine,
    kernel: str,
    cpus: int,
    work: Work,
    *,
    operations: int = 60,
    replications: int = 5,
    seed: int = 1,
    cache_: Struct | None = None,
) -> Interval:
    """Wall time of 5,000,000 iterations on each of ``cpus`` CPUs, scaled from a steady state."""
    run = simulate(
        RcuTest(other_ps=work.other_ps, cache=cache_ or cache(kernel, work)),
        machine=profile,
        cpus=cpus,
        placement="compact" if cpus <= COMPACT_UP_TO else "scatter",
        operations=operations,
        warmup=20,
        replications=replications,
        seed=seed,
    )
    if not run.complete:
        raise KeyboardInterrupt  # a mean over too few replications is not a cell
    time = run.operation_ps()
    scale = ITERATIONS / PS_PER_SECOND
    return Interval(time.mean * scale, time.low * scale, time.high * scale)


def inputs(profile: Machine, search_share: float = SEARCH_SHARE) -> Work:
    """Set the two works so that the cells "disabled, 4" and "rcu, 4" equal the published ones.

    Both are the published time minus that of the simulated operations.
    """
    table = published()
    work = Work(1_000_000, 500_000, search_share)
    for kernel in ("disabled", "rcu"):
        goal = table[kernel, 4][1]
        assert goal is not None
        now = wall_seconds(profile, kernel, 4, work, replications=1).mean
        missing = round((goal - now) / ITERATIONS * PS_PER_SECOND)
        if kernel == "disabled":
            work = replace(work, other_ps=work.other_ps + missing)
        else:
            work = replace(work, check_ps=work.check_ps + missing)
    return work


def parameters(profile: Machine, work: Work) -> list[Parameter]:
    """Every value behind the table."""
    return [
        Parameter("rcutest.other_ps", work.other_ps, "ps", "cell disabled, 4 CPUs", "input"),
        Parameter("avc.check_ps", work.check_ps, "ps", "cell rcu, 4 CPUs", "input"),
        Parameter(
            "avc.search_share",
            work.search_share,
            "1",
            "half of a check's register work is done while the cache is held: not measured",
            "assumed",
        ),
        Parameter(
            "rcutest.jitter_ps",
            RcuTest().jitter_ps,
            "ps",
            "a tenth of an iteration, more or less: not measured",
            "assumed",
        ),
        Parameter("placement.compact_up_to", COMPACT_UP_TO, "CPUs", _PLACEMENT, "assumed"),
        *profile.parameters(),
    ]


def slope(cells: list[Cell]) -> float | None:
    """Growth of the spinlock's time per doubling of CPUs from 4 to 32 (slope of log2 over log2)."""
    import numpy as np

    points = [
        (math.log2(c.at), math.log2(c.simulated))
        for c in cells
        if c.row == "spinlock" and c.at >= 4
    ]
    if len(points) < 2:
        return None
    return float(np.polyfit([x for x, _ in points], [y for _, y in points], 1)[0])


def models(profile: Machine, work: Work, cells: list[Cell]) -> Models:
    """Analytic models of the two locks, with the times of the simulation.

    Disabled and RCU write nothing shared, so all formulas and the simulation give flat curves.
    """
    transfer_ns = mean_transfer_ns(profile)
    search_ns = work.check()["search_ps"] / 1e3
    all_ns = (work.other_ps + work.check_ps) / 1e3
    loads = {
        "spinlock": Load(
            search_ns,
            all_ns - search_ns,
            transfer_ns,
            "hold: a check's work inside the lock; the entry's own line is left out",
        ),
        "rwlock": Load(
            transfer_ns,
            all_ns,
            transfer_ns,
            "readers do not exclude each other, but each takes the lock's line twice: one transfer "
            "as the hold, one as the handoff",
        ),
    }

    def other_way(cpus: int, x: float) -> float:
        return ITERATIONS * cpus / x  # seconds from rounds per second, and the other way round

    return compare_models(
        cells,
        loads,
        cpus=lambda cell: cell.at,
        per_second=other_way,
        value=other_way,
        fit_up_to=8,
    )


def fit(profile: Machine, *, operations: int = 60, replications: int = 3) -> dict[str, int]:
    """Fit the two free distances of the machine; the profile has the result.

    ``transfer.half`` from the rwlock at 4 CPUs, ``transfer.node`` from the spinlock and the rwlock
    at 2 CPUs (logarithms of the times, least squares). The simulated times are means over the same
    seeds at every step.

    Arguments:
        profile: the initial profile; its other values do not change.

    Returns:
        Dotted name of each cost → picoseconds.
    """
    from scipy.optimize import minimize_scalar

    table = published()
    fitted: dict[str, int] = {}

    def misfit(name: str, cost_ps: float, cells: list[tuple[str, int]]) -> float:
        costs: dict[str, Any] = {**fitted, name: round(cost_ps)}
        trial = profile.with_costs(**costs)
        work = inputs(trial)
        errors = [
            math.log(
                wall_seconds(
                    trial, k, n, work, operations=operations, replications=replications
                ).mean
                / (table[k, n][1] or math.nan)
            )
            for k, n in cells
        ]
        return sum(e * e for e in errors)

    for name, cells, bounds in (
        ("transfer.half", [("rwlock", 4)], (300_000, 600_000)),
        ("transfer.node", [("spinlock", 2), ("rwlock", 2)], (50_000, 300_000)),
    ):
        best = minimize_scalar(
            lambda x, name=name, cells=cells: misfit(name, x, cells),
            bounds=bounds,
            method="bounded",
            options={"xatol": 2_000},
        )
        fitted[name] = round(best.x / 1_000) * 1_000
    return fitted
