"""The plot of a measurement, as data."""

from __future__ import annotations

import pytest
from made_up import CELL, measurement, trial

from locknative.benchmark.plots import plot_of_measurement
from lockui.plots import Curves


def test_cells_with_several_numbers_of_threads_are_curves() -> None:
    """Against the threads; a cell that no trial measured leaves a gap."""
    cells = (
        CELL,
        CELL.model_copy(update={"threads": 1, "cpus": (0,)}),
        CELL.model_copy(update={"kernel": "mcs"}),
    )
    trials = [trial(i, cell=cell) for cell in range(3) for i in range(6)]
    plot = plot_of_measurement(measurement(trials, cells))
    (panel,) = plot.panels
    assert isinstance(panel, Curves)
    assert {"tas": [], "mcs": [1]} == {line.name: line.missing for line in panel.lines}
    assert "Crosses: not measured." in plot.key()
    assert "hold 0 ns, think 0 ns" in plot.caption
    assert "drawn by seed 1; not a clean measurement. LockLab " in plot.caption


def test_cells_with_equal_threads_are_bars() -> None:
    """A panel for each mix; few trials have no interval."""
    cells = (CELL, CELL.model_copy(update={"hold_ns": 100.0}))
    plot = plot_of_measurement(measurement([trial(1), trial(2, cell=1)], cells))
    assert ["hold 0", "hold 100"] == [panel.title for panel in plot.panels]
    assert "95 %" not in plot.key()


def test_nothing_measured_is_refused() -> None:
    """There is nothing to draw."""
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_of_measurement(measurement([]))
