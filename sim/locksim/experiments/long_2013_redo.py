"""long-2013-redo: redo written per second by Oracle's SLOB, without and with Long's patches.

The setting, its figures and what they were set from: :mod:`locksim.experiments.long_2013`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locksim import machine as machines
from locksim.experiments import long_2013
from locksim.experiments.experiment import Cell, Progress, Reproduction
from locksim.experiments.long_2013 import Row
from locksim.machine import Machine

ROWS: tuple[Row, ...] = ((8, 64), (32, 64), (80, 64), (128, 64))


class Redo:
    """The experiment (see the module)."""

    name = "long-2013-redo"
    title = "Oracle SLOB (readers + writers) on 80 CPUs: redo without and with Long's patches"
    source = long_2013.SOURCE

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
        """Simulate all 12 cells.

        Arguments:
            machine: a profile instead of ``westmere-ex-8x10``.
            replications: independent runs per row and kernel.
            seed: of the first one.
            samples: length of a run, in steps of 20 us.
        """
        profile = machine or machines.load(long_2013.MACHINE)
        cells: list[Cell] = []
        complete = True
        for i, row in enumerate(ROWS):
            if progress is not None:
                progress(long_2013.title(row), i / len(ROWS))
            try:
                without, with_ = (
                    long_2013.runs(
                        row,
                        patch,
                        machine=profile,
                        replications=replications,
                        seed=seed,
                        samples=samples,
                    )
                    for patch in long_2013.PATCHES
                )
            except KeyboardInterrupt:
                if not cells:
                    raise
                complete = False
                break
            redo = long_2013.redo
            cells += [
                long_2013.cell(row, "redo", "without", long_2013.mean(redo, without), "MB/s"),
                long_2013.cell(row, "redo", "with", long_2013.mean(redo, with_), "MB/s"),
                long_2013.cell(row, "change", "", long_2013.change(without, with_), "%"),
            ]
        points = {
            c.row: round(c.simulated - c.understood, 2)
            for c in cells
            if c.column == "change" and c.understood is not None
        }
        return Reproduction(
            self.name,
            self.title,
            self.source,
            profile.name,
            long_2013.parameters(profile),
            cells,
            complete,
            {"gain_off_by_points": points},
            [_note(points)],
        )

    def plot(self, result: Reproduction, path: Path) -> str:
        """Redo against readers, a curve for each kernel."""
        from dataclasses import replace

        from locksim.experiments.plots import log_curves

        # A curve is a kernel here, and its points are the rows.
        turned = [replace(c, row=c.column, column=c.row) for c in result.cells if c.unit == "MB/s"]
        return log_curves(
            replace(result, cells=turned),
            path,
            x=lambda cell: int(cell.column.partition("+")[0]),
            x_label="readers (with 64 writers)",
            y_label="redo [MB/s]",
            title="SLOB on 80 CPUs: redo with a walk as writer, and as blocking reader",
        )


EXPERIMENT = Redo()


def _note(points: dict[str, float]) -> str:
    worst = max(points.values(), key=abs, default=0.0)
    return f"gain by the patches: off by {worst:+.1f} points where it is worst"
