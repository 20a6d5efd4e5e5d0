"""A reproduction as it is printed: every cell with its role, the parameters, the summary."""

import math
from dataclasses import replace

import pytest

from locksim.cli.reproduction import print_reproduction
from locksim.machine import Parameter
from locksim.papers.experiment import Cell, Reproduction
from lockui.console import console


def reproduction(*, predicted: bool = True, complete: bool = True) -> Reproduction:
    """Return a small table: one cell of each role, and one fitted parameter."""
    cells = [
        Cell("disabled", "4 CPUs", "10.0", 10.0, 10.1, 10.0, 10.2, "input", "s"),
        Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, 20.5, 21.5, "fitted", "s"),
    ]
    if predicted:
        cells += [
            Cell("spinlock", "8 CPUs", "1:40", 100.0, 90.0, 88.0, 92.0, "predicted", "s"),
            Cell(
                "spinlock", "32 CPUs", "too long", None, 12345.6, 11845.6, 12845.6, "predicted", "s"
            ),
        ]
    parameters = [Parameter("transfer.half", 500, "ns", "fit [to rwlock]", "fitted")]
    return Reproduction(
        "made-up-2004", "A made-up table", "Nobody 2004", "ideal-8", parameters, cells, complete
    )


def show(result: Reproduction, *, parameters: bool = False) -> None:
    """Print it."""
    print_reproduction(console(), result, parameters=parameters)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was printed, with runs of spaces made one."""
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_every_cell_is_printed_with_role_and_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Published and corrected values differ; a cell without a value has no error."""
    show(reproduction())
    printed = lines(capsys)
    at = printed.index("disabled")
    assert [
        "disabled",
        "4 CPUs 10.0 10.0 10.1 ±0.1 input +1.0%",
        "rwlock",
        "4 CPUs 20.0 20.0 21.0 ±0.5 fitted +5.0%",
        "spinlock",
        "8 CPUs 1:40 100.0 90.0 ±2.0 predicted -10.0%",
        "32 CPUs too long – 12,345.6 ±500.0 predicted –",
    ] == printed[at : at + 7]


def test_notes_are_printed_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    """A cell's note ends its line; the reproduction's notes come last, on demand."""
    result = reproduction()
    first = replace(result.cells[0], note="link")
    noted = replace(result, cells=[first, *result.cells[1:]], notes=["Noisy."])
    show(noted, parameters=True)
    printed = lines(capsys)
    assert 1 == sum(line.endswith("input +1.0% link") for line in printed)
    assert "Noisy." == printed[-1]
    show(noted)
    assert "Noisy." not in lines(capsys)


def test_summary_counts_predicted_cells_only(capsys: pytest.CaptureFixture[str]) -> None:
    """The input's 1 % and the fitted cell's 5 % are left out of the mean."""
    show(reproduction())
    assert [
        "1 fitted parameter, 2 predicted cells",
        "error over the predicted cells: mean 10.0%, worst 10.0%",
    ] == lines(capsys)[-2:]


def test_nothing_is_cut_at_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """No ellipsis, and no line beyond column 80, even where a row has a long name."""
    result = reproduction()
    name = "selinux, 30 rooms, 300 messages, 8 CPUs, with all that its name can tell"
    long = Cell(name, "1024 CPUs", "4711", 4.7, 4.8, 4.7, 4.9, "fitted", "s")
    show(replace(result, cells=[*result.cells, long]))
    out = capsys.readouterr().out
    assert "…" not in out
    assert f"\n  {name}\n" in out
    assert 80 >= max(map(len, out.splitlines()))


