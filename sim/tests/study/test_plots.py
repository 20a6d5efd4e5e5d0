"""Plots of simulations, as data."""

import math
from dataclasses import replace

import numpy as np
import pytest

from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.study.plots import plot_of_run, plot_of_sweep
from locksim.study.simulation import Replication, Simulation
from lockui.plots import Bars, Curves
from lockui.plots.draw import drawn


def simulation(cpus: int, replications: int = 2) -> Simulation:
    """A run in which CPU n finishes n + 1 sections in a microsecond, held 100 ns each."""
    cpu = np.zeros((cpus, len(CPU_COUNTERS)), np.int64)
    cpu[:, CPU_COUNTERS.index("done")] = np.arange(1, cpus + 1)
    locks = np.zeros((1, len(LOCK_COUNTERS)), np.int64)
    locks[0, LOCK_COUNTERS.index("total")] = 10
    locks[0, LOCK_COUNTERS.index("hold_ps")] = 10 * 100_000
    runs = [
        Replication(seed, 1_000_000 * (1 + seed), cpu, locks, np.zeros(1, np.int64))
        for seed in range(replications)
    ]
    return Simulation("ideal-8", cpus, "compact", ["lock"], runs)


def panels(cpus: int) -> list[Bars]:
    """The panels of its plot."""
    plot = plot_of_run("mcs", simulation(cpus), unit="sections", caption="Seed 1.")
    return [panel for panel in plot.panels if isinstance(panel, Bars)]


def test_a_run_shows_times_and_cpus() -> None:
    """Waits only where there were some; each CPU has an interval over the replications."""
    times, cpus = panels(2)
    assert [("lock: hold", 100.0)] == [(bar.label, bar.value) for bar in times.bars]
    assert ["CPU 0", "CPU 1"] == [bar.label for bar in cpus.bars]
    assert [pytest.approx(v) for v in (0.75, 1.5)] == [bar.value for bar in cpus.bars]
    assert all(math.isfinite(bar.low) for bar in cpus.bars)
    assert "sections [M/s]" == cpus.x.label


def test_of_many_cpus_five_are_shown() -> None:
    """From the slowest to the fastest."""
    _, cpus = panels(17)
    assert "slowest CPU" == cpus.bars[0].label
    assert [pytest.approx(0.75 * n) for n in (1, 5, 9, 13, 17)] == [b.value for b in cpus.bars]


def test_a_run_s_title_is_its_rate() -> None:
    """With half of the interval, if there is one."""
    options = {"unit": "sections", "caption": "Seed 1."}
    one = plot_of_run("mcs", simulation(2, 1), **options)
    assert "mcs on 2 CPUs of ideal-8 (compact): 3.00 M/s" == one.title
    assert " ± " in plot_of_run("mcs", simulation(2), **options).title
    assert one.caption.startswith("Seed 1. LockLab ")


def test_without_locks_only_cpus_are_shown() -> None:
    """Such as under RCU."""
    shown = replace(simulation(2), lock_names=[])
    plot = plot_of_run("rcu", shown, unit="sections", caption="")
    assert ["Rate of each CPU"] == [panel.title for panel in plot.panels]


def test_planned_points_without_a_row_are_gaps() -> None:
    """A lock that got stuck is still there."""
    rows = [{"lock": "mcs", "cpus": 1, "per_second": 2e6, "low": 1.9e6, "high": 2.1e6}]
    planned = [("mcs", 1), ("mcs", 2), ("stuck", 1)]
    plot = plot_of_sweep(rows, planned=planned, unit="critical sections", caption="On ideal-8.")
    (panel,) = plot.panels
    assert isinstance(panel, Curves)
    assert {"mcs": [2], "stuck": [1, 2]} == {line.name: line.missing for line in panel.lines}
    assert "Critical sections of all CPUs together" == plot.title


def test_a_sweep_shows_the_bands_of_its_rows() -> None:
    """In the unit of the axis; a row without one has none."""
    row = {"lock": "mcs", "cpus": 1, "per_second": 2e6, "low": 1.9e6, "high": 2.1e6}
    rows = [row | {"band_low": 1e6, "band_high": 3e6}, row | {"cpus": 2}]
    (panel,) = plot_of_sweep(rows, unit="sections", caption="").panels
    assert isinstance(panel, Curves)
    assert [(1.0, 3.0), None] == [point.band for point in panel.lines[0].points]


@pytest.mark.parametrize(("cpus", "places"), [(2, 2), (16, 1)])
def test_a_short_panel_stands_above_a_long_one(cpus: int, places: int) -> None:
    """Beside 16 bars, two would leave most of their panel empty."""
    plot = plot_of_run("mcs", simulation(cpus), unit="work", caption="")
    with drawn(plot) as figure:
        assert places == len({round(axes.get_position().x0, 1) for axes in figure.axes})
