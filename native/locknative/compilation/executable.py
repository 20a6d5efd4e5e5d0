"""Where ``locklab-native`` is, and its clock; :mod:`locknative.survey.program` runs it."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from locknative import measure
from locknative.errors import NativeError
from locknative.survey import program
from lockui import installation


class Clock(BaseModel):
    """The cheap clock of a trial, and what was measured with it.

    ``cost_ns`` is one reading of it, ``turn_ns`` one iteration of private work; one acquisition in
    ``sample_every`` is timed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ticks_per_ns: float
    cost_ns: float
    turn_ns: float
    sample_every: int


def path() -> Path:
    """Return the path of ``locklab-native``.

    Raises:
        NativeError: it is not built.
    """
    file = Path(measure.extension_file()).with_name("locklab-native")
    if not file.exists():
        raise NativeError(
            f"{file} does not exist: build it with '{installation.again(build=True)}'"
        )
    return file


def clock() -> Clock:
    """Measure the clock and an iteration of private work, in a process of its own (some 30 ms)."""
    return Clock.model_validate(program.clock(path()))
