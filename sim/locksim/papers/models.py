"""Where each analytic model fails: the models' values in an experiment's own table.

Without a simulator one puts a few times into a formula. Here the formulas of
:mod:`locksim.study.analytic` get the times of the simulation and are compared with the same
measured cells. A model fails at a cell if its error is above :data:`FAILS_ABOVE`.

For each of its rows an experiment gives hold, think and transfer time (:class:`Load`), and a
function from throughput to the cell's value. It adds the table to its result::

    extra={"models": compare_models(cells, loads, cpus=…, value=…).to_json()}

The Universal Scalability Law appears twice: from the times, and fitted to the row's measured cells
at few CPUs (``usl_fitted``), which is its usual use. Cells that the fit used do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from locksim.machine import Machine
from locksim.papers.experiment import Cell, Role
from locksim.study.analytic.compare import compare
from locksim.study.analytic.usl import MIN_POINTS

FAILS_ABOVE = 0.25
"""Relative error of a cell above which a model fails there."""


@dataclass(frozen=True, slots=True)
class Load:
    """An analytic model's inputs for one row.

    Arguments:
        hold_ns: time that one CPU at a time needs. think_ns: the rest of an iteration.
        transfer_ns: one transfer of the contended line.
        why: the source of these times and their omissions, one sentence.
    """

    hold_ns: float
    think_ns: float
    transfer_ns: float
    why: str


@dataclass(frozen=True, slots=True)
class ModelCell:
    """A model's value for one cell.

    Arguments:
        model: ``mva``, ``markov``, ``usl``, ``usl_fitted``. row, column: the cell.
        corrected: the measured value, or None. simulated: the experiment's. predicted: the
            model's. unit: of the three.
        fitted: the model's fit used this cell. role: of the cell, in the experiment.
    """

    model: str
    row: str
    column: str
    corrected: float | None
    simulated: float
    predicted: float
    unit: str
    fitted: bool
    role: Role

    @property
    def error(self) -> float | None:
        """Relative error against the measurement; None if missing or used by a fit."""
        return None if not self.corrected or self.fitted else self.predicted / self.corrected - 1

    @property
    def simulated_error(self) -> float | None:
        """The simulation's relative error in the same cell."""
        return None if self.error is None else self.simulated / (self.corrected or 1) - 1


@dataclass(frozen=True)
class Models:
    """The table: each row's load, and a value for each model and cell."""

    loads: Mapping[str, Load]
    cells: list[ModelCell]

    def summary(self) -> list[dict[str, Any]]:
        """By model and row: number of cells, errors, the worst cell, the cells of failure."""
        found = []
        for model, row in dict.fromkeys((c.model, c.row) for c in self.cells):
            counted = [
                (c.column, abs(c.error), abs(c.simulated_error or 0))
                for c in self.cells
                if (c.model, c.row) == (model, row) and c.error is not None
            ]
            if not counted:
                continue
            worst = max(counted, key=lambda item: item[1])
            found.append(
                {
                    "model": model,
                    "row": row,
                    "cells": len(counted),
                    "mean_abs_error": sum(e for _, e, _ in counted) / len(counted),
                    "worst_abs_error": worst[1],
                    "worst": worst[0],
                    "fails": [column for column, e, _ in counted if e > FAILS_ABOVE],
                    "simulated_mean_abs_error": sum(s for _, _, s in counted) / len(counted),
                }
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """``{"fails_above", "loads": {row: …}, "summary": […], "cells": […]}``."""
        return {
            "fails_above": FAILS_ABOVE,
            "loads": {row: asdict(load) for row, load in self.loads.items()},
            "summary": self.summary(),
            "cells": [{**asdict(c), "error": c.error} for c in self.cells],
        }


def compare_models(
    cells: Sequence[Cell],
    loads: Mapping[str, Load],
    *,
    cpus: Callable[[Cell], int],
    per_second: Callable[[int, float], float],
    value: Callable[[int, float], float],
    fit_up_to: int,
) -> Models:
    """Compute every model's value for the cells of some rows.

    Arguments:
        cells: of the reproduction; those of rows without a load are left out.
        loads: row → the models' inputs.
        cpus: the number of CPUs of a cell.
        per_second: (CPUs, a cell's value) → iterations per second of all CPUs together.
        value: (CPUs, iterations per second) → a cell's value.
        fit_up_to: the law is fitted to the measured cells with at most this many CPUs, if there
            are enough of them.

    Raises:
        AnalyticError: a load is out of range.
    """
    found: list[ModelCell] = []
    for row, load in loads.items():
        of = {cpus(cell): cell for cell in cells if cell.row == row}
        if not of:
            continue
        measured = {
            n: per_second(n, cell.corrected)
            for n, cell in of.items()
            if cell.corrected is not None and n <= fit_up_to
        }
        table = compare(
            list(of),
            hold_ns=load.hold_ns,
            think_ns=load.think_ns,
            transfer_ns=load.transfer_ns,
            measured=measured if len(measured) >= MIN_POINTS else None,
        )
        for model, n, rate in zip(table["model"], table["cpus"], table["per_second"], strict=True):
            cell = of[int(n)]
            predicted = value(int(n), float(rate))
            seen = model == "usl_fitted" and n in measured
            found.append(
                ModelCell(
                    str(model),
                    row,
                    cell.column,
                    cell.corrected,
                    cell.simulated,
                    predicted,
                    cell.unit,
                    bool(seen),
                    cell.role,
                )
            )
    return Models(loads, found)


def mean_transfer_ns(profile: Machine) -> float:
    """Mean transfer time between two CPUs of a machine: formulas have only one such time."""
    tables = profile.tables(profile.n_cpus)
    n = tables.n_cpus
    pairs = [tables.distance[a][b] for a in range(n) for b in range(n) if a != b]
    return sum(tables.transfer_ps[d] for d in pairs) / len(pairs) / 1e3
