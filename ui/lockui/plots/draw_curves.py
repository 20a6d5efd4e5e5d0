"""A panel of lines: bands, gaps, marks, ticks at the points, and names at the lines' ends."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lockui.plots.data import Axis, Curves, Line, Point, Words
from lockui.plots.look import COLOURS, STYLES, TEXT
from lockui.plots.spread import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = ["draw_curves", "label_ends"]

#: An axis whose values differ by more than this factor is logarithmic.
LOG_ABOVE = 20
#: Most places on the x axis that each get a tick of their own.
MOST_PLACES = 24
#: Letters in a line of a label.
LABEL = 22


def draw_curves(
    axes: Axes,
    panel: Curves,
    looks: Mapping[str, int],
    every: Sequence[Point],
    *,
    most_ticks: int,
) -> None:
    """Draw a panel without the names of its lines.

    Arguments:
        axes: where. panel: what. looks: the number of each line's colour and style.
        every: the points of all panels, which share their axes.
        most_ticks: most numbers on the x axis.
    """
    for line in panel.behind:
        x, y = _xy(line.points or line.marks)
        axes.plot(x, y, color=TEXT, alpha=0.22, linewidth=1)
    for line in panel.lines:
        _draw_line(axes, line, looks[line.name])
    _scale_x(axes, panel.x, sorted({p.x for p in every}), most_ticks)
    ends = [
        value
        for p in every
        if p.y is not None
        for value in (p.y, p.high, *(p.band or ()))
        if math.isfinite(value)
    ]
    _scale_y(axes, panel.y, ends)
    axes.set_title(panel.title)
    axes.grid(True, which="major", alpha=0.22, color=TEXT)


def _draw_line(axes: Axes, line: Line, look: int) -> None:
    """Draw a line with its band, its marks, and crosses where it has no value."""
    colour = TEXT if line.own else COLOURS[look % len(COLOURS)]
    marker, dash = STYLES[look % len(STYLES)]
    x, y = _xy(line.points)
    dots = "" if line.marks or len(x) > MOST_PLACES else marker
    axes.plot(x, y, linestyle=dash, marker=dots, markersize=5, linewidth=2.2, color=colour)
    known = [p for p in line.points if p.y is not None]
    _draw_band(axes, [(p.x, *p.band) for p in known if p.band], colour, 0.12)
    _draw_band(axes, [(p.x, p.low, p.high) for p in known if math.isfinite(p.low)], colour, 0.25)
    for p in line.marks:
        axes.plot(
            *_xy([p]),
            linestyle="none",
            marker="*" if line.own else marker,
            markersize=16 if line.own else 8,
            markerfacecolor="none" if p.used else colour,
            markeredgecolor=colour if p.used else TEXT,
            markeredgewidth=2 if p.used else 0.8,
        )
    if line.missing:
        # On the axis itself, where no value can be mistaken for it.
        (crosses,) = axes.plot(
            line.missing,
            [0.0] * len(line.missing),
            transform=axes.get_xaxis_transform(),
            linestyle="none",
            marker="x",
            markersize=8,
            markeredgewidth=2.2,
            color=colour,
            clip_on=False,
            zorder=5,
        )
        crosses.set_in_layout(False)


def _draw_band(
    axes: Axes, places: Sequence[tuple[float, float, float]], colour: str, alpha: float
) -> None:
    """Fill between the ends at some places, or draw a stroke at a single one."""
    if len(places) == 1:
        ((x, low, high),) = places
        axes.vlines(x, low, high, color=colour, linewidth=2, alpha=min(1.0, 4 * alpha))
    elif places:
        at, lows, highs = zip(*places, strict=True)
        axes.fill_between(at, lows, highs, color=colour, alpha=alpha, linewidth=0)


def label_ends(figure: Figure, panels: Sequence[tuple[Axes, Curves]], words: Words) -> None:
    """Write each line's name beside its end, such that no two names overlap.

    A panel with one line among grey ones has its name as its title.

    Arguments:
        figure: its layout is computed here, since names need their sizes.
        panels: the axes and what they show. words: for lines without any value.
    """
    labels = [
        (axes, line, _label(axes, line, words))
        for axes, panel in panels
        if not panel.behind
        for line in panel.lines
    ]
    figure.draw_without_rendering()
    for axes, _ in panels:
        frame = axes.get_window_extent()
        found = [(line, text) for place, line, text in labels if place is axes]
        ends = [_end(line) for line, _ in found]
        wanted = [
            0.0 if end is None else float(axes.transData.transform(end)[1]) - frame.y0
            for end in ends
        ]
        sizes = [1.1 * text.get_window_extent().height for _, text in found]
        centres = spread(wanted, sizes, 0.0, frame.height)
        for end, (_, text), centre in zip(ends, found, centres, strict=True):
            text.set_y(centre / frame.height)
            if end is not None:
                _lead(axes, end, centre / frame.height)


def _label(axes: Axes, line: Line, words: Words) -> Text:
    """Write a line's name at the right of the panel, and where the line has no value."""
    name = textwrap.fill(line.name, LABEL)
    if words.values and line.missing:
        where = ", ".join(f"{x:g}" for x in line.missing)
        at = f": {where}" if len(line.missing) < len(line.points) else ""
        name += "\n" + textwrap.fill(f"not {words.values}{at}", LABEL)
    return axes.text(1.05, 0.5, name, transform=axes.transAxes, va="center", linespacing=1.05)


