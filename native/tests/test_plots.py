"""Plots of native results, as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import CELL, measurement, trial

from locknative.calibration.calibrate import Calibration
from locknative.calibration.fit import Fit
from locknative.calibration.readings import Regime
from locknative.calibration.shape import Shape
from locknative.plots import plot_of_calibration, plot_of_measurement
from locknative.survey.cells import Cell
from locksim.machine import load
from lockui.plots import Bars, Curves

PROFILE = Path(__file__).resolve().parents[2] / "datasets/native/vm-2-epyc/machine.toml"


def test_cells_with_several_numbers_of_threads_are_curves() -> None:
    """Against the threads; a cell that no trial measured leaves a gap."""
    cells = (
        CELL,
        CELL.model_copy(update={"threads": 1, "cpus": (0,)}),
        CELL.model_copy(update={"kernel": "mcs"}),
    )
    trials = [trial(i, cell=cell) for cell in range(3) for i in range(6)]
    plot = plot_of_measurement(measurement(trials, cells))
    (panel,) = plot.panels
    assert isinstance(panel, Curves)
    assert {"tas": [], "mcs": [1]} == {line.name: line.missing for line in panel.lines}
    assert "Crosses: not measured." in plot.key()
    assert "hold 0 ns, think 0 ns" in plot.caption
    assert "drawn by seed 1; not a clean measurement. LockLab " in plot.caption


def test_cells_with_equal_threads_are_bars() -> None:
    """A panel for each mix; few trials have no interval."""
    cells = (CELL, CELL.model_copy(update={"hold_ns": 100.0}))
    plot = plot_of_measurement(measurement([trial(1), trial(2, cell=1)], cells))
    assert ["hold 0", "hold 100"] == [panel.title for panel in plot.panels]
    assert "95 %" not in plot.key()


def test_a_calibration_shows_costs_and_readings() -> None:
    """Costs that were measured or fitted; readings with the simulated ones."""
    machine = load(str(PROFILE))
    fit = Fit({}, {Cell("handoff_cas", (0, 1)): (70.0, 77.0)})
    shape = Shape(1, 2, 1, (), {}, (), (0, 1))
    found = Calibration(machine, {}, shape, {}, Regime(1, 1, 0), {"a": fit})
    costs, readings = plot_of_calibration(found).panels
    assert isinstance(costs, Bars)
    assert isinstance(readings, Bars)
    assert {"transfer.node", "rmw"} <= {bar.label for bar in costs.bars}
    assert [("handoff_cas", 77.0, 70.0)] == [(b.label, b.value, b.mark) for b in readings.bars]
    assert machine.origin is not None
    assert machine.origin.cpu_model in plot_of_calibration(found).caption


def test_nothing_measured_is_refused() -> None:
    """There is nothing to draw."""
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_of_measurement(measurement([]))
