"""The table of what seeds do to an experiment's cells: sim/benchmarks/seeds.py."""

import importlib.util
from pathlib import Path

from locksim.papers import Cell

FILE = Path(__file__).parents[2] / "benchmarks" / "seeds.py"
spec = importlib.util.spec_from_file_location("seeds", FILE)
seeds = importlib.util.module_from_spec(spec)
spec.loader.exec_module(seeds)


def cell(simulated: float, corrected: float | None = 10.0) -> Cell:
    """A cell of which only the simulated value differs."""
    return Cell("8+64", "change", "10%", corrected, simulated, 0, 0, "predicted", "%")


def test_mean_spread_and_the_farthest():
    """Of three tables one is off by more than two."""
    line = seeds.line([cell(11), cell(9), cell(13)], 2)
    assert "| 8+64 | change | 10% | 11.00 | 2.00 | +1.00 | +3.00 | 2 of 3 |" == line


def test_a_cell_that_was_not_measured_is_off_by_nothing():
    """Its mean and spread are told."""
    line = seeds.line([cell(1, None), cell(3, None)], None)
    assert "| 8+64 | change | 10% | 2.00 | 1.41 | - | - |" == line
