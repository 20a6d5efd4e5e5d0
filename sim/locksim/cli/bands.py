"""Bands on the command line: a line for each result, and columns for tables, JSON and CSV.

``band_low`` and ``band_high`` are the ends of the band in the unit of the result. ``depends_on``
says what moves it, the widest first (docs/UNCERTAINTY.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from lockui import tables

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.machine import Machine
    from locksim.study.bands import Band, Cause, Effect

__all__ = [
    "Sensitivity",
    "columns",
    "in_words",
    "percent",
    "print_bands",
    "warn_without_range",
    "what",
]

Sensitivity = Annotated[
    bool | None,
    typer.Option(
        "--sensitivity/--no-sensitivity",
        help="how far results depend on starting order and on uncertain values of the machine",
    ),
]
LEAST = 0.01
"""An effect below this share of the result is not listed."""
MOST_LISTED = 4


def columns(band: Band) -> dict[str, Any]:
    """Return the columns of a result's band."""
    return {"band_low": band.low, "band_high": band.high, "depends_on": in_words(band)}


def in_words(band: Band) -> str:
    """Return what moves a result, and how far: "starting order ±4 % (…), tenure +18 % (…)"."""
    return ", ".join(_listed(band))


def percent(value: float, low: float | None, high: float | None) -> str:
    """Return the ends of a band as percentages of its value, "-9 +12"; a dash if there is none."""
    if value <= 0 or low is None or high is None:
        return tables.DASH
    return f"{_share(low, value)} {_share(high, value)}"


def what(causes: Sequence[Cause]) -> str:
    """Return what bands hold, as the end of a sentence."""
    if len(causes) == 1:
        return f"{causes[0].name} {causes[0].why}"
    return f"{causes[0].why} of the start, and {len(causes) - 1} values of the machine in turn"


def print_bands(output: Console, found: Mapping[str, tuple[Band, str]]) -> None:
    """Print a line for each result: value, band, and what moves it.

    Arguments:
        output: the console. found: a result's name → its band and its unit.
    """
    view = tables.table()
    tables.add(view, "sensitivity", fold=True)
    tables.add(view, "value and band", right=True)
    tables.add(view, "depends on", fold=True)
    for name, (band, unit) in found.items():
        scale = tables.scale_of(band.value, unit)
        value = scale.number(band.value)
        ends = f"{scale.number(band.low)}, {scale.number(band.high)}"
        text = f"{value} [{ends}] {scale.unit}".rstrip()
        view.add_row(escape(name), escape(text), escape("\n".join(_listed(band))))
    tables.print_table(output, view)


def warn_without_range(output: Console, machine: Machine) -> None:
    """Name the assumed values that no band holds, if the profile gives some no range."""
    from locksim.study.bands import without_range

    names = without_range(machine)
    if names:
        output.print(
            f"  {machine.name} states no range for {', '.join(names)}: not varied", markup=False
        )


def _listed(band: Band) -> list[str]:
    """Return a phrase for each effect, the widest first."""
    found = [(effect, _moves(effect, band.value)) for effect in band.effects]
    listed = [f"{effect.name} {text} ({effect.why})" for effect, text in found if text]
    more = len(listed) - MOST_LISTED
    rest = [f"{more} more"] if more > 0 else []
    return [*listed[:MOST_LISTED], *rest] or ["nothing by 1 % or more"]


def _moves(effect: Effect, value: float) -> str:
    """Return how far an effect moves a result; empty if it hardly does."""
    if value <= 0:
        return "" if effect.low == effect.high else f"{effect.low:.3g} to {effect.high:.3g}"
    down, up = 1 - effect.low / value, effect.high / value - 1
    if max(down, up) < LEAST:
        return ""
    if round(100 * down) == round(100 * up):
        return f"±{100 * up:.0f} %"
    ends = [(effect.low, down), (effect.high, up)]
    return " ".join(f"{_share(end, value)} %" for end, moved in ends if moved >= LEAST)


def _share(end: float, value: float) -> str:
    return f"{100 * (end / value - 1):+.0f}"
