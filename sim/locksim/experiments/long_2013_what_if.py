"""long-2013-what-if: what other cures would have done for Oracle's SLOB on the same machine.

Nothing here was published, so every cell is a prediction without an error. The figures are those of
:mod:`locksim.experiments.long_2013`, untouched. The kernels:

- ``without`` and ``with`` Long's patches, for comparison;
- ``3.8 + qspinlock``: queued spinlocks instead of ticket locks (Linux 4.2), walks still exclusive;
- ``3.8 + patches 1, 4``: counts by lockref and no entry's lock in a walk; walks still exclusive;
- ``3.12 (seqretry)``: what mainline did, optimistic walks that lock if a rename came by.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locksim import machine as machines
from locksim.experiments import long_2013
from locksim.experiments.experiment import Cell, Progress, Reproduction
from locksim.experiments.long_2013_redo import ROWS
from locksim.machine import Machine


class WhatIf:
    """The experiment (see the module)."""

    name = "long-2013-what-if"
    title = "Oracle SLOB (readers + writers) on 80 CPUs: other cures for rename_lock and d_count"
    source = f"setting: {long_2013.SOURCE}; no figure of these cells was published"

    def reproduce(
        self,
        *,
        progress: Progress | None = None,
        machine: Machine | None = None,
        replications: int = 5,
        seed: int = 1,
        samples: int = long_2013.SAMPLES,
        **options: Any,
    ) -> Reproduction:
        """Simulate redo and the share in spinlocks for every kernel and row of the redo table."""
        profile = machine or machines.load(long_2013.MACHINE)
        plan = [(row, kernel) for row in ROWS for kernel in long_2013.KERNELS]
        cells: list[Cell] = []
        complete = True
        for i, (row, kernel) in enumerate(plan):
            if progress is not None:
                progress(f"{long_2013.title(row)}, {kernel}", i / len(plan))
            try:
                found = long_2013.runs(
                    row,
                    kernel,
                    machine=profile,
                    replications=replications,
                    seed=seed,
                    samples=samples,
                )
            except KeyboardInterrupt:
                if not cells:
                    raise
                complete = False
                break
            for column, measure, unit in (
                ("redo", long_2013.redo, "MB/s"),
                ("spinlock", long_2013.spinlock, "%"),
            ):
                value = long_2013.mean(measure, found)
                cells.append(
                    Cell(
                        long_2013.title(row),
                        f"{column} {kernel}",
                        None,
                        None,
                        value.mean,
                        value.low,
                        value.high,
                        "predicted",
                        unit,
                    )
                )
        return Reproduction(
            self.name,
            self.title,
            self.source,
            profile.name,
            long_2013.parameters(profile),
            cells,
            complete,
        )

    def plot(self, result: Reproduction, path: Path) -> str:
        """Redo against readers, a curve for each kernel."""
        from dataclasses import replace

        from locksim.experiments.plots import log_curves

        turned = [
            replace(c, row=c.column.partition(" ")[2], column=c.row)
            for c in result.cells
            if c.unit == "MB/s"
        ]
        return log_curves(
            replace(result, cells=turned),
            path,
            x=lambda cell: int(cell.column.partition("+")[0]),
            x_label="readers (with 64 writers)",
            y_label="redo [MB/s]",
            title="SLOB on 80 CPUs: cures for rename_lock and d_count",
        )


EXPERIMENT = WhatIf()
