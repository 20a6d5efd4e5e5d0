"""Plots without a picture: in words, as a table, split into panels."""

import math

import pytest

from lockui.plots import Axis, Bar, Bars, Curves, Line, Plot, Point, Words

AXES = Axis("CPUs"), Axis("rate [M/s]")


def curves(*lines: Line, title: str = "") -> Curves:
    """A panel with these lines."""
    return Curves(lines, *AXES, title=title)


def line(name: str, *values: float | None) -> Line:
    """A line at 1, 2, 4 and so on."""
    return Line(name, [Point(2**i, value) for i, value in enumerate(values)])


def test_a_line_in_words() -> None:
    """Its ends, and its extremes where they lie between."""
    alt = Plot("Locks collapse", [curves(line("tas", 2, 3, 1))]).alt()
    assert (
        "Locks collapse. rate [M/s] against CPUs. "
        "tas goes from 2.00 at 1 to 1.00 at 4, highest 3.00 at 2." == alt
    )


def test_marks_in_words() -> None:
    """Lines and markers are told apart, and hollow markers explained."""
    shown = Line("mcs", [Point(1, 2.0), Point(2, 4.0)], [Point(1, 2.5, used=True)])
    plot = Plot("P", [curves(shown)])
    assert "Lines are simulated, markers measured." in plot.alt()
    assert "mcs goes from 2.00 at 1 to 4.00 at 2; measured 2.50 at 1." in plot.alt()
    assert (
        "Lines: simulated; markers: measured. Hollow: a fit or a parameter used it." == plot.key()
    )


def test_an_uncertainty_band_is_explained_and_listed() -> None:
    """Of lines and of bars, beside the 95 % interval."""
    banded = Line("mcs", [Point(1, 2.0, 1.9, 2.1, band=(1.5, 3.0)), Point(2, 4.0)])
    plot = Plot("P", [curves(banded)])
    assert plot.key().endswith(" Pale bands: other starting orders and values of the machine.")
    heads, rows = plot.table()
    assert ["1.9 … 2.1", "1.5 … 3"] == [
        rows[0][heads.index(head)] for head in ("95 % interval", "uncertainty band")
    ]
    bars = Plot("P", [Bars([Bar("a", 2.0, band=(1.0, 3.0))], Axis("s"))])
    assert "Pale whiskers: other starting orders and values of the machine." == bars.key()


def test_a_gap_is_named() -> None:
    """In words, in the key, and in the table."""
    plot = Plot("P", [curves(line("tas", 2, None, 1))])
    assert "not simulated at 2" in plot.alt()
    assert "Crosses: not simulated." == plot.key()
    assert ["tas", "2", "not simulated"] == plot.table()[1][1]


def test_a_line_without_any_value() -> None:
    """It is named, with all its gaps."""
    assert "tas; not simulated at 1 and 2." in Plot("P", [curves(line("tas", None, None))]).alt()


def test_gaps_are_no_news_without_words() -> None:
    """A lesson's curve may end early."""
    plot = Plot("P", [curves(line("tas", 2, None))], words=Words("", ""))
    assert ("", "P. rate [M/s] against CPUs. tas: 2.00 at 1.") == (plot.key(), plot.alt())


def test_the_table_has_every_number() -> None:
    """Values, intervals, measured values, also those beside which nothing was simulated."""
    shown = Line("mcs", [Point(1, 2.0, 1.9, 2.1)], [Point(1, 2.5), Point(2, 5.0)])
    heads, rows = Plot("P", [curves(shown)], words=Words(line="lock")).table()
    assert ["lock", "CPUs", "rate [M/s]", "95 % interval", "measured"] == heads
    assert [
        ["mcs", "1", "2", "1.9 … 2.1", "2.5"],
        ["mcs", "2", "–", "–", "5"],
    ] == rows


def test_bars_in_words_and_as_a_table() -> None:
    """The largest error is named; a bar without a value is not a bar of 0."""
    bars = [Bar("a", 10.0, mark=11.0), Bar("b", 5.0, 4.0, 6.0, mark=9.0), Bar("c", None)]
    plot = Plot("P", [Bars(bars, Axis("time [s]"), "Here")])
    assert (
        "P. Bars are simulated, markers measured. Here: time [s], 3 bars; the largest error is at "
        "b, 5.00 instead of 9.00; not simulated: c." == plot.alt()
    )
    assert "Whiskers: 95 % intervals." in plot.key()
    heads, rows = plot.table()
    assert ["panel", "line", "time [s], simulated", "95 % interval", "measured"] == heads
    assert ["Here", "c", "not simulated", "–", "–"] == rows[2]


def test_the_longest_bar_where_nothing_was_measured() -> None:
    """There is no error to name."""
    plot = Plot("P", [Bars([Bar("a", 1.0), Bar("b", 2.0)], Axis("s"))])
    assert "P. s, 2 bars; the longest is b, 2.00." == plot.alt()


@pytest.mark.parametrize("lines", [6, 7])
def test_more_than_six_lines_become_panels(lines: int) -> None:
    """One for each line, titled by it, with the others behind it."""
    panel = curves(*(line(f"l{i}", 1, 2) for i in range(lines)), title="here")
    panels = Plot("P", [panel]).split().panels
    if lines == 6:
        assert [panel] == panels
        return
    assert [f"here: l{i}" for i in range(7)] == [panel.title for panel in panels]
    assert all(isinstance(p, Curves) and len(p.behind) == 6 for p in panels)


def test_an_interval_needs_both_ends() -> None:
    """NaN is none."""
    plot = Plot("P", [curves(Line("a", [Point(1, 1.0, math.nan, math.nan)]))])
    assert ["line", "CPUs", "rate [M/s]"] == plot.table()[0]
