"""Plots as files: the ending chooses the format."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lockui.arguments import folder_to_write
from lockui.errors import UsageError, saving
from lockui.extras import demand
from lockui.latex import escaped
from lockui.plots.data import Plot
from lockui.plots.draw import drawn
from lockui.plots.look import TEXT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".svg", ".pdf", ".png", ".pgf", ".html")

#: A page that shows an SVG file may be dark; the file then is, too.
_SCHEMES = (
    "<style>.locklab-plot { color: #1b1b1b; background: #fff; max-width: 100%; height: auto }"
    " @media (prefers-color-scheme: dark) {"
    " .locklab-plot { color: #e8e8e8; background: #16181b } }</style>"
)


def check_files(files: Iterable[Path]) -> None:
    """Check before a long run that a plot can be drawn and saved.

    Arguments:
        files: those of ``--plot``.

    Raises:
        UsageError: no format has this ending, matplotlib is missing, or a file cannot be written.
    """
    for file in files:
        named = f"--plot {file}"
        if file.suffix not in ENDINGS:
            raise UsageError(
                f"{named}: the file must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
            )
        if file.is_dir():
            raise UsageError(f"{named}: this is a folder; name a file in it")
        demand(named, "matplotlib")
        folder_to_write(file.parent, named)


def made_by() -> str:
    """Return the sentence of a caption that names the version."""
    return f"LockLab {version('locklab')}."


def save(plot: Plot, file: Path) -> None:
    """Draw a plot into a file; ``file.suffix`` is one of :data:`ENDINGS`.

    Raises:
        OSError: the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".html":
        file.write_text(_page(plot), encoding="utf-8")
    elif file.suffix == ".svg":
        file.write_text(_svg(plot, texts=True, styled=True), encoding="utf-8")
    elif file.suffix == ".pgf":
        file.write_text(_pgf(plot), encoding="utf-8")
    else:
        described = {".pdf": "Subject", ".png": "Description"}[file.suffix]
        metadata: dict[str, str | None] = {"Title": plot.title, described: plot.alt()}
        metadata |= {"CreationDate": None} if file.suffix == ".pdf" else {}
        with drawn(plot) as figure:
            figure.savefig(file, metadata=metadata, dpi=160)


def save_each(plot: Plot, files: Iterable[Path]) -> None:
    """Draw a plot into each file of ``--plot``.

    Raises:
        UsageError: a file cannot be written.
    """
    for file in files:
        with saving(f"--plot {file}"):
            save(plot, file)


def inline(plot: Plot, *, width: float | None = None) -> str:
    """Return a plot as an SVG element for a page, in the colour of the page's text.

    Title and caption are left to the page. Identifiers differ from those of every other plot.

    Arguments:
        plot: what to draw. width: in inches, for a narrow column.
    """
    return _svg(plot, texts=False, styled=False, width=width)


def _svg(plot: Plot, *, texts: bool, styled: bool, width: float | None = None) -> str:
    text = io.StringIO()
    with drawn(plot, texts=texts, width=width) as figure:
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
        scales = _scales(figure)
    alt = plot.alt()
    name = f"p{sha256((alt + plot.caption).encode()).hexdigest()[:8]}"
    element = text.getvalue().replace(TEXT, "currentColor")
    element = element[element.index("<svg") :]
    element = re.sub(r'\bid="', f'id="{name}-', element)
    element = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{name}-", element)
    opening, rest = element.split(">", 1)
    shape = 'class="locklab-plot"' if styled else 'style="max-width: 100%; height: auto"'
    if scales and not styled:
        shape += f' data-scales="{html.escape(json.dumps(scales))}"'
    return (
        f'{opening} {shape} role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{html.escape(plot.title)}</title>'
        f'<desc id="{name}-desc">{html.escape(alt)}</desc>{_SCHEMES * styled}{rest}'
    )


def _scales(figure: Figure) -> dict[str, Any]:
    """Return where the ends of the axes of a single panel of curves lie, for a script of a page.

    Each axis has its scale, its two ends, and their places in the SVG's units.
    """
    axes = figure.axes
    if len(axes) != 1 or {axes[0].get_xscale(), axes[0].get_yscale()} - {"log", "linear"}:
        return {}
    width, height = 72 * figure.get_size_inches()
    box = axes[0].get_position()
    (x0, y0), (x1, y1) = box.get_points() * (width, height)
    known = {
        "x": (axes[0].get_xscale(), axes[0].get_xlim(), (x0, x1)),
        "y": (axes[0].get_yscale(), axes[0].get_ylim(), (height - y0, height - y1)),
    }
    return {
        name: {"log": scale == "log", "ends": [*map(float, ends)], "places": [*map(float, places)]}
        for name, (scale, ends, places) in known.items()
    }


def _page(plot: Plot) -> str:
    """Return an HTML page with the plot and the table of its numbers."""
    from markupsafe import Markup

    from lockui.html_page import environment

    heads, rows = plot.table()
    return (
        environment()
        .get_template("plot.html.j2")
        .render(
            title=plot.title,
            svg=Markup(inline(plot)),
            caption=f"{plot.key()} {plot.caption}".strip(),
            heads=heads,
            rows=rows,
        )
    )


def _pgf(plot: Plot) -> str:
    """Return a picture for LaTeX; title and caption are comments, since a paper has its own."""
    from unittest import mock

    from matplotlib.backends import backend_pgf
    from matplotlib.backends.backend_agg import RendererAgg

    class Renderer(backend_pgf.RendererPgf):
        """Escapes texts, and measures them by matplotlib's own letters.

        The original leaves LaTeX's signs as they are, and starts TeX to measure.
        """

        def draw_text(  # type: ignore[no-untyped-def]
            self, gc, x, y, s, prop, angle, ismath=False, mtext=None
        ) -> None:
            super().draw_text(  # type: ignore[no-untyped-call]
                *(gc, x, y, escaped(s), prop, angle, ismath, mtext)
            )

        def get_text_width_height_descent(self, s, prop, ismath):  # type: ignore[no-untyped-def]
            return measure.get_text_width_height_descent(s, prop, False)  # type: ignore[no-untyped-call]

    text = io.StringIO()
    with (
        drawn(plot, texts=False) as figure,
        mock.patch.object(backend_pgf, "RendererPgf", Renderer),
    ):
        measure = RendererAgg(1, 1, figure.dpi)  # type: ignore[no-untyped-call]
        figure.savefig(text, format="pgf", transparent=True)
    words = "\n".join(f"% {line}" for line in (plot.title, plot.key(), plot.caption) if line)
    return f"{words}\n{text.getvalue()}"
