"""Plots of native results: a measurement's cells, and a calibration's costs and readings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lockui.plots import Axis, Bar, Bars, Column, Plot, Words, from_table, made_by
from lockui.tables import scale_of

if TYPE_CHECKING:
    from locknative.calibration import Calibration
    from locknative.measurement import Measurement

__all__ = ["plot_of_calibration", "plot_of_measurement"]

MEASURED = Words(values="measured", marks="", line="kernel")
#: Columns that tell cells of one kernel apart, beside its threads.
MIX = ("hold_ns", "think_ns", "write_share", "placement", "option", "loop")


def plot_of_measurement(measurement: Measurement) -> Plot:
    """Return the rate of all threads: against the threads, or as bars where all have as many.

    Arguments:
        measurement: with at least one measured cell.

    Raises:
        ValueError: no cell was measured.
    """
    rows = measurement.rows()
    if not rows:
        raise ValueError("there is nothing to draw: no cell was measured")
    several = [key for key in MIX if len({row[key] for row in rows}) > 1]
    for row in rows:
        row["mix"] = ", ".join(f"{key.removesuffix('_ns')} {_text(row[key])}" for key in several)
    machine = measurement.provenance
    times = {
        key: f"{key.removesuffix('_ns')} {rows[0][key]:g} ns" for key in ("hold_ns", "think_ns")
    }
    load = ", ".join(text for key, text in times.items() if key not in several)
    clean = "clean" if measurement.clean else "not a clean measurement"
    options: dict[str, Any] = {
        "title": "Measured rate of all threads together",
        "caption": f"Measured on {machine.cpu_model}, Linux {machine.kernel}, {machine.compiler}; "
        f"{load}{'; ' * bool(load)}medians over trials of {measurement.duration_ms} ms in an "
        f"order drawn by seed {measurement.seed}; {clean}. {made_by()}",
        "words": MEASURED,
    }
    if len({row["threads"] for row in rows}) > 1:
        return from_table(
            rows,
            x=Column("threads", "threads"),
            y=Column("per_second", "operations", "1/s", ("per_second_low", "per_second_high")),
            line="kernel",
            panel="mix",
            **options,
        )
    return Plot(panels=_bars(rows), **options)


def _bars(rows: Sequence[Mapping[str, Any]]) -> list[Bars]:
    """Return a panel for each mix, with a bar for each kernel."""
    scale = scale_of(max(row["per_second"] for row in rows), "1/s")
    panels: dict[str, list[Bar]] = {}
    for row in rows:
        low, high = (
            math.nan if row[key] is None else row[key] / scale.factor
            for key in ("per_second_low", "per_second_high")
        )
        bar = Bar(row["kernel"], row["per_second"] / scale.factor, low, high)
        panels.setdefault(row["mix"], []).append(bar)
    return [Bars(bars, Axis(f"operations [{scale.unit}]"), mix) for mix, bars in panels.items()]


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


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _setting(cell: Any) -> str:
    settings = {"think": cell.think, "option": cell.option}
    return ", ".join(f"{name} {value}" for name, value in settings.items() if value)
