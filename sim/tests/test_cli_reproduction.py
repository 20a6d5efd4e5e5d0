"""A reproduction as it is printed: every cell with its role, the parameters, the summary."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from locksim.cli.reproduction import print_reproduction
from locksim.experiments.experiment import Cell, Reproduction
from locksim.machine import Parameter


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


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was printed, with runs of spaces made one."""
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_every_cell_is_printed_with_role_and_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Published and understood values differ; a cell without a value has no error."""
    print_reproduction(reproduction())
    printed = lines(capsys)
    for expected in (
        "disabled 4 CPUs 10.0 10.0 10.1 ±0.1 input +1.0%",
        "rwlock 4 CPUs 20.0 20.0 21.0 ±0.5 fitted +5.0%",
        "spinlock 8 CPUs 1:40 100.0 90.0 ±2.0 predicted -10.0%",
        "spinlock 32 CPUs too long – 12,345.6 ±500.0 predicted –",
    ):
        assert expected in printed


def test_notes_are_printed_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    """A cell's note ends its line, the reproduction's notes come last."""
    result = reproduction()
    first = replace(result.cells[0], note="link")
    print_reproduction(replace(result, cells=[first, *result.cells[1:]], notes=["Noisy."]))
    printed = lines(capsys)
    assert 1 == sum(line.endswith("input +1.0% link") for line in printed)
    assert "Noisy." == printed[-1]


def test_summary_counts_predicted_cells_only(capsys: pytest.CaptureFixture[str]) -> None:
    """The input's 1 % and the fitted cell's 5 % are left out of the mean."""
    print_reproduction(reproduction())
    assert [
        "1 fitted parameters, 2 predicted cells",
        "error over the predicted cells: mean 10.0%, worst 10.0%",
    ] == lines(capsys)[-2:]


def test_nothing_is_cut_at_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """No ellipsis and no line beyond column 80, even where a name is longer than its column."""
    result = reproduction()
    long = Cell("a-name-of-its-own-length", "1024 CPUs", "4711", 4.7, 4.8, 4.7, 4.9, "fitted", "s")
    print_reproduction(replace(result, cells=[*result.cells, long]))
    out = capsys.readouterr().out
    assert "…" not in out
    assert 80 >= max(map(len, out.splitlines()))


def test_kinds_of_rows_are_set_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty line stands between two kernels, none between the cells of one."""
    print_reproduction(reproduction())
    printed = lines(capsys)
    at = [i for i, line in enumerate(printed) if line.startswith(("rwlock", "spinlock"))]
    assert [2, 1] == [b - a for a, b in pairwise(at)]


def test_interval_that_is_not_even_has_two_ends(capsys: pytest.CaptureFixture[str]) -> None:
    """Half a width would say too much about it."""
    cell = Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, 20.5, 23.0, "fitted", "s")
    print_reproduction(replace(reproduction(), cells=[cell]))
    assert "rwlock 4 CPUs 20.0 20.0 21.0 20.5 … 23.0 fitted +5.0%" in lines(capsys)


def test_one_replication_has_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    """A dash, not a number that is none."""
    cell = Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, math.nan, math.nan, "fitted", "s")
    print_reproduction(replace(reproduction(), cells=[cell]))
    assert "rwlock 4 CPUs 20.0 20.0 21.0 – fitted +5.0%" in lines(capsys)


def test_units_that_differ_get_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Each unit has decimals of its own."""
    cells = [
        Cell("lock", "UTIL", "26.2", 26.2, 25.0, 24.0, 26.0, "predicted", "%"),
        Cell("lock", "TOTAL", "766205", 766205, 750000, 740000, 760000, "predicted", "1"),
    ]
    print_reproduction(replace(reproduction(), cells=cells))
    printed = lines(capsys)
    assert "lock UTIL 26.2 26.2 25.0 ±1.0 % predicted -4.6%" in printed
    assert "lock TOTAL 766205 766,205 750,000 ±10,000 1 predicted -2.1%" in printed


def test_parameters_are_listed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with value, unit, role and the number of its source; brackets are text."""
    row = "transfer.half 500 ns fitted [1]"
    print_reproduction(reproduction(), parameters=True)
    printed = lines(capsys)
    assert row in printed
    assert "[1] fit [to rwlock]" in printed
    print_reproduction(reproduction(), parameters=False)
    assert row not in lines(capsys)


def test_a_source_that_figures_share_is_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Both figures point to it."""
    shared = [Parameter(name, 5, "ns", "a probe", "measured") for name in ("near", "far")]
    print_reproduction(replace(reproduction(), parameters=shared))
    printed = lines(capsys)
    assert ["near 5 ns measured [1]", "far 5 ns measured [1]"] == [
        line for line in printed if line.startswith(("near", "far"))
    ]
    assert 1 == printed.count("[1] a probe")


def test_slope_is_told_as_growth(capsys: pytest.CaptureFixture[str]) -> None:
    """A slope of 2 between logarithms is four times for each doubling."""
    print_reproduction(replace(reproduction(), extra={"spinlock_slope": 2.0}))
    assert "spinlock: 4.00 times for each doubling (slope 2.00)" == lines(capsys)[-1]


def test_more_fitted_than_predicted_is_called_no_reproduction(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A table without a predicted cell proves nothing, and the last line says so."""
    print_reproduction(reproduction(predicted=False))
    expected = "more fitted parameters than predicted cells: this is no reproduction"
    assert expected == lines(capsys)[-1]


def test_interrupted_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """What was finished is printed, with a line that says that it is not all."""
    print_reproduction(reproduction(complete=False))
    assert "interrupted: these are the cells that were finished" == lines(capsys)[-1]
