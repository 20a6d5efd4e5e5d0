"""Reproductions as plots: simulated lines or bars, and the measured values as markers on them.

A marker is hollow where a parameter was set from the cell or a fit used it: it proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter

from locksim.papers.experiment import Cell, Reproduction
from lockui.plots import Bar, Bars, Curves, Line, Plot, Point, Words


def plot(result: Reproduction, title: str, panels: list[Curves] | list[Bars]) -> Plot:
    """Return the plot of a reproduction, with source and machine in its caption."""
    caption = f"{result.source}. Simulated on {result.machine}."
    return Plot(title, panels, caption, Words(line="row"))


def lines(
    cells: Iterable[Cell], name: Callable[[Cell], str] = attrgetter("row"), *, scale: float = 1.0
) -> list[Line]:
    """Return a line for each name, with a point for each of its cells, at ``Cell.at``.

    Arguments:
        cells: in the order of the axis. name: of a cell's line. scale: how many of the cells' unit
            make one of the axis.
    """
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(name(cell), []).append(cell)
    return [
        Line(
            one,
            [
                Point(
                    *(c.at, c.simulated / scale, c.low / scale, c.high / scale),
                    band=None if c.band is None else (c.band.low / scale, c.band.high / scale),
                )
                for c in row
            ],
            [
                Point(c.at, c.corrected / scale, used=c.role != "predicted")
                for c in row
                if c.corrected is not None
            ],
        )
        for one, row in found.items()
    ]


def bar(cell: Cell, label: str) -> Bar:
    """Return the bar of a cell."""
    used = cell.role != "predicted"
    band = None if cell.band is None else (cell.band.low, cell.band.high)
    return Bar(label, cell.simulated, cell.low, cell.high, cell.corrected, used, band)
