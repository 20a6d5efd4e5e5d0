"""Plots as files: five formats, words in each, nothing from outside, names that do not overlap."""

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.text import Text

from lockui.errors import UsageError
from lockui.plots import (
    ENDINGS,
    Axis,
    Bar,
    Bars,
    Curves,
    Line,
    Plot,
    Point,
    check_files,
    inline,
    save,
)
from lockui.plots.draw import drawn

AXES = Axis("CPUs"), Axis("rate [k/s]")
NAMES = ("tas", "ttas_backoff", "ticket 50 % & more", "mcs")


def lines(*names: str) -> list[Line]:
    """Lines that end at almost the same height."""
    return [
        Line(name, [Point(1, 1.0, 0.9, 1.1), Point(2, 2 + i / 100, 1.9, 2.1), Point(8, None)])
        for i, name in enumerate(names)
    ]


CURVES = Plot("Four <locks>", [Curves(lines(*NAMES), *AXES)], "On ideal-8, seed 1.")
BARS = Plot("Two bars", [Bars([Bar("a_b", 2.0, 1.5, 2.5, 2.1), Bar("c", None)], Axis("time [ns]"))])


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format(ending: str, tmp_path: Path) -> None:
    """A file of that kind, with the title."""
    file = tmp_path / "new" / f"plot{ending}"
    save(BARS, file)
    found = file.read_bytes()
    begins = {".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG", ".pgf": b"% "}
    assert found.startswith(begins.get(ending, b"<!doctype html>"))
    assert b"Two bars" in found


@pytest.mark.parametrize("plot", [CURVES, BARS], ids=["curves", "bars"])
def test_svg_has_words_and_both_schemes(plot: Plot, tmp_path: Path) -> None:
    """Title and description are named by the image; letters stay text."""
    save(plot, tmp_path / "p.svg")
    text = (tmp_path / "p.svg").read_text()
    root = ElementTree.fromstring(text)
    name = "{http://www.w3.org/2000/svg}"
    title, words = root.find(f"{name}title"), root.find(f"{name}desc")
    assert title is not None
    assert words is not None
    assert (plot.title, plot.alt()) == (title.text, words.text)
    assert f"{title.get('id')} {words.get('id')}" == root.get("aria-labelledby")
    assert "img" == root.get("role")
    assert "prefers-color-scheme: dark" in text


def test_a_page_has_all_numbers_and_needs_nothing(tmp_path: Path) -> None:
    """The table is beside the plot; no script, nothing to fetch."""
    save(CURVES, tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text()
    assert "On ideal-8, seed 1." in text
    assert 4 == text.count('<td class="number">not simulated</td>')
    assert not re.search(r"<script|src=|@import|url\((?!#)", text)


def test_the_same_numbers_give_the_same_text() -> None:
    """A built page changes only when its numbers do."""
    assert inline(BARS) == inline(BARS)


def test_identifiers_of_two_plots_differ() -> None:
    """Both may stand in one page."""
    first, second = (set(re.findall(r'id="([^"]*)"', inline(plot))) for plot in (CURVES, BARS))
    assert first
    assert not first & second


def test_latex_s_signs_are_escaped(tmp_path: Path) -> None:
    """Names of locks have underscores, also where they are the numbers of an axis."""
    save(BARS, tmp_path / "b.pgf")
    assert r"a\_b" in (tmp_path / "b.pgf").read_text()
    save(CURVES, tmp_path / "p.pgf")
    text = (tmp_path / "p.pgf").read_text()
    assert r"ttas\_backoff" in text
    assert r"50 \% \& more" in text
    assert "% On ideal-8, seed 1." in text


#: Close numbers of CPUs, and a name that is longer than its axis.
DENSE = Curves(
    [Line("a", [Point(x, x / 20) for x in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 80)])],
    Axis("CPUs", True),
    Axis("sections per second, whole machine [million]", True),
)


@pytest.mark.parametrize(
    ("panels", "width"),
    [
        ([Curves(lines(*NAMES), *AXES, title="0")], None),
        ([Curves(lines(*NAMES), *AXES, title=f"{i}") for i in range(4)], None),
        ([DENSE], 6.0),
    ],
    ids=["one", "four", "dense"],
)
def test_names_overlap_nothing(panels: list[Curves], width: float | None) -> None:
    """Neither each other, nor a title, nor another panel; and all are inside the picture."""
    with drawn(Plot("P", panels), width=width) as figure:
        figure.draw_without_rendering()
        outside = {  # numbers beyond the ends of an axis, which are not drawn
            tick.label1
            for axes in figure.axes
            for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim()))
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
            if not ends[0] <= tick.get_loc() <= ends[1]
        }
        boxes = [
            text.get_window_extent()
            for text in figure.findobj(Text)
            if text.get_visible() and text.get_text() and text not in outside
        ]
        wide, high = figure.canvas.get_width_height()
    assert [] == [
        (a, b) for a, b in itertools.combinations(boxes, 2) if a.padded(-1).overlaps(b.padded(-1))
    ]
    assert all(0 <= box.x0 and box.x1 <= wide + 1 and box.y1 <= high + 1 for box in boxes)


def test_a_reader_s_settings_change_nothing() -> None:
    """And are as before afterwards."""
    import matplotlib as mpl

    before = inline(BARS)
    with mpl.rc_context({"font.size": 30, "axes.grid": True}):
        assert before == inline(BARS)
        assert 30 == mpl.rcParams["font.size"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plot.jpg", "the file must end in .svg, .pdf, .png, .pgf or .html"),
        ("plot", "the file must end in"),
        ("folder.svg", "this is a folder; name a file in it"),
        ("file/plot.svg", "is not a folder"),
    ],
)
def test_a_file_that_cannot_be_is_refused(tmp_path: Path, name: str, message: str) -> None:
    """Before anything runs; the option is named."""
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        check_files([tmp_path / "good.svg", tmp_path / name])
    assert str(caught.value).startswith(f"--plot {tmp_path / name}")


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setattr("lockui.extras.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'locklab\[plot\]'"):
        check_files([tmp_path / "p.svg"])
    check_files([])