def test_a_table_that_needs_more_than_80_columns_gets_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each cell stays on its line, with all its letters: it is the terminal that wraps."""
    cells = [
        Cell("lock", "acquisitions a second", "13031153 in all", 1e6, 1e6, 9e5, 2e6, "fitted", "s"),
        Cell("lock", "busy", "26.2%", 26.2, 25.0, 24.0, 26.0, "predicted", "%", note="window"),
    ]
    show(replace(reproduction(), cells=cells))
    expected = (
        "acquisitions a second 13031153 in all 1,000,000 1,000,000 -100,000 +1,000,000 s fitted "
        "+0.0%"
    )
    assert expected in lines(capsys)


def test_interval_that_is_not_even_has_two_sides(capsys: pytest.CaptureFixture[str]) -> None:
    """Half a width would say too much about it."""
    cell = Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, 20.5, 23.0, "fitted", "s")
    show(replace(reproduction(), cells=[cell]))
    assert "4 CPUs 20.0 21.0 -0.5 +2.0 fitted +5.0%" in lines(capsys)


def test_one_replication_has_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    """No column of dashes, and a word on why; a dash where only some cells have none."""
    cell = Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, math.nan, math.nan, "fitted", "s")
    show(replace(reproduction(), cells=[cell]))
    printed = lines(capsys)
    assert "4 CPUs 20.0 21.0 fitted +5.0%" in printed
    assert "Values in s. One run per cell: no interval." in printed
    show(replace(reproduction(), cells=[cell, *reproduction().cells]))
    assert "4 CPUs 20.0 20.0 21.0 – fitted +5.0%" in lines(capsys)


def test_intervals_below_the_last_digit_are_no_column(capsys: pytest.CaptureFixture[str]) -> None:
    """A simulation without chance gives the same figure each time."""
    cell = Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, 20.96, 21.04, "fitted", "s")
    show(replace(reproduction(), cells=[cell]))
    printed = lines(capsys)
    assert "4 CPUs 20.0 21.0 fitted +5.0%" in printed
    assert "Values in s. 95 % intervals: below last digit." in printed


@pytest.mark.parametrize(("printed", "shown"), [("20.0", False), ("20%", False), ("2:0", True)])
def test_a_reading_is_shown_where_it_differs(
    printed: str, shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second column with the figures of the first says nothing."""
    cell = Cell("rwlock", "4 CPUs", printed, 20.0, 21.0, 20.5, 21.5, "fitted", "s")
    show(replace(reproduction(), cells=[cell]))
    assert shown == ("corrected" in capsys.readouterr().out)


def test_units_that_differ_get_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Each unit has decimals of its own."""
    cells = [
        Cell("lock", "UTIL", "26.2", 26.2, 25.0, 24.0, 26.0, "predicted", "%"),
        Cell("lock", "TOTAL", "766205", 766205, 750000, 740000, 760000, "predicted", "1"),
    ]
    show(replace(reproduction(), cells=cells))
    printed = lines(capsys)
    assert "UTIL 26.2 25.0 ±1.0 % predicted -4.6%" in printed
    assert "TOTAL 766205 750,000 ±10,000 1 predicted -2.1%" in printed


def test_parameters_are_listed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with value, unit, role and the number of its source; brackets are text."""
    row = "transfer.half 500 ns fitted [1]"
    show(reproduction(), parameters=True)
    printed = lines(capsys)
    assert row in printed
    assert "[1] fit [to rwlock]" in printed
    show(reproduction(), parameters=False)
    assert row not in lines(capsys)


def test_a_source_that_figures_share_is_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Both figures point to it."""
    shared = [Parameter(name, 5, "ns", "a probe", "measured") for name in ("near", "far")]
    show(replace(reproduction(), parameters=shared), parameters=True)
    printed = lines(capsys)
    assert ["near 5 ns measured [1]", "far 5 ns measured [1]"] == [
        line for line in printed if line.startswith(("near", "far"))
    ]
    assert 1 == printed.count("[1] a probe")


def test_slope_is_told_as_growth(capsys: pytest.CaptureFixture[str]) -> None:
    """A slope of 2 between logarithms is four times for each doubling."""
    show(replace(reproduction(), extra={"spinlock_slope": 2.0}))
    assert "spinlock: 4.00 times per doubling (slope 2.00)" == lines(capsys)[-1]


def test_more_fitted_than_predicted_is_called_no_reproduction(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A table without a predicted cell proves nothing, and the last line says so."""
    show(reproduction(predicted=False))
    expected = "more fitted parameters than predicted cells: not a reproduction"
    assert expected == lines(capsys)[-1]


def test_interrupted_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """What was finished is printed, with a line that says that it is not all."""
    show(reproduction(complete=False))
    assert "interrupted: the cells above are complete" == lines(capsys)[-1]
