"""Plots drawn by matplotlib: panels on a grid, a title above, the caption below."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lockui.plots.data import Bars, Curves, Plot, Words
from lockui.plots.draw_bars import draw_bars
from lockui.plots.draw_curves import draw_curves, label_ends
from lockui.plots.look import COLOURS, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["drawn"]

#: Sizes in inches. A plot of one panel is shown 640 pixels wide with letters of 13 pixels.
WIDTH, WIDE = 8.0, 10.0
ROW_OF_CURVES = {1: 4.0, 2: 2.9}
LOWEST_ROW_OF_CURVES = 2.3
BAR, AROUND_BARS = 0.29, 0.75
#: Letters' sizes in points, for the widths above.
LETTERS = {WIDTH: 12.0, WIDE: 13.5}


@contextmanager
def drawn(plot: Plot, *, texts: bool = True, width: float | None = None) -> Iterator[Figure]:
    """Draw a plot, and keep matplotlib's settings while the figure is saved.

    Arguments:
        plot: what to draw. texts: whether title and caption belong into the picture.
        width: of the picture, in inches.
    """
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()  # a reader's own settings would change the layout
        plot = plot.split()
        columns = _columns(plot.panels)
        wide = width or (WIDE if columns > 2 else WIDTH)
        letters = LETTERS.get(wide, LETTERS[WIDTH])
        mpl.rcParams.update(_settings(letters))
        yield _figure(plot, columns, wide, letters, texts)


def _figure(plot: Plot, columns: int, width: float, letters: float, texts: bool) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = math.ceil(len(plot.panels) / columns)
    title = _wrapped(plot.title, width, 1.1 * letters) if texts else ""
    caption = _wrapped(f"{plot.key()} {plot.caption}".strip(), width, 0.72 * letters)
    caption = caption if texts else ""
    height = _height(plot, rows, columns) + (title.count("\n") + 1) * bool(title) * letters / 60
    height += (caption.count("\n") + 1) * bool(caption) * letters / 85
    figure = Figure((width, height), layout="constrained")
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=1.1 * letters, fontweight="bold")
    if caption:
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=0.72 * letters)
    same_x = len({panel.x for panel in plot.panels}) == 1
    most = _most_bars(plot, columns)
    grid = figure.subplots(
        *(rows, columns),
        squeeze=False,
        sharex=same_x,
        sharey=not most,
        height_ratios=most or None,
    )
    axes = list(grid.flat)
    for empty in axes[len(plot.panels) :]:
        empty.set_axis_off()
    for i, (place, panel) in enumerate(zip(axes, plot.panels, strict=False)):
        if isinstance(panel, Bars):
            lowest = not same_x or i + columns >= len(plot.panels)
            draw_bars(place, panel, plot.words, most=most[i // columns], lowest=lowest)
    curves = [
        (place, panel)
        for place, panel in zip(axes, plot.panels, strict=False)
        if isinstance(panel, Curves)
    ]
    if curves:
        _draw_all_curves(figure, curves, columns, plot.words, letters)
    return figure


def _draw_all_curves(
    figure: Figure,
    panels: Sequence[tuple[Axes, Curves]],
    columns: int,
    words: Words,
    letters: float,
) -> None:
    """Draw panels of lines, which share their axes and the look of each name."""
    lines = [line for _, panel in panels for line in panel.lines]
    looks = {name: i for i, name in enumerate(dict.fromkeys(line.name for line in lines))}
    every = [p for line in lines for p in (*line.points, *line.marks)]
    for i, (axes, panel) in enumerate(panels):
        lowest = i + columns >= len(panels)
        draw_curves(axes, panel, looks, every, most_ticks=12 // columns)
        axes.set_xlabel(panel.x.label if lowest else "")
        axes.tick_params(labelbottom=lowest)
    first = panels[0][1]
    if len(panels) > columns:
        figure.supylabel(first.y.label)
    else:
        # In two lines rather than cut off.
        panels[0][0].set_ylabel(_wrapped(first.y.label, 0.8 * figure.get_figheight(), letters))
    label_ends(figure, panels, words)


def _columns(panels: Sequence[Bars | Curves]) -> int:
    """Return how many panels stand side by side."""
    bars = [len(panel.bars) for panel in panels if isinstance(panel, Bars)]
    if bars and len(bars) < 4 and max(bars) > 2 * min(bars):
        return 1  # beside a long panel a short one would be empty for the most part
    count = len(panels)
    return count if count < 4 else 2 if count == 4 else 3 if count <= 9 else 4


def _height(plot: Plot, rows: int, columns: int) -> float:
    """Return the height of all rows of panels, in inches."""
    if isinstance(plot.panels[0], Curves):
        return rows * ROW_OF_CURVES.get(rows, LOWEST_ROW_OF_CURVES)
    return sum(BAR * bars + AROUND_BARS for bars in _most_bars(plot, columns))


def _most_bars(plot: Plot, columns: int) -> list[int]:
    """Return how many bars the longest panel of each row has; nothing for curves."""
    counts = [len(panel.bars) for panel in plot.panels if isinstance(panel, Bars)]
    return [max(counts[i : i + columns]) for i in range(0, len(counts), columns)]


def _wrapped(text: str, width: float, points: float) -> str:
    """Return a text in lines that fit into a width in inches; a letter is half as wide as high."""
    return textwrap.fill(text, int(width * 72 / (0.56 * points)))


def _settings(letters: float) -> dict[Any, Any]:
    """Return matplotlib's settings."""
    from cycler import cycler

    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    return {
        # Equal numbers give equal text, so a built page changes only if its numbers change.
        "svg.hashsalt": "locklab",
        "svg.fonttype": "none",  # letters stay text, which can be searched and read aloud
        "pdf.fonttype": 42,
        "text.parse_math": False,
        "axes.prop_cycle": cycler(color=COLOURS),
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.titlesize": letters,
        "figure.labelsize": letters,
        "font.size": letters,
        "ytick.alignment": "center",  # which LaTeX can do for itself
        **dict.fromkeys(inked, TEXT),
    }
