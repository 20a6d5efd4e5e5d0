"""The tables of lockmeter and kernprof with the instrument in the simulated kernel, and without.

Without it the engine's own meters read the same columns. They cost nothing and see everything. So
the difference is what measuring itself did to the published tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import TYPE_CHECKING, Any

from locksim.papers import find
from locksim.papers.experiment import Reproduction

if TYPE_CHECKING:
    from rich.table import Table

LENGTHS = {"franke-2001-lockmeter": 30, "franke-2001-kernprof": 10}
"""Experiment → messages per user in a run: those of its brief form."""


def errors(name: str, *, instrument: bool, **options: int) -> dict[str, float]:
    """Mean error of the predicted cells, as a fraction: of each column, and of all (``all``).

    Arguments:
        name: of ``LENGTHS``. instrument: whether it is in the kernel. options: of the experiment.
    """
    settings: dict[str, Any] = {"messages": LENGTHS[name], "replications": 1, **options}
    result: Reproduction = find(name).reproduce(instrument=instrument, **settings)
    found: dict[str, list[float]] = {}
    for cell in result.cells:
        if cell.role == "predicted" and cell.error is not None:
            found.setdefault(cell.column, []).append(abs(cell.error))
    every = [error for column in found.values() for error in column]
    return {column: fmean(values) for column, values in {**found, "all": every}.items()}


def view() -> Iterator[Table]:
    """Yield a table of errors for each of the two experiments."""
    from rich.table import Table

    for name, messages in LENGTHS.items():
        shown = Table(title=f"{name}, runs of {messages} messages: mean error of the cells")
        inside, outside = (errors(name, instrument=which) for which in (True, False))
        for heading in ("column", "instrument inside", "meter outside"):
            shown.add_column(heading, justify="left" if heading == "column" else "right")
        for column in inside:
            shown.add_row(column, f"{inside[column]:.1%}", f"{outside[column]:.1%}")
        yield shown
