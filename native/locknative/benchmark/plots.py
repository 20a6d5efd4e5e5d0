"""The plot of a measurement: rates of its cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lockui.plots import Axis, Bar, Bars, Column, Plot, Words, from_table, made_by
from lockui.tables import scale_of

if TYPE_CHECKING:
    from locknative.benchmark.measurement import Measurement

__all__ = ["plot_of_measurement"]

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


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
