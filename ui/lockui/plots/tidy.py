"""Plots of tidy tables: a row for each point, with its line and its panel in columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockui.plots.data import Axis, Curves, Line, Plot, Point, Words
from lockui.plots.files import save
from lockui.tables import Scale, scale_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers.

    Arguments:
        key: its name in the table. label: what it shows, without the unit.
        unit: of its values. Those in ``1/s`` and ``ns`` are shown in k/s, M/s, µs and so on.
        interval: the names of the columns with the lower and the upper end of the 95 % interval.
        band: those of the uncertainty band; a row may lack them.
    """

    key: str
    label: str
    unit: str = ""
    interval: tuple[str, str] | None = None
    band: tuple[str, str] | None = None


def from_table(
    table: pd.DataFrame | Iterable[Mapping[str, Any]],
    *,
    title: str,
    x: Column,
    y: Column,
    line: str | Sequence[str],
    panel: str | Sequence[str] = (),
    caption: str = "",
    words: Words | None = None,
) -> Plot:
    """Return the plot of a table.

    Within a panel every line has a point at every x. A point that the table lacks, or whose value
    is missing, is not simulated.

    Arguments:
        table: a data frame or plain rows.
        title: the message. x, y: the columns of the axes. caption: where the numbers come from.
        line, panel: the columns whose values name a line and a panel.
        words: what lines stand for; simulated values by default.

    Raises:
        ValueError: the table has no rows.
    """
    rows = _records(table)
    if not rows:
        raise ValueError("there is nothing to draw: the table has no rows")
    largest = max((abs(v) for row in rows if (v := _number(row, y.key)) is not None), default=0.0)
    scale = scale_of(largest, y.unit)
    unit = f" [{scale.unit}]" if scale.unit else ""
    axes = Axis(x.label), Axis(f"{y.label}{unit}")
    panels: dict[str, dict[str, dict[float, Point]]] = {}
    for row in rows:
        lines = panels.setdefault(_name(row, panel), {})
        at = float(row[x.key])
        lines.setdefault(_name(row, line), {})[at] = _point(row, at, y, scale)
    drawn = []
    for name, lines in panels.items():
        places = sorted({at for points in lines.values() for at in points})
        drawn.append(
            Curves(
                [
                    Line(one, [points.get(at, Point(at, None)) for at in places])
                    for one, points in lines.items()
                ],
                *axes,
                title=name,
            )
        )
    return Plot(title, drawn, caption, words or Words(line=", ".join(_keys(line))))


def plot(table: pd.DataFrame | Iterable[Mapping[str, Any]], file: Path, **options: Any) -> Path:
    """Draw a table into a file and return the file.

    Arguments:
        table: a data frame or plain rows. file: its ending chooses the format.
        options: those of :func:`from_table`.
    """
    save(from_table(table, **options), file)
    return file


def _records(table: Any) -> list[Mapping[str, Any]]:
    return list(table.to_dict(orient="records") if hasattr(table, "to_dict") else table)


def _keys(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _name(row: Mapping[str, Any], keys: str | Sequence[str]) -> str:
    return ", ".join(str(row[key]) for key in _keys(keys))


def _number(row: Mapping[str, Any], key: str) -> float | None:
    value = row.get(key)
    return None if value is None or not math.isfinite(value) else float(value)


def _point(row: Mapping[str, Any], at: float, y: Column, scale: Scale) -> Point:
    def scaled(key: str) -> float | None:
        value = _number(row, key)
        return None if value is None else value / scale.factor

    def ends(keys: tuple[str, str] | None) -> tuple[float, float] | None:
        low, high = (scaled(key) for key in keys) if keys else (None, None)
        return None if low is None or high is None else (low, high)

    interval = ends(y.interval) or (math.nan, math.nan)
    return Point(at, scaled(y.key), *interval, band=ends(y.band))
