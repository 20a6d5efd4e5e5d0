"""The two lmbench experiments in the layout of lmbench's summary, with simulated values only."""

from __future__ import annotations

from collections.abc import Iterable

from locksim.machine import Machine
from locksim.papers.experiment import Cell, Report
from locksim.papers.lmbench_2001.tables import summary_name
from locksim.study.reports import lmbench


def report(cells: Iterable[Cell], machine: Machine) -> Report:
    """The summary of a table's cells, with a line for each kernel in each section.

    Arguments:
        cells: of the columns ``base`` and ``SELinux``. machine: the simulated machine.
    """
    kernels: dict[str, dict[str, float]] = {}
    for cell in cells:
        kernels.setdefault(cell.column, {})[summary_name(cell.row)] = cell.simulated
    systems = [
        lmbench.System(
            "simulated", f"Linux-{kernel}", 1e3 * (machine.topology.clock_ghz or 0), values
        )
        for kernel, values in kernels.items()
    ]
    return Report("lmbench", lmbench.summary(systems))
