"""The lock meter on real cores: lockmeter's columns, as the simulator has them.

Names and definitions are those of :meth:`locksim.study.simulation.Simulation.by_lock` and of
``locksim.engine.meters``: a hold ends where release is called; WAIT is the mean over contended
acquisitions, those that paused. TOTAL, CON, NOWAIT and SPIN count every acquisition. HOLD and WAIT
come from sampled ones, and each contains one reading of the clock (``clock_ns``). UTIL and the
share of CPU time are those of all acquisitions, most of which read no clock, so it is subtracted.

Samples cannot show the UTIL of readers, which overlap, nor how many were inside at once and for how
long, nor whom a writer found, nor failed attempts: these are None. So is a UTIL above 1. It means
that a preempted holder is among the samples, and counts for many that were not preempted.

Source: Bryant and Hawkes, "Lockmeter: Highly-Informative Instrumentation for Spin Locks in the
Linux Kernel", Annual Linux Showcase 2000; NOWAIT and SPIN as in lockdata's ``franke-2001``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from locknative.benchmark.histogram import Histogram, merge
from locknative.benchmark.measurement import Measurement, Side

if TYPE_CHECKING:
    from locksim.study.reports.table import LockTable

PERCENTILES = (50.0, 90.0, 99.0, 99.9)
_TIMES = ("hold_ns", "hold_max_ns", "wait_ns", "wait_max_ns")
_UNSEEN = ("busy_ns", "busy_max_ns", "rejected", "con_ww", "wait_ww_ns", "wait_ww_max_ns")
"""Columns of the simulator that need a view of all threads at once, or of failed attempts."""


def meter_rows(measurement: Measurement) -> list[dict[str, Any]]:
    """Return one row for each cell and side (``write`` or ``read``) that was entered.

    Only cells of the latency loop have rows. Shares are fractions, times ns; a time without
    samples is None. ``hold_p50_ns`` to ``wait_p999_ns`` are percentiles of what HOLD and WAIT are
    means of. ``wait`` and ``hold`` hold percentiles (``p50`` to ``p99.9``) of all sampled
    acquisitions, with or without a wait.
    """
    rows = []
    for index in sorted({trial.cell for trial in measurement.trials}):
        if measurement.cells[index].loop == "latency":
            rows += [
                row
                for side in ("write", "read")
                if (row := _row(measurement, index, side)) is not None
            ]
    return rows


def lock_tables(measurement: Measurement) -> list[LockTable]:
    """Return the same rows as tables that ``locksim.study.reports`` prints, one for each cell.

    The window of a table is all trials of its cell, one after another. Readers' time in the lock
    and its longest busy period need a view of all threads at once, and are left out. One reading of
    the clock is subtracted from each time, as from UTIL, so that the columns agree.
    """
    from locksim.study.reports.table import of_meter

    found: dict[int, list[dict[str, Any]]] = {}
    for row in meter_rows(measurement):
        clock_ns = row["clock_ns"]
        times = {key: row[key] for key in _TIMES if row[key] is not None}
        net = {key: max(0.0, time_ns - clock_ns) for key, time_ns in times.items()}
        found.setdefault(row["cell"], []).append({**row, **net})
    machine = measurement.provenance
    return [
        of_meter(
            rows,
            source="native",
            cpus=measurement.cells[index].threads,
            window_ns=1e9 * rows[0]["total"] / rows[0]["per_second"],
            system=f"{rows[0]['lock']}; {machine.cpu_model}, Linux {machine.kernel}",
        )
        for index, rows in found.items()
    ]


def _row(measurement: Measurement, index: int, side: str) -> dict[str, Any] | None:
    cell, trials = measurement.cells[index], measurement.of(index)
    tallies = [tally for trial in trials for tally in trial.tallies]
    sides: list[Side] = [found for tally in tallies if (found := getattr(tally, side)) is not None]
    total = sum(found.count for found in sides)
    if not total:
        return None
    tick_ns = 1 / measurement.clock.ticks_per_ns
    clock_ns = measurement.clock.cost_ns
    contended = sum(found.contended for found in sides)
    hold = merge(found.hold for found in sides)
    wait = merge(found.wait for found in sides)
    contended_wait = merge(found.contended_wait for found in sides)
    hold_ns, wait_ns = _ns(hold.mean, tick_ns), _ns(contended_wait.mean, tick_ns)
    thread_ns = sum(tally.wall_ns for tally in tallies)
    window_ns = thread_ns / cell.threads
    return {
        "lock": cell.title,
        "cell": index,
        "side": side,
        "util": _busy(hold_ns, clock_ns, total, window_ns) if side == "write" else None,
        "con": contended / total,
        "hold_ns": hold_ns,
        "hold_max_ns": _ns(float(hold.longest), tick_ns) if hold.counts else None,
        "wait_ns": wait_ns,
        "wait_max_ns": _ns(float(contended_wait.longest), tick_ns) if wait_ns is not None else None,
        "cpu_share": _busy(wait_ns, clock_ns, contended, thread_ns) if contended else 0.0,
        "total": total,
        "nowait": 1 - contended / total,
        "spin": contended / total,
        "per_second": 1e9 * total / window_ns,
        "readers_max": None,
        **dict.fromkeys(_UNSEEN),
        **_columns("hold", hold, tick_ns),
        **_columns("wait", contended_wait, tick_ns),
        "violations": 0,
        "samples": hold.samples,
        "clock_ns": clock_ns,
        "wait": _percentiles(wait, tick_ns),
        "hold": _percentiles(hold, tick_ns),
    }


def _busy(mean_ns: float | None, clock_ns: float, times: int, of_ns: float) -> float | None:
    """Return the share of a time that ``times`` intervals fill, without the clock's own time.

    None where this is above 1: then the samples are too few to represent all.
    """
    if mean_ns is None:
        return None
    share = max(0.0, mean_ns - clock_ns) * times / of_ns
    return share if share <= 1 else None


def _columns(what: str, histogram: Histogram, tick_ns: float) -> dict[str, float | None]:
    """The percentiles under the names of the simulator's columns."""
    return {
        f"{what}_p{f'{p:g}'.replace('.', '')}_ns": _ns(histogram.percentile(p), tick_ns)
        for p in PERCENTILES
    }


def _percentiles(histogram: Histogram, tick_ns: float) -> dict[str, float | None]:
    found = {f"p{p:g}": _ns(histogram.percentile(p), tick_ns) for p in PERCENTILES}
    longest = _ns(float(histogram.longest), tick_ns) if histogram.counts else None
    return {**found, "max": longest}


def _ns(ticks: float, tick_ns: float) -> float | None:
    """Return ticks in ns; None for NaN, which is no sample."""
    return ticks * tick_ns if ticks == ticks else None
