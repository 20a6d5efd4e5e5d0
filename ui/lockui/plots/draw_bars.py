"""A panel of horizontal bars with whiskers, and diamonds for the values to compare with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lockui.plots.data import Bars, Words
from lockui.plots.look import COLOURS, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_bars(axes: Axes, panel: Bars, words: Words, *, most: int, lowest: bool) -> None:
    """Draw a panel.

    Arguments:
        axes: where. panel: what. words: for bars without a value.
        most: bars of the longest panel in this row; all bars of a row are equally high.
        lowest: whether the x axis has numbers and a name.
    """
    from matplotlib.ticker import MaxNLocator

    places = range(len(panel.bars))
    axes.barh(
        places, [bar.value or 0.0 for bar in panel.bars], height=0.66, color=COLOURS[0], alpha=0.55
    )
    for i, bar in enumerate(panel.bars):
        if bar.value is None:
            axes.text(0, i, f" not {words.values}", va="center", style="italic")
        elif math.isfinite(bar.low):
            axes.hlines(i, bar.low, bar.high, color=TEXT, linewidth=1.6)
        if bar.band:
            axes.hlines(i, *bar.band, color=TEXT, linewidth=6, alpha=0.3)
        if bar.mark is not None:
            axes.plot(
                bar.mark,
                i,
                marker="D",
                markersize=6.5,
                markerfacecolor="none" if bar.used else TEXT,
                markeredgecolor=TEXT,
                markeredgewidth=1.4,
            )
    axes.set_yticks(places, [bar.label for bar in panel.bars])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(most - 0.5, -0.5)
    if panel.x.log:
        # A bar may have length 0, so the axis is linear up to 1.
        axes.set_xscale("symlog", linthresh=1)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.axvline(0, color=TEXT, linewidth=0.8)
    axes.xaxis.set_major_formatter("{x:,.10g}")
    axes.set_xlabel(panel.x.label if lowest else "")
    axes.tick_params(labelbottom=lowest)
    axes.set_title(panel.title)
    axes.grid(True, axis="x", which="major", alpha=0.22, color=TEXT)
