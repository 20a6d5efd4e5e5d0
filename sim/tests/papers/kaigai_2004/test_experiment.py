"""The first historical result: what the issue of 2004 was, out of operations on lines alone."""

import json
from functools import cache

import pytest

from locksim import machine as machines
from locksim.papers import experiment, find, names
from locksim.papers.experiment import Cell, ExperimentError, Reproduction
from locksim.papers.kaigai_2004 import experiment as kaigai_2004
from locksim.study.simulation import interval


@cache
def result() -> Reproduction:
    """The whole reproduction, once for all tests (some two seconds)."""
    return kaigai_2004.EXPERIMENT.reproduce()


def cells(row: str, role: str | None = None) -> dict[int, Cell]:
    """A row's cells by CPUs."""
    return {
        int(c.column.split()[0]): c
        for c in result().cells
        if c.row == row and role in (None, c.role)
    }


def test_every_published_cell_is_there_with_its_role() -> None:
    """24 cells: two inputs, the rwlock at 4 CPUs and the points at 1 and 2 fitted, 13 predicted."""
    roles = {(c.row, int(c.column.split()[0])): c.role for c in result().cells}
    assert 24 == len(roles)
    assert {"input": 2, "fitted": 9, "predicted": 13} == {
        role: list(roles.values()).count(role) for role in ("input", "fitted", "predicted")
    }
    assert "input" == roles["disabled", 4] == roles["rcu", 4]
    assert "fitted" == roles["rwlock", 4]
    assert "predicted" == roles["spinlock", 4] == roles["spinlock", 32]


def test_fewer_fitted_numbers_than_predicted_cells() -> None:
    """At most three memory costs are fitted, and the summary counts them."""
    summary = result().summary()
    assert 2 == summary["fitted"] <= 3
    assert 13 == summary["predicted"]


@pytest.mark.parametrize("row", ["spinlock", "rwlock"])
def test_predictions_are_near(row: str) -> None:
    """Within 10 % on average and none beyond 20 %."""
    errors = [abs(c.error) for c in cells(row, "predicted").values() if c.error is not None]
    assert 3 == len(errors)
    assert sum(errors) / len(errors) <= 0.10
    assert max(errors) <= 0.20


@pytest.mark.parametrize("row", ["disabled", "rcu"])
def test_rcu_and_disabled_are_flat(row: str) -> None:
    """From 4 to 32 CPUs the time changes by less than 2 %."""
    times = [c.simulated for n, c in cells(row).items() if n >= 4]
    assert max(times) / min(times) <= 1.02


def test_spinlock_time_grows_with_the_square() -> None:
    """The slope per doubling of CPUs, log2 against log2, is 2.0 ± 0.1."""
    assert abs(result().extra["spinlock_slope"] - 2.0) <= 0.1


def test_too_long_is_predicted() -> None:
    """The cell that was not measured has a prediction with an interval, and no error."""
    cell = cells("spinlock")[32]
    assert "too long" == cell.published
    assert cell.corrected is None
    assert cell.error is None
    assert 1_322 < cell.low < cell.simulated < cell.high


def test_inputs_come_out_as_published() -> None:
    """The two input cells are what they were set from, within half a per cent."""
    for row in ("disabled", "rcu"):
        error = cells(row)[4].error
        assert error is not None
        assert abs(error) < 0.005


@pytest.mark.slow
def test_profile_holds_what_the_fit_gives() -> None:
    """Fitting again, from other start values, gives the figures of the profile within 3 %."""
    profile = machines.load("itanium2-32")
    moved = profile.with_costs(**{"transfer.half": 500_000, "transfer.node": 200_000})
    costs = profile.cost_ps()
    for name, fitted in kaigai_2004.fit(moved).items():
        assert abs(fitted / costs[name] - 1) < 0.03


def test_json_has_the_agreed_schema() -> None:
    """What other programs read."""
    document = json.loads(json.dumps(result().to_json()))
    assert {"experiment", "machine", "parameters", "cells", "summary"} <= set(document)
    assert {"name", "value", "unit", "source", "role"} == set(document["parameters"][0])
    wanted = {"row", "column", "published", "corrected", "simulated", "low", "high", "role"}
    assert wanted | {"error"} <= set(document["cells"][0])
    assert {"fitted", "predicted", "mean_abs_error", "worst_abs_error"} == set(document["summary"])


def test_every_parameter_has_a_source_and_a_role() -> None:
    """No figure comes from nowhere."""
    for parameter in result().parameters:
        assert parameter.source
        assert parameter.role in ("input", "fitted", "published", "measured", "derived", "assumed")


def test_plot_in_words() -> None:
    """Simulated and measured ends; which cells were fitted."""
    plot = kaigai_2004.EXPERIMENT.plot(result())
    assert "spinlock goes from" in plot.alt()
    assert "Hollow: a fit or a parameter used it." in plot.key()


def test_unknown_experiment_is_refused() -> None:
    """With the name that was probably meant."""
    with pytest.raises(ExperimentError) as caught:
        find("kaigai-2005")
    assert "unknown experiment 'kaigai-2005'; did you mean 'kaigai-2004'?" == str(caught.value)
    assert "kaigai-2004" in names()


def test_errors_are_fractions_of_the_corrected_value() -> None:
    """And cells without one do not count."""
    cells_ = [
        Cell("a", "1", "10", 10.0, 11.0, 10.5, 11.5, "predicted", "s"),
        Cell("a", "2", "10", 10.0, 20.0, 19.0, 21.0, "fitted", "s"),
        Cell("a", "3", "?", None, 20.0, 19.0, 21.0, "predicted", "s"),
    ]
    summary = experiment.Reproduction("x", "", "", "m", [], cells_).summary()
    assert 2 == summary["predicted"]
    assert summary["mean_abs_error"] == pytest.approx(0.1)


def test_interval_is_students() -> None:
    """Three values 1, 2, 3: mean 2, half width 4.303 * 1 / sqrt(3)."""
    low_high = interval([1.0, 2.0, 3.0])
    assert 2.0 == low_high.mean
    assert low_high.high - low_high.mean == pytest.approx(4.3026527 / 3**0.5)
