"""A prediction beside a report from after the change, column by column.

The prediction comes from the report from before the change alone. A column can be compared if both
reports have it and it is predicted: rates, CON and WAIT. HOLD is not: it is the change itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.study.bands import Band
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import COLUMNS, Evidence
from locksim.study.twin.prediction import QUANTITIES, Prediction

__all__ = ["Compared", "columns_of_both", "compared"]

_PREDICTED = {"rate": "rate", "contentions": "contentions", "con": "con", "wait": "wait_ns"}
"""The columns that can be compared, and the quantity that predicts each."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A column of both reports, and its prediction.

    Arguments:
        column: its name. title, unit: of the quantity. before, after: as reported.
        predicted: the band. inside: whether it holds what was reported, within chance.
    """

    column: str
    title: str
    unit: str
    before: float
    after: float
    predicted: Band
    inside: bool


def columns_of_both(before: Evidence, after: Evidence) -> list[str]:
    """The columns that can be compared.

    Raises:
        TwinError: there is none.
    """
    found = [name for name in _PREDICTED if name in before.columns and name in after.columns]
    if not found:
        has, lacks = (
            ", ".join(COLUMNS[name][0] for name in one.columns) for one in (before, after)
        )
        raise TwinError(
            f"nothing can be compared: before has {has}; after has {lacks}\n"
            f"help: one of {', '.join(COLUMNS[name][0] for name in _PREDICTED)} must stand in both "
            "reports; take both with the same tool"
        )
    return found


def compared(change: Prediction, before: Evidence, after: Evidence) -> list[Compared]:
    """The columns of both reports beside the prediction.

    Raises:
        TwinError: as :func:`columns_of_both`.
    """
    found = []
    for name in columns_of_both(before, after):
        title, unit, _ = QUANTITIES[_PREDICTED[name]]
        band, target = change.bands[_PREDICTED[name]], after.columns[name]
        low, high = target.value * (1 - target.error), target.value * (1 + target.error)
        inside = low <= band.high and high >= band.low
        then = before.columns[name].value
        found.append(Compared(name, title, unit, then, target.value, band, inside))
    return found
