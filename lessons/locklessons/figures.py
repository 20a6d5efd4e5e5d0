"""Plots of the lessons, each with a description in words and its numbers.

A :class:`Figure` is HTML: an inline SVG with alternative text, a caption, and a folded table of
its numbers. It needs no network and no script, so JupyterLab and the site show the same.

:func:`explore` adds sliders to a plot. In a notebook with a running kernel, moving a slider draws
the plot again. Elsewhere the plot of the first values is shown, with a line that names the sliders;
the site is built with :data:`EVERY`, and its script makes sliders (``site/_static/lessons.js``).
"""

from __future__ import annotations

import html
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lockui.plots import Axis, Bar, Bars, Curves, Line, Plot, Point, Words, inline

WIDTH = 6.0
"""Of a plot in a lesson's column, in inches."""
EVERY = "LOCKLAB_EVERY_PLOT"
"""Environment variable: pages without a kernel hold the plots of all values of a slider."""
YOURS = "your prediction"
CAPTION = "font-size: 0.9em; max-width: 46em; color: inherit; text-align: left"


@dataclass(frozen=True)
class Figure:
    """A plot with its description and its numbers.

    Arguments:
        svg: the plot.
        alt: its content, in a sentence or two.
        caption: the text below it.
        table: the numbers in the plot; a diagram has none.
        marked: draws it again with predictions, given as {x: y}.
    """

    svg: str
    alt: str
    caption: str
    table: pd.DataFrame | None = None
    marked: Callable[[Mapping[float, float]], Figure] | None = None

    def html(self) -> str:
        """Return the plot as HTML."""
        numbers = ""
        if self.table is not None:
            table = self.table.to_html(index=False, border=0, float_format=lambda x: f"{x:.4g}")
            numbers = f"<details><summary>The numbers</summary>{table}</details>"
        return (
            '<figure style="margin: 1em 0">'
            f'<div role="img" aria-label="{html.escape(self.alt)}">{self.svg}</div>'
            f'<figcaption style="{CAPTION}">{html.escape(self.caption)}</figcaption>'
            f"{numbers}</figure>"
        )

    def with_predictions(self, points: Mapping[float, float]) -> Figure:
        """Return the plot with predicted points in it.

        Arguments:
            points: {x: y}, in the units of the axes.
        """
        return self.marked(points) if self.marked is not None and points else self

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": f"{self.caption}\n{self.alt}"}


def curves(
    lines: Mapping[str, Mapping[float, float]],
    *,
    x: str,
    y: str,
    caption: str,
    points: Mapping[str, Mapping[float, float]] | None = None,
    log: bool = True,
    between: tuple[float, float] | None = None,
    predicted: Mapping[float, float] | None = None,
) -> Figure:
    """Draw named curves, and measured points of the same names on them.

    Arguments:
        lines: name → {x: y}, drawn as lines.
        points: name → {x: y}, drawn as markers without a line.
        x, y: labels of the axes, with units.
        caption: the text below the plot.
        log: both axes logarithmic; needs values above 0.
        between: ends of the y axis, fixed for a plot with sliders so that only the curve moves.
        predicted: the reader's own points, {x: y}.

    Raises:
        ValueError: there is nothing to draw.
    """
    points = points or {}
    names = list(dict.fromkeys([*lines, *points]))
    if not any(len(curve) for curve in [*lines.values(), *points.values()]):
        raise ValueError("there is nothing to draw: give at least one curve with one point")
    rows = [
        {"curve": name, "kind": kind, x: at, y: value}
        for kind, group in (("line", lines), ("point", points))
        for name, curve in group.items()
        for at, value in curve.items()
    ]
    own = [] if not predicted else [Line(YOURS, marks=_points(predicted), own=True)]
    rows += [{"curve": YOURS, "kind": "point", x: at, y: v} for at, v in (predicted or {}).items()]
    drawn = [Line(name, _points(lines.get(name)), _points(points.get(name))) for name in names]
    panel = Curves([*drawn, *own], Axis(x, log), Axis(y, log, between))
    plot = Plot(caption, [panel], words=Words(values="", marks=""))
    shown = f"{caption} Markers on a line are measured." if {*lines} & {*points} else caption

    def marked(own: Mapping[float, float]) -> Figure:
        return curves(
            lines, x=x, y=y, caption=caption, points=points, log=log, between=between, predicted=own
        )

    return Figure(inline(plot, width=WIDTH), plot.alt(), shown, pd.DataFrame(rows), marked)


