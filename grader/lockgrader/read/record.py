"""The record of a workspace in an archive: which predictions were locked, and when.

``locklab lab check`` locks a prediction before it shows the first measurement, and ``locklab lab
submit`` writes what was locked into ``record.json``. The file comes from the student's own machine
and can be forged, so it decides no points: the locked prediction is shown beside the result.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader.read.artefact import MalformedError, parse

__all__ = ["RECORD", "Locked", "read_record"]

RECORD = "record.json"
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Locked(BaseModel):
    """A prediction as it was before the first measurement, and the time of that."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    values: Annotated[tuple[Finite, ...], Field(max_length=2)]
    at: datetime


class _Record(BaseModel):
    """The part of the record that is shown."""

    format: Literal[1] = 1
    lab: str
    predictions: dict[str, Locked]


def read_record(data: bytes | None, lab: str) -> dict[str, Locked]:
    """The locked predictions by the answer's name; none of another lab or format.

    Arguments:
        data: the file, or None where there is none. lab: the name of the lab that is graded.
    """
    try:
        record = _Record.model_validate(parse(data or b"{}"))
    except (MalformedError, ValidationError):
        return {}
    return record.predictions if record.lab == lab else {}
