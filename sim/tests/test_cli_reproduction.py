"""A reproduction as it is printed: every cell with its role, the parameters, the summary."""

import pytest

from locksim.cli.reproduction import print_reproduction
from locksim.experiments.experiment import Cell, Reproduction
from locksim.machine import Parameter


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the terminal wide, so that no cell is folded."""
    monkeypatch.setenv("COLUMNS", "200")


def reproduction(*, predicted: bool = True, complete: bool = True) -> Reproduction:
    """Return a small table: one cell of each role, and one fitted parameter."""
    cells = [
        Cell("disabled", "4 CPUs", "10.0", 10.0, 10.1, 10.0, 10.2, "input", "s"),
        Cell("rwlock", "4 CPUs", "20.0", 20.0, 21.0, 20.5, 21.5, "fitted", "s"),
    ]
    if predicted:
        cells += [
            Cell("spinlock", "8 CPUs", "1:40", 100.0, 90.0, 88.0, 92.0, "predicted", "s"),
            Cell("spinlock", "32 CPUs", "too long", None, 12345.6, 12e3, 13e3, "predicted", "s"),
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
        "disabled 4 CPUs 10.0 10 s 10.1 s 10 … 10.2 input +1.0%",
        "rwlock 4 CPUs 20.0 20 s 21 s 20.5 … 21.5 fitted +5.0%",
        "spinlock 8 CPUs 1:40 100 s 90 s 88 … 92 predicted -10.0%",
        "spinlock 32 CPUs too long – 12,346 s 12,000 … 13,000 predicted –",
    ):
        assert expected in printed


def test_summary_counts_predicted_cells_only(capsys: pytest.CaptureFixture[str]) -> None:
    """The input's 1 % and the fitted cell's 5 % are left out of the mean."""
    print_reproduction(reproduction())
    assert [
        "1 fitted parameters, 2 predicted cells",
        "error over the predicted cells: mean 10.0%, worst 10.0%",
    ] == lines(capsys)[-2:]


def test_parameters_are_listed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with value, unit, role and source; brackets are text."""
    row = "transfer.half 500 ns fitted fit [to rwlock]"
    print_reproduction(reproduction(), parameters=True)
    assert row in lines(capsys)
    print_reproduction(reproduction(), parameters=False)
    assert row not in lines(capsys)


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
