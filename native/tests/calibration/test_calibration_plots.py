"""The plot of a calibration, as data."""

from __future__ import annotations

from pathlib import Path

from locknative.calibration.calibrate import Calibration
from locknative.calibration.fit import Fit
from locknative.calibration.plots import plot_of_calibration
from locknative.calibration.readings import Regime
from locknative.calibration.shape import Shape
from locknative.survey.cells import Cell
from locksim.machine import load
from lockui.plots import Bars

PROFILE = Path(__file__).resolve().parents[3] / "datasets/native/vm-2-epyc/machine.toml"


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
