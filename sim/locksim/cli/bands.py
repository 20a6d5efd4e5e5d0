"""Bands on the command line: a line for each result.

In JSON and CSV ``band_low`` and ``band_high`` are the ends of the band in the unit of the result.
``depends_on`` says what moves it, the widest first (docs/explain/uncertainty.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from lockui import tables

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.machine import Machine
    from locksim.study.bands import Band, Cause, Rule


def causes_of(machine: Machine, placement: str | None, draws: int | None) -> list[Cause]:
    """Return what moves the results of a machine.

    Arguments:
        placement: of the threads; None: not stated. draws: of all causes at once; None: one cause
            at a time.
    """
    from locksim.study.bands import drawn, one_at_a_time

    several = machine.topology.nodes > 1
    elsewhere: Rule | None = "scatter" if placement is None and several else None
    if draws is None:
        return one_at_a_time(machine, elsewhere=elsewhere)
    return drawn(machine, draws, elsewhere=elsewhere)


def percent(value: float, low: float | None = None, high: float | None = None) -> str:
    """Return the ends of a band as percentages of its value, "-9 +12"; a dash if there is none."""
    if value <= 0 or low is None or high is None:
        return tables.DASH
    return f"{_share(low, value)} {_share(high, value)}"


def what(causes: Sequence[Cause]) -> str:
    """Return what bands hold, in words; empty without causes."""
    if not causes:
        return ""
    if len(causes) == 1:
        return f"{causes[0].name}, {causes[0].why}"
    others = f"{len(causes) - 1} other cause{'s' * (len(causes) != 2)}"
    return f"{causes[0].why} of the start, and {others} in turn"


def print_bands(output: Console, found: Mapping[str, tuple[Band, str]]) -> None:
    """Print a line for each result: value, band, and what moves it.

    Arguments:
        output: the console. found: a result's name → its band and its unit.
    """
    view = tables.table()
    tables.add(view, "sensitivity", fold=True)
    tables.add(view, "value and band", right=True)
    tables.add(view, "depends on, the widest first", fold=True)
    for name, (band, unit) in found.items():
        scale = tables.scale_of(band.value, unit)
        value = scale.number(band.value)
        ends = f"{scale.number(band.low)}, {scale.number(band.high)}"
        text = f"{value} [{ends}] {scale.unit}".rstrip()
        view.add_row(escape(name), escape(text), escape("\n".join(band.phrases())))
    tables.print_table(output, view)


def warn_without_range(output: Console, machine: Machine) -> None:
    """Name the assumed values that no band holds, if the profile gives some no range."""
    from locksim.study.bands import without_range

    names = without_range(machine)
    if names:
        output.print(
            f"  {machine.name} states no range for {', '.join(names)}: not varied", markup=False
        )


def _share(end: float, value: float) -> str:
    return f"{100 * (end / value - 1):+.0f}"
