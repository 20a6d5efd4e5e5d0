"""Plots of the lessons, each with a description in words and its numbers.

A :class:`Figure` is HTML: an inline SVG with alternative text, a caption, and a folded table of
its numbers. It needs no network and no script, so JupyterLab and the site show the same.

:func:`explore` adds sliders to a plot. In a notebook with a running kernel, moving a slider draws
the plot again. Elsewhere the plot of the first values is shown, with a line that names the sliders.
"""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

COLOURS = ("#2f7ed8", "#d9730d", "#2e9e5b", "#a35fd0", "#e0483e", "#1793a5")
"""They stand out from white and from black, so one drawing serves light and dark pages."""

_TEXT = "#0a0b0c"
"""Becomes the colour of the text around the plot."""

# Shapes and dashes distinguish the curves without colour.
_STYLES = (("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "-"), ("P", "--"))
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
    alt = f"{caption} {y} against {x}. " + " ".join(
        _sentence(name, kind, group[name])
        for name in names
        for kind, group in (("line", lines), ("points", points))
        if group.get(name)
    )
    if predicted:
        rows += [{"curve": YOURS, "kind": "point", x: at, y: v} for at, v in predicted.items()]
        alt += " " + _sentence(YOURS, "points", predicted)

    def marked(own: Mapping[float, float]) -> Figure:
        return curves(
            lines, x=x, y=y, caption=caption, points=points, log=log, between=between, predicted=own
        )

    svg = _draw(names, lines, points, x, y, log, between, predicted or {})
    return Figure(svg, alt, caption, pd.DataFrame(rows), marked)


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
    bundle: dict[str, Any] = {"text/html": static, "text/plain": figure.alt}
    widget = _widget(draw, figure, sliders)
    if widget is not None:
        bundle |= {k: v for k, v in widget.items() if "widget" in k}
    display(bundle, raw=True)  # type: ignore[no-untyped-call]


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


def _sentence(name: str, kind: str, curve: Mapping[float, float]) -> str:
    (x0, y0), *_ = curve.items()
    x1, y1 = list(curve.items())[-1]
    if len(curve) == 1:
        return f"{name} ({kind}): {y0:.3g} at {x0:g}."
    return f"{name} ({kind}) goes from {y0:.3g} at {x0:g} to {y1:.3g} at {x1:g}."


def _draw(
    names: Sequence[str],
    lines: Mapping[str, Mapping[float, float]],
    points: Mapping[str, Mapping[float, float]],
    x: str,
    y: str,
    log: bool,
    between: tuple[float, float] | None,
    predicted: Mapping[float, float],
) -> str:
    import matplotlib as mpl
    from cycler import cycler
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import LogFormatter, NullFormatter

    # Equal numbers give equal text, so a built page changes only if its numbers change.
    style: dict[Any, Any] = {
        "svg.hashsalt": "locklab",
        "svg.fonttype": "none",
        "axes.prop_cycle": cycler(color=COLOURS),
    }
    style |= dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _TEXT
    )
    with mpl.rc_context(style):
        canvas = Canvas(figsize=(5.3, 4.1), layout="constrained")
        axes = canvas.subplots()
        for name, (marker, dash) in zip(names, _STYLES * len(names), strict=False):
            line = lines.get(name, {})
            (drawn,) = axes.plot([*line], [*line.values()], linestyle=dash, label=name)
            dots = points.get(name, {})
            measured = f"{name}, measured" if name in lines else name
            axes.plot(
                [*dots],
                [*dots.values()],
                linestyle="none",
                marker=marker,
                color=drawn.get_color(),
                markeredgecolor=_TEXT,
                label=measured if dots else None,
            )
        if predicted:
            axes.plot(
                [*predicted],
                [*predicted.values()],
                linestyle="none",
                marker="*",
                markersize=15,
                color=_TEXT,
                label=YOURS,
            )
        if log:
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            # 0.1, 1, 10 instead of powers, and 2, 3, 6 between them where the axis is short.
            axes.yaxis.set_major_formatter("{x:g}")
            low, high = between or axes.get_ylim()
            short = LogFormatter(minor_thresholds=(1.5, 0.5)) if high < 100 * low else None
            axes.yaxis.set_minor_formatter(short or NullFormatter())
        ticks = sorted(
            {at for group in (lines, points) for c in group.values() for at in c} | {*predicted}
        )
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        if between is not None:
            axes.set_ylim(*between)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.grid(True, which="major", alpha=0.3, color=_TEXT)
        # Above the plot, where it covers no curve.
        canvas.legend(loc="outside upper left", ncols=2, fontsize=9, frameon=False)
        text = io.StringIO()
        canvas.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    picture = text.getvalue().replace(_TEXT, "currentColor")
    # At most as wide as the text column.
    return picture[picture.index("<svg") :].replace(
        "<svg ", '<svg style="max-width: 100%; height: auto" ', 1
    )
