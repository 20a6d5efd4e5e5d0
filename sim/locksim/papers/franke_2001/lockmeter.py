"""franke-2001-lockmeter: avc_lock, ss_lock and runqueue_lock while Chatroom runs, 1 to 8 CPUs.

Ten rooms with 100 messages per user, on the kernel with SELinux. The costs are those of
``franke_2001``, fitted to throughput at 1 and 2 CPUs. The simulated kernel has lockmeter in place
of every spinlock (:mod:`locksim.library.instruments.lockmeter`), as the measured one had. HOLD, CON
and WAIT are what it has in its tables when the run is over.

The window. UTIL, TOTAL and the share of the CPUs' time spent waiting refer to a measurement of 84
to 98 seconds; UTIL x T = HOLD x TOTAL gives T. A run takes 3 to 6 seconds, and TOTAL is that of ten
runs (see ``franke_2001``). So most of the window is pause: between two runs 800 threads are
started, and nothing is sent. The pause per run is one fitted number (:func:`pause_s`, from
avc_lock's rate at 1 and 2 CPUs). So UTIL is not the load that an arriving request meets, and a
formula that uses it as such must fail.

Cells that the source prints as 0 or leaves out have no relative error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from locksim import machine as machines
from locksim.machine import Machine, Parameter
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Report, Reproduction
from locksim.papers.franke_2001 import instruments
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.models import lockmeter_models
from locksim.papers.franke_2001.setting import (
    CPUS,
    FITTED_CPUS,
    LOCKS,
    MACHINE,
    MESSAGES,
    SOURCE,
    Costs,
    Run,
)
from locksim.study.reports import lockmeter
from locksim.study.reports.table import LockRow, LockTable
from locksim.study.simulation import interval
from lockui.plots import Axis, Curves, Plot

ROOMS = 10
RUN_MESSAGES = 400 * ROOMS * 100
"""Messages of one measured run."""
WINDOW_S = {1: 91.5, 2: 90.5, 4: 84.0, 8: 97.5}
"""Length of the measurement: UTIL x T = HOLD x TOTAL, three locks together (the middle of ranges
of their printed digits: 88-95, 88-93, 83-85, 96-99 s)."""
COLUMNS = {
    "util": ("UTIL", "%"),
    "con": ("CON", "%"),
    "hold_mean": ("HOLD", "µs"),
    "wait_mean": ("WAIT", "µs"),
    "wait_cpu": ("% CPU", "%"),
    "total": ("TOTAL/s", "1/s"),
    "nowait": ("NOWAIT", "%"),
    "spin": ("SPIN", "%"),
}
"""The dataset's measures: the column here, and its unit. TOTAL is divided by the window."""


class Franke2001Lockmeter(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "franke-2001-lockmeter", 2001, MACHINE
    title = "lockmeter on Chatroom: three spinlocks of 2.4.3 with SELinux, 1 to 8 CPUs"
    brief: ClassVar = {"messages": franke_2001.BRIEF_MESSAGES}

    def plan(
        self,
        *,
        machine: Machine | None = None,
        costs: Costs | None = None,
        replications: int = franke_2001.REPLICATIONS,
        seed: int = 1,
        messages: int = MESSAGES,
        instrument: bool = True,
        **options: Any,
    ) -> Plan[Any, Run]:
        """The 96 cells.

        Arguments:
            machine, costs, replications, seed, messages: those of ``franke-2001-chatroom``.
            instrument: True runs a kernel with lockmeter in it, and reads its tables; False reads
                the engine's own meter, which costs nothing.
        """
        profile = machine or machines.load(MACHINE)
        used = costs or Costs()
        table = published()

        def assemble(done: Mapping[Any, Run]) -> Reproduction:
            runs = {n: sampled for (_, _, n), sampled in franke_2001.by_cell(done).items()}
            if not set(FITTED_CPUS) <= set(runs):
                raise KeyboardInterrupt  # the pause is fitted on these
            pause = pause_s(runs, table)
            found = cells(runs, table, pause)
            return Reproduction(
                self.name,
                self.title,
                SOURCE,
                profile.name,
                [
                    Parameter(
                        "window.pause", pause, "s", "avc_lock's rate at 1 and 2 CPUs", "fitted"
                    ),
                    *(
                        Parameter(f"window.{n}_cpus", t, "s", "HOLD x TOTAL / UTIL", "input")
                        for n, t in WINDOW_S.items()
                    ),
                    *(instruments.lockmeter_parameters() if instrument else ()),
                    *franke_2001.parameters(profile, used, messages=messages),
                ],
                found,
                extra={
                    "models": lockmeter_models(profile, runs, found),
                    "active_fraction": {
                        str(n): float(np.mean([active_fraction(r, pause) for r in sampled]))
                        for n, sampled in runs.items()
                    },
                    "run_queue": {
                        str(n): {
                            "mean": float(np.mean([r.queue_mean for r in sampled])),
                            "longest": max(r.queue_longest for r in sampled),
                        }
                        for n, sampled in runs.items()
                    },
                },
                report=Report(
                    "lockmeter", "\n".join(lockmeter.text(t) for t in tables(runs, pause))
                ),
            )

        wanted = [("selinux", ROOMS, n) for n in CPUS]
        jobs = franke_2001.jobs(
            profile,
            wanted,
            used,
            replications=replications,
            seed=seed,
            messages=messages,
            lockmeter=instrument,
        )
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction) -> Plot:
        """Hold times against CPUs, as measured points on simulated lines."""
        holds = [c for c in result.cells if c.column == "HOLD"]
        lines = plots.lines(holds, lambda c: c.row.partition(",")[0])
        title = "The same code holds its lock longer on more CPUs"
        return plots.plot(
            result, title, [Curves(lines, Axis("CPUs", log=True), Axis("mean hold time [µs]"))]
        )


