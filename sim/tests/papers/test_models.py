"""Where models by formula fail: errors, cells that a fit has seen, and the table of kaigai-2004."""

from functools import cache

import pytest

from locksim.papers.experiment import Cell
from locksim.papers.kaigai_2004 import experiment as kaigai_2004
from locksim.papers.models import FAILS_ABOVE, Load, Models, compare_models

LOAD = Load(100.0, 900.0, 50.0, "made up")


def cell(cpus: int, corrected: float | None, row: str = "lock") -> Cell:
    """A cell whose figure is rounds per second; the simulation is a tenth above the measurement."""
    simulated = 1.1 * (corrected or 1e6)
    return Cell(row, f"{cpus} CPUs", None, corrected, simulated, 0, 0, "predicted", "1/s")


def models(cells: list[Cell], fit_up_to: int = 0) -> Models:
    """Compare, with rounds per second as the figure."""
    return compare_models(
        cells,
        {"lock": LOAD},
        cpus=lambda c: int(c.column.split()[0]),
        per_second=lambda n, x: x,
        value=lambda n, x: x,
        fit_up_to=fit_up_to,
    )


@cache
def kaigai() -> dict[tuple[str, str], list[str]]:
    """(model, row) → cells at which it fails, from one quick run."""
    result = kaigai_2004.EXPERIMENT.reproduce(replications=2, operations=30)
    return {(s["model"], s["row"]): s["fails"] for s in result.extra["models"]["summary"]}


def test_errors_are_against_the_measurement() -> None:
    """One CPU alone waits for nobody: the chain gives a round's time exactly."""
    found = {c.model: c for c in models([cell(1, 1e6)]).cells}
    assert 0.0 == pytest.approx(found["markov"].error, abs=1e-9)
    assert 0.1 == pytest.approx(found["markov"].simulated_error)


def test_cells_without_a_measurement_count_nowhere() -> None:
    """They have a figure and no error."""
    found = models([cell(8, None)])
    assert [None] * 3 == [c.error for c in found.cells]
    assert [] == found.summary()


def test_cells_that_a_fit_saw_do_not_count() -> None:
    """Four cells fit the law; the fifth is its only prediction."""
    cells = [cell(n, 1e6 * n / (1 + 0.05 * (n - 1))) for n in (1, 2, 3, 4, 8)]
    (fitted,) = [s for s in models(cells, fit_up_to=4).summary() if s["model"] == "usl_fitted"]
    assert (1, "8 CPUs") == (fitted["cells"], fitted["worst"])
    assert fitted["worst_abs_error"] < 0.05


def test_rows_without_a_load_are_left_out() -> None:
    """And rows without cells as well."""
    assert [] == models([cell(4, 1e6, row="other")]).cells


def test_fails_are_the_cells_far_off() -> None:
    """The threshold is the module's."""
    found = models([cell(1, 1e6), cell(2, 1e3)])
    (markov,) = [s for s in found.summary() if s["model"] == "markov"]
    assert ["2 CPUs"] == markov["fails"]
    assert markov["worst_abs_error"] > FAILS_ABOVE


def test_a_queue_knows_no_collapse() -> None:
    """kaigai-2004: MVA fails at the spinlock from 4 CPUs on, and gets the rwlock at 16 and 32."""
    assert ["4 CPU", "8 CPU", "16 CPU"] == kaigai()["mva", "spinlock"]
    assert not {"16 CPU", "32 CPU"} & set(kaigai()["mva", "rwlock"])


def test_a_law_with_a_peak_knows_no_plateau() -> None:
    """kaigai-2004: the chain and the law, fitted or not, let the rwlock collapse at 16 and 32."""
    for model in ("markov", "usl", "usl_fitted"):
        assert {"16 CPU", "32 CPU"} <= set(kaigai()[model, "rwlock"])