def _end(line: Line) -> tuple[float, float] | None:
    """Return the last point of a line, or of its marks."""
    for points in (line.points, line.marks):
        known = [(p.x, p.y) for p in points if p.y is not None]
        if known:
            return known[-1]
    return None


def _lead(axes: Axes, end: tuple[float, float], height: float) -> None:
    """Draw a thin line from a line's end to its name."""
    from matplotlib.patches import ConnectionPatch

    lead = ConnectionPatch(
        end,
        (1.04, height),
        axes.transData,
        axes.transAxes,
        color=TEXT,
        alpha=0.45,
        linewidth=0.8,
        clip_on=False,
    )
    lead.set_in_layout(False)
    axes.add_artist(lead)


def _scale_x(axes: Axes, axis: Axis, places: Sequence[float], most_ticks: int) -> None:
    """Choose the scale, and a tick for each place, or for every second, third and so on."""
    log = _is_log(axis, places, above=7)
    if log:
        axes.set_xscale("log", base=2)
    if not log and len(places) > MOST_PLACES:
        return
    shown = places[:: math.ceil(len(places) / most_ticks)]
    axes.set_xticks(shown, [f"{place:g}" for place in shown])
    axes.set_xticks([], minor=True)


def _scale_y(axes: Axes, axis: Axis, values: Sequence[float]) -> None:
    """Choose the scale, and write plain numbers: 0.1, 1, 10, and some between on a short axis."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if axis.ends is not None:
        axes.set_ylim(*axis.ends)
    if _is_log(axis, values, above=LOG_ABOVE):
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        between = (2, 3, 5, 7) if high < 20 * low else (2, 5)
        axes.yaxis.set_minor_locator(LogLocator(subs=between))
        short = high < 300 * low
        axes.yaxis.set_minor_formatter("{x:,.10g}" if short else NullFormatter())
    elif axis.ends is None and min(values, default=-1) >= 0:
        axes.set_ylim(0, 1.08 * max(values) or 1)
    axes.yaxis.set_major_formatter("{x:,.10g}")


def _is_log(axis: Axis, values: Sequence[float], *, above: float) -> bool:
    if axis.log is not None:
        return axis.log
    return bool(values) and min(values) > 0 and max(values) > above * min(values)


def _xy(points: Iterable[Point]) -> tuple[list[float], list[float]]:
    """Return the coordinates; NaN, which interrupts a line, for a missing value."""
    listed = list(points)
    return [p.x for p in listed], [math.nan if p.y is None else p.y for p in listed]
