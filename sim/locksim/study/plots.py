"""Plots of simulations: a curve for each lock of a sweep; one run's waits and its CPUs' shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from locksim.engine.counters import CPU_COUNTERS
from locksim.study.simulation import Simulation, interval
from lockui.plots import Axis, Bar, Bars, Column, Plot, Words, from_table, made_by
from lockui.tables import DASH, scale_of, shows

__all__ = ["plot_of_run", "plot_of_sweep"]

#: Most CPUs that each get a bar; of more, five are shown: from the slowest to the fastest.
MOST_CPUS = 16
#: Most lock sides with bars for hold and wait: those that are held for the largest share of time.
MOST_SIDES = 5


def plot_of_sweep(
    rows: Sequence[Mapping[str, Any]],
    *,
    planned: Iterable[tuple[str, int]] = (),
    unit: str,
    caption: str,
    panel: str | Sequence[str] = (),
) -> Plot:
    """Return throughput against CPUs, a line for each lock.

    Arguments:
        rows: with ``lock``, ``cpus``, ``per_second``, ``low``, ``high``, the panel's columns, and
            ``band_low`` and ``band_high`` if there are bands.
        planned: (lock, CPUs) of all points; those without a row are marked as not simulated.
        unit: of work, in words. caption: machine, load, seeds.
        panel: columns whose values get a panel each, such as ``machine``.

    Raises:
        ValueError: there is no row.
    """
    done = {(row["lock"], row["cpus"]) for row in rows}
    missing = [
        {"lock": lock, "cpus": cpus, "per_second": None}
        for lock, cpus in planned
        if (lock, cpus) not in done
    ]
    return from_table(
        [*rows, *missing],
        title=f"{unit[:1].upper()}{unit[1:]} of all CPUs together",
        x=Column("cpus", "CPUs"),
        y=Column("per_second", unit, "1/s", ("low", "high"), ("band_low", "band_high")),
        line="lock",
        panel=panel,
        caption=f"{caption} {made_by()}",
    )


def plot_of_run(name: str, result: Simulation, *, unit: str, caption: str) -> Plot:
    """Return hold and wait times of the locks, and the rate of each CPU.

    Arguments:
        name: of the lock. result: the run. unit: of work, in words. caption: load, seeds.
    """
    rate = result.throughput()
    scale = scale_of(rate.mean, "1/s")
    half = scale.number(rate.high - rate.mean)
    half = "" if half == DASH else f" ± {half if shows(half) else '<0.01'}"
    cpus = f"{result.cpus} CPU{'s' * (result.cpus != 1)}"
    where = f"{cpus} of {result.machine} ({result.placement})"
    panels = [_times(result), _cpus(result, unit)]
    return Plot(
        f"{name} on {where}: {scale.number(rate.mean)}{half} {scale.unit}",
        [panel for panel in panels if panel.bars],
        f"{caption} {made_by()}",
        Words(line="of"),
    )


def _times(result: Simulation) -> Bars:
    """Return mean hold and wait of each lock's sides."""
    busiest = sorted(result.meters(), key=lambda row: row["util"], reverse=True)[:MOST_SIDES]
    times = [
        (f"{row['lock']}{' (read)' * (row['side'] == 'read')}: {what}", row[key])
        for row in busiest
        for what, key in (("hold", "hold_ns"), ("wait", "wait_ns"))
        if key == "hold_ns" or row["con"]
    ]
    scale = scale_of(max((time for _, time in times), default=0.0), "ns")
    bars = [Bar(label, time / scale.factor) for label, time in times]
    return Bars(bars, Axis(f"mean time [{scale.unit}]"), "Hold, and wait of those that waited")


def _cpus(result: Simulation, unit: str) -> Bars:
    """Return the rate of each CPU with its interval over replications, or of five of many."""
    done = CPU_COUNTERS.index("done")
    rates = [
        interval([r.cpu[cpu, done] / r.window_ps * 1e12 for r in result.replications])
        for cpu in range(result.cpus)
    ]
    scale = scale_of(max(rate.mean for rate in rates), "1/s")
    shown = {f"CPU {cpu}": rate for cpu, rate in enumerate(rates)}
    if len(rates) > MOST_CPUS:
        ranked = sorted(rates, key=lambda rate: rate.mean)
        places = np.linspace(0, len(ranked) - 1, 5).round().astype(int)
        names = ("slowest CPU", "1st quartile", "median", "3rd quartile", "fastest CPU")
        shown = {name: ranked[place] for name, place in zip(names, places, strict=True)}
    bars = [
        Bar(label, rate.mean / scale.factor, rate.low / scale.factor, rate.high / scale.factor)
        for label, rate in shown.items()
    ]
    return Bars(bars, Axis(f"{unit} [{scale.unit}]"), "Rate of each CPU")
