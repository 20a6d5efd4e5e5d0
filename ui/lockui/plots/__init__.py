"""Plots: one way to draw them for every command, reproduction and lesson.

A :class:`Plot` is data: panels of curves or of bars, with a title and a caption. From it come the
picture (:func:`save`: SVG, PDF, PNG, PGF for papers, or an HTML page), the description in words
(:meth:`Plot.alt`) and the numbers as a table (:meth:`Plot.table`). :func:`plot` draws a tidy table.

A name stands at the end of its line, so no legend has to be matched with colours; markers and
dashes differ too. More than six lines become small multiples: a panel for each line, with the
others in grey. A band is a 95 % interval; a pale one behind it is an uncertainty band. A point that
was not simulated leaves a gap and a cross on the axis. Texts are large enough to read when the plot
is 640 pixels wide.

matplotlib is imported when something is drawn, and not before.
"""

from lockui.plots.data import Axis, Bar, Bars, Curves, Line, Plot, Point, Words
from lockui.plots.files import ENDINGS, check_files, inline, made_by, save, save_each
from lockui.plots.tidy import Column, from_table, plot

__all__ = [
    "ENDINGS",
    "Axis",
    "Bar",
    "Bars",
    "Column",
    "Curves",
    "Line",
    "Plot",
    "Point",
    "Words",
    "check_files",
    "from_table",
    "inline",
    "made_by",
    "plot",
    "save",
    "save_each",
]