EXPERIMENT = Franke2001Lockmeter()


def published() -> dict[tuple[int, str, str], tuple[str | None, float | None]]:
    """The table: (CPUs, lock, measure) → (as printed, corrected).

    TOTAL is converted to a rate per second. A cell printed as 0 or left out has no corrected value,
    since it has no relative error.
    """
    import lockdata

    frame = lockdata.load("franke-2001/lockmeter", reading="both")
    table: dict[tuple[int, str, str], tuple[str | None, float | None]] = {}
    for cpus, lock, measure, printed, corrected in frame[
        ["cpus", "lock", "measure", "printed", "corrected"]
    ].itertuples(index=False, name=None):
        value = None if corrected != corrected or not corrected else float(corrected)
        if measure == "total" and value is not None:
            value /= WINDOW_S[int(cpus)]
        table[int(cpus), lock, measure] = (None if printed != printed else str(printed), value)
    return table


def cells(
    runs: dict[int, list[Run]],
    table: dict[tuple[int, str, str], tuple[str | None, float | None]],
    pause: float,
) -> list[Cell]:
    """The table's cells: those at the CPU counts that were run.

    Arguments:
        runs: by CPUs. table: the published one. pause: in seconds, after each run.
    """
    found = []
    for n, sampled in runs.items():
        for lock in LOCKS:
            lines = [line(run, lock, pause) for run in sampled]
            for measure, (column, unit) in COLUMNS.items():
                printed, corrected = table[n, lock, measure]
                value = interval([one[measure] for one in lines])
                found.append(
                    Cell(
                        f"{lock}, {n} CPU",
                        column,
                        printed,
                        corrected,
                        value.mean,
                        value.low,
                        value.high,
                        franke_2001.role_of(n),
                        unit,
                        at=n,
                    )
                )
    return found


def tables(runs: dict[int, list[Run]], pause: float) -> list[LockTable]:
    """The results as lockmeter's tables, one for each number of CPUs; maxima over all runs."""
    return [
        LockTable(
            "simulated",
            [_row(lock, sampled, pause, n) for lock in LOCKS],
            n,
            WINDOW_S[n] * 1e9,
            f"LockLab, Chatroom, {ROOMS} rooms",
        )
        for n, sampled in runs.items()
    ]


def _row(lock: str, sampled: list[Run], pause: float, cpus: int) -> LockRow:
    """A lock's row over all runs, so that its columns are consistent."""
    lines = [line(run, lock, pause) for run in sampled]
    util, rate, cpu_share, waited = (
        float(np.mean(values))
        for values in (
            [one["util"] / 100 for one in lines],
            [one["total"] for one in lines],
            [one["wait_cpu"] / 100 for one in lines],
            [one["con"] / 100 * one["total"] for one in lines],
        )
    )
    hold_max, wait_max = (
        max(run.locks[lock][counter] for run in sampled) / 1e3
        for counter in ("hold_max_ps", "wait_max_ps")
    )
    con = waited / rate
    return LockRow(
        lock,
        util=util,
        con=con,
        hold_ns=1e9 * util / rate,
        hold_max_ns=hold_max,
        wait_ns=1e9 * cpu_share * cpus / waited if waited else 0.0,
        wait_max_ns=wait_max,
        cpu_share=cpu_share,
        total=rate * WINDOW_S[cpus],
        nowait=1 - con,
        spin=con,
        reject=0.0,
    )


def pause_s(
    runs: dict[int, list[Run]], table: dict[tuple[int, str, str], tuple[str | None, float | None]]
) -> float:
    """The pause after each run that gives avc_lock's published rate (mean of 1 and 2 CPUs)."""
    found = []
    for n in FITTED_CPUS:
        rate = table[n, "avc_lock", "total"][1]
        assert rate is not None
        per_run = float(np.mean([r.per_message("avc_lock") for r in runs[n]])) * RUN_MESSAGES
        found.append(per_run / rate - float(np.mean([run_s(r) for r in runs[n]])))
    return float(np.mean(found))


def run_s(run: Run) -> float:
    """Duration of a measured run at the simulated throughput, in seconds."""
    return RUN_MESSAGES / run.throughput


def active_fraction(run: Run, pause: float) -> float:
    """Share of the window in which messages are exchanged."""
    return run_s(run) / (run_s(run) + pause)


def line(run: Run, lock: str, pause: float) -> dict[str, float]:
    """One line of lockmeter's output: the dataset's measures, in the units of ``COLUMNS``."""
    period_s = run_s(run) + pause
    rate = run.per_message(lock) * RUN_MESSAGES / period_s
    con = run.contention(lock)
    return {
        "util": 100 * rate * run.hold_us(lock) / 1e6,
        "con": 100 * con,
        "hold_mean": run.hold_us(lock),
        "wait_mean": run.wait_us(lock),
        "wait_cpu": 100 * rate * con * run.wait_us(lock) / 1e6 / run.cpus,
        "total": rate,
        "nowait": 100 * (1 - con),
        "spin": 100 * con,
    }
