"""Numbers and tables as people read them."""

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from lockui import tables
from lockui.console import at_least_80


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4_809_658, "1/s", "4.81 M/s"),
        (999, "1/s", "999 /s"),
        (1_000, "1/s", "1.00 k/s"),
        (831.7, "ns", "832 ns"),
        (11_834, "ns", "11.8 µs"),
        (2.5e9, "ns", "2.50 s"),
        (0.0, "ns", "0 ns"),
        (6.401, "1", "6.40"),
        (26.2, "%", "26.2 %"),
        (math.nan, "ns", "–"),
    ],
)
def test_figures_have_three_digits_and_a_unit(value: float, unit: str, text: str) -> None:
    """The unit follows the size, and a unit that is not known stays."""
    assert text == tables.scale_of(value, unit).text(value)


def test_missing_figure_is_a_dash_without_unit() -> None:
    """As JSON's null is shown."""
    assert "–" == tables.Scale(1.0, "ns").text(None)


@given(st.floats(min_value=1e-2, max_value=1e12))
def test_digits_keep_the_value_within_half_a_percent(value: float) -> None:
    """Three significant digits; below 1 two decimals, hence half a hundredth."""
    text = tables.digits(value)
    assert "e" not in text
    shown = float(text.replace(",", ""))
    assert abs(shown - value) <= max(0.005 * value, 0.005) * (1 + 1e-9)


def test_decimals_give_the_smallest_three_digits() -> None:
    """Zeros do not count, and one large figure keeps the decimals of the small ones."""
    assert [2, 0, 4, 0] == [
        tables.decimals(v) for v in ([8.0, 4711.0], [120.0], [0.0, 0.0123], [0.0])
    ]


def test_decimals_that_suit_nothing_are_none() -> None:
    """From a thousandth to a million a column of equal decimals would be too wide."""
    assert tables.decimals([0.001, 1e6]) is None
    assert ["0.001", "1,000,000"] == [tables.fixed(v, None) for v in (0.001, 1e6)]


def test_columns_fold_and_are_never_cut() -> None:
    """What is too long goes on in the next line; figures keep theirs."""
    screen = io.StringIO()
    view = tables.table()
    tables.add(view, "name", fold=True)
    tables.add(view, "figure", right=True)
    view.add_row("x" * 100, "1,234,567")
    tables.print_table(at_least_80(Console(file=screen, width=40)), view)
    text = screen.getvalue()
    assert 100 == text.count("x")
    assert "1,234,567" in text
    assert "…" not in text
    assert 80 >= max(map(len, text.splitlines()))


def test_a_narrow_terminal_shows_a_line_for_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file keeps the table, and so does a terminal that is wide enough."""
    view = tables.table()
    for name in ("lock", "critical sections", "transfers"):
        tables.add(view, name, right=name != "lock")
    view.add_row("mcs", "1.878 M/s", "8.00")
    shown = {}
    for columns, terminal in (("30", True), ("30", False), ("40", True)):
        monkeypatch.setenv("COLUMNS", columns)
        screen = io.StringIO()
        tables.print_table(
            Console(file=screen, width=80, force_terminal=terminal, color_system=None), view
        )
        shown[columns, terminal] = [
            " ".join(line.split()) for line in screen.getvalue().splitlines()
        ]
    narrow = ["", "lock mcs", "critical sections 1.878 M/s", "transfers 8.00", ""]
    assert narrow == shown["30", True]
    assert shown["30", False] == shown["40", True] != narrow
