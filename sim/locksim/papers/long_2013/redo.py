"""long-2013-redo: redo written per second by Oracle's SLOB, without and with Long's patches.

The setting, its parameters and their sources: :mod:`locksim.papers.long_2013.setting`.
"""

from __future__ import annotations

from typing import Any

from locksim.machine import Machine
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Reproduction
from locksim.papers.long_2013 import setting as long_2013
from locksim.papers.long_2013.setting import Kept, Row
from locksim.study.sampling import Profile
from lockui.plots import Axis, Curves, Plot

ROWS: tuple[Row, ...] = ((8, 64), (32, 64), (80, 64), (128, 64))

NO_MODELS = "Analytic models are compared in long-2013-awr: they cover only readers, all alike."


class Redo(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "long-2013-redo", 2013, long_2013.MACHINE
    title = "Oracle SLOB (readers + writers) on 80 CPUs: redo without and with Long's patches"
    source = long_2013.SOURCE

    def plan(self, **options: Any) -> Plan[Any, Profile]:
        """All 12 cells; the options are those of :func:`locksim.papers.long_2013.setting.plan`."""
        return long_2013.plan(ROWS, self._table, **options)

    def _table(self, machine: Machine, kept: Kept) -> Reproduction:
        cells: list[Cell] = []
        for row, found in kept.items():
            without, with_ = (found[patch] for patch in long_2013.PATCHES)
            redo = long_2013.redo
            cells += [
                long_2013.cell(row, "redo", "without", long_2013.mean(redo, without), "MB/s"),
                long_2013.cell(row, "redo", "with", long_2013.mean(redo, with_), "MB/s"),
                long_2013.cell(row, "change", "", long_2013.change(without, with_), "%"),
            ]
        points = {
            c.row: round(c.simulated - c.corrected, 2)
            for c in cells
            if c.column == "change" and c.corrected is not None
        }
        return Reproduction(
            self.name,
            self.title,
            self.source,
            machine.name,
            long_2013.parameters(machine),
            cells,
            extra={"gain_off_by_points": points},
            notes=[_note(points), NO_MODELS],
        )

    def plot(self, result: Reproduction) -> Plot:
        """Redo against readers, a line for each kernel."""
        rates = [c for c in result.cells if c.unit == "MB/s"]
        axes = Axis("readers (with 64 writers)", log=True), Axis("redo [MB/s]")
        lines = plots.lines(rates, lambda c: c.column.replace("redo ", "") + " the patches")
        title = "SLOB on 80 CPUs: redo with walks as writers and as blocking readers"
        return plots.plot(result, title, [Curves(lines, *axes)])


EXPERIMENT = Redo()


def _note(points: dict[str, float]) -> str:
    worst = max(points.values(), key=abs, default=0.0)
    return f"gain by the patches: largest error {worst:+.1f} points"