def bars(
    values: Mapping[str, float],
    *,
    marks: Mapping[str, float],
    x: str,
    caption: str,
    kinds: tuple[str, str] = ("simulated", "measured"),
) -> Figure:
    """Draw named horizontal bars, and a diamond at each for the value to compare it with.

    Arguments:
        values: name → length of the bar.
        marks: name → place of the diamond; a name without one has none.
        x: label of the axis, with the unit.
        caption: the text below the plot.
        kinds: what bars and diamonds stand for.

    Raises:
        ValueError: there is nothing to draw.
    """
    if not values:
        raise ValueError("there is nothing to draw: give at least one bar")
    drawn = [Bar(name, float(value), mark=marks.get(name)) for name, value in values.items()]
    plot = Plot(caption, [Bars(drawn, Axis(x))], words=Words(*kinds))
    columns = ([*values.values()], [marks.get(name) for name in values])
    table = pd.DataFrame({"bar": [*values], **dict(zip(kinds, columns, strict=True))})
    shown = f"{caption} Bars: {kinds[0]}; diamonds: {kinds[1]}."
    return Figure(inline(plot, width=WIDTH), plot.alt(), shown, table)


def _points(curve: Mapping[float, float] | None) -> list[Point]:
    # Numbers above 2^63, such as counts of orders, are no integers of numpy's.
    return [Point(at, float(value)) for at, value in (curve or {}).items()]


def explore(draw: Callable[..., Figure], **sliders: Sequence[Any]) -> None:
    """Show a plot with a slider for each argument.

    Arguments:
        draw: returns the plot for one value of each slider.
        sliders: the values of each slider; the first one is shown at first.

    Raises:
        ValueError: a slider has no values.
    """
    from IPython.display import display

    for name, values in sliders.items():
        if not values:
            raise ValueError(f"the slider '{name}' has no values: give at least one")
    first = {name: values[0] for name, values in sliders.items()}
    figure = draw(**first)
    movable = "; ".join(
        f"{name.replace('_', ' ')} ({', '.join(map(str, values))})"
        for name, values in sliders.items()
    )
    static = figure.html() + f"<p><em>In a notebook this plot has a slider: {movable}.</em></p>"
    if os.environ.get(EVERY):
        static = _every(draw, figure, sliders, static)
    bundle: dict[str, Any] = {"text/html": static, "text/plain": figure.alt}
    widget = _widget(draw, figure, sliders)
    if widget is not None:
        bundle |= {k: v for k, v in widget.items() if "widget" in k}
    display(bundle, raw=True)  # type: ignore[no-untyped-call]


def _every(
    draw: Callable[..., Figure], figure: Figure, sliders: Mapping[str, Sequence[Any]], static: str
) -> str:
    """Return the plot with those of all other values in templates, which a page's script shows."""
    others = list(itertools.product(*sliders.values()))[1:]
    plots = [figure, *(draw(**dict(zip(sliders, values, strict=True))) for values in others)]
    named = {name.replace("_", " "): list(values) for name, values in sliders.items()}
    data = html.escape(json.dumps(named, ensure_ascii=False))
    templates = "".join(f"<template>{plot.html()}</template>" for plot in plots)
    return f'<div data-sliders="{data}">{static}{templates}</div>'


def _widget(
    draw: Callable[..., Figure], figure: Figure, sliders: Mapping[str, Sequence[Any]]
) -> dict[str, Any] | None:
    """Return the MIME bundle of sliders above the plot; None if ipywidgets is not installed."""
    try:
        import ipywidgets
    except ImportError:
        return None
    shown = ipywidgets.HTML(figure.html())
    controls = {
        name: ipywidgets.SelectionSlider(
            options=list(values),
            description=name.replace("_", " "),
            continuous_update=False,
            style={"description_width": "initial"},
        )
        for name, values in sliders.items()
    }

    def moved(_: Any) -> None:
        shown.value = draw(**{name: control.value for name, control in controls.items()}).html()

    for control in controls.values():
        control.observe(moved, names="value")
    found: dict[str, Any] = ipywidgets.VBox([*controls.values(), shown])._repr_mimebundle_()
    return found
