"""long-2013-awr: shares of time of Oracle's SLOB, without and with Long's patches.

Shares of user and system time are of all CPUs' time; the share in spinlocks is of the kernel's own
(:mod:`locksim.papers.long_2013.setting` has the parameters and explains them).

The message's text says that the bracketed column is the kernel *with* the patches. In that reading
the patches multiply the spinning. ``literal_reading`` compares that literal reading with the
simulation: both kernels are far off, in opposite directions.
"""

from __future__ import annotations

from typing import Any

from locksim.machine import Machine
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Report, Reproduction
from locksim.papers.long_2013 import setting as long_2013
from locksim.papers.long_2013.models import ALONE, spinlock_models
from locksim.papers.long_2013.setting import Kept, Row
from locksim.study.reports import awr
from locksim.study.sampling import Profile
from lockui.plots import Axis, Bars, Plot

ROWS: tuple[Row, ...] = ((32, 0), (80, 0), (128, 0), (32, 64), (80, 64), (128, 64))


class Awr(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "long-2013-awr", 2013, long_2013.MACHINE
    title = "Oracle SLOB (readers + writers) on 80 CPUs: time without and with Long's patches"
    source = long_2013.SOURCE

    def plan(self, **options: Any) -> Plan[Any, Profile]:
        """All 36 cells; the options are those of :func:`locksim.papers.long_2013.setting.plan`."""
        return long_2013.plan((*ROWS, ALONE), self._table, **options)

    def _table(self, machine: Machine, kept: Kept) -> Reproduction:
        cells = [
            long_2013.cell(row, name, patch, long_2013.mean(measure, found[patch]), "%")
            for row, found in kept.items()
            if row != ALONE
            for name, measure in long_2013.MEASURES.items()
            for patch in long_2013.PATCHES
        ]
        literal = literal_reading(cells)
        return Reproduction(
            self.name,
            self.title,
            self.source,
            machine.name,
            long_2013.parameters(machine),
            cells,
            extra={
                "literal_reading": literal,
                **(
                    {"models": spinlock_models(machine, kept[ALONE]["without"], cells)}
                    if ALONE in kept
                    else {}
                ),
            },
            notes=_notes(cells, literal),
            report=Report("awr", awr.table(_shares(cells))),
        )

    def plot(self, result: Reproduction) -> Plot:
        """Share of kernel time in spinlocks: a panel without and with the patches."""
        axis = Axis("share of kernel time [%]")
        panels = [
            Bars(
                [plots.bar(c, c.row) for c in result.cells if c.column == f"spinlock {patches}"],
                axis,
                f"{patches} the patches",
            )
            for patches in ("without", "with")
        ]
        title = "SLOB on 80 CPUs: share of kernel time in spinlocks"
        return plots.plot(result, title, panels)


EXPERIMENT = Awr()


def literal_reading(cells: list[Cell]) -> list[dict[str, Any]]:
    """The shares in spinlocks as assigned by the message's text, beside the simulated ones.

    Returns:
        A dict for each cell: row, column, literal (per cent), simulated, off_by_points.
    """
    said = long_2013.literal()
    rows = {long_2013.title(row): row for row in ROWS}
    return [
        {
            "row": c.row,
            "column": c.column,
            "literal": said[(*rows[c.row], "spinlock", patch)],
            "simulated": c.simulated,
            "off_by_points": c.simulated - said[(*rows[c.row], "spinlock", patch)],
        }
        for c in cells
        if c.column.startswith("spinlock")
        for patch in [c.column.partition(" ")[2]]
    ]


def _shares(cells: list[Cell]) -> dict[str, awr.Shares]:
    """The simulated shares, for each row of the table with and without the patches."""
    found: dict[str, dict[str, float]] = {}
    for c in cells:
        measure, _, patch = c.column.partition(" ")
        found.setdefault(f"{c.row}, {patch}", {})[measure] = c.simulated / 100
    return {
        name: awr.Shares(
            s["user"], s["system"], max(0.0, 1 - s["user"] - s["system"]), s["spinlock"]
        )
        for name, s in found.items()
    }


def _notes(cells: list[Cell], literal: list[dict[str, Any]]) -> list[str]:
    """The errors of the two readings, in a sentence each."""

    def mean_off(pairs: list[tuple[float, float]]) -> float:
        return sum(abs(a - b) for a, b in pairs) / len(pairs) if pairs else 0.0

    corrected = mean_off(
        [
            (c.simulated, c.corrected)
            for c in cells
            if c.column.startswith("spinlock") and c.corrected is not None
        ]
    )
    literal_off = mean_off([(r["simulated"], r["literal"]) for r in literal])
    return [
        "spinlock: share of kernel time, since the kernel has only a few per cent of all time",
        f"spinlock, corrected reading (brackets: without): off by {corrected:.1f} points on "
        "average",
        f"spinlock, literal reading (brackets: with): off by {literal_off:.1f} points on average, "
        "with the patches' effect reversed; not reproduced",
    ]
