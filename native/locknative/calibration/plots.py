"""The plot of a calibration: its costs, and its readings beside the simulated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lockui.plots import Axis, Bar, Bars, Plot, Words, made_by

if TYPE_CHECKING:
    from locknative.calibration.calibrate import Calibration


def plot_of_calibration(found: Calibration) -> Plot:
    """Return the costs in ns with their intervals, and the readings beside the simulated ones."""
    machine = found.machine
    costs = [
        Bar(p.name, p.value)
        if p.low is None or p.high is None
        else Bar(p.name, p.value, p.low, p.high)
        for p in machine.parameters()
        if p.unit == "ns" and p.role in ("measured", "fitted")
    ]
    readings = [
        Bar(f"{cell.kernel} {_setting(cell)}".strip(), simulated, mark=measured, used=True)
        for fit in found.fits.values()
        for cell, (measured, simulated) in fit.cells.items()
    ]
    origin = machine.origin
    where = ""
    if origin is not None:
        where = f"Measured on {origin.cpu_model}, Linux {origin.kernel}, {origin.date}. "
    return Plot(
        f"{machine.name}: memory costs, and the readings that they were fitted to",
        [
            panel
            for panel in (
                Bars(costs, Axis("cost [ns]", log=True), "Costs"),
                Bars(readings, Axis("reading [ns]"), "Readings"),
            )
            if panel.bars
        ],
        f"{where}{made_by()}",
        Words("of the profile", "measured", "of"),
    )


def _setting(cell: Any) -> str:
    settings = {"think": cell.think, "option": cell.option}
    return ", ".join(f"{name} {value}" for name, value in settings.items() if value)
