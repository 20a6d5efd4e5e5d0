"""The command ``locklab-native`` as it was built: where it is, its kernels, its flags, its clock.

:mod:`locknative.survey.process` runs it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from locknative.compilation import toolchain
from locknative.survey import process


class Kernel(NamedTuple):
    """One thing that the harness runs: a lock, a structure, a probe or a workload."""

    name: str
    kind: str
    loops: tuple[str, ...]
    has_read: bool


class Build(NamedTuple):
    """How the timed loops were built; ``urcu`` is liburcu's version, "" without it."""

    compiler: str
    flags: str
    urcu: str


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
    return toolchain.find_built("locklab-native")


@cache
def kernels() -> tuple[Kernel, ...]:
    """Return every kernel that was built: locks, data structures, probes and workloads.

    Raises:
        NativeError: ``locklab-native`` is not built.
    """
    rows = process.list_kernels(path())
    return tuple(Kernel(row["name"], row["kind"], tuple(row["loops"]), row["read"]) for row in rows)


def locks() -> list[str]:
    """Return the names of the locks, as the simulator has them.

    ``none``, which is no lock at all, is not among them.

    Raises:
        NativeError: ``locklab-native`` is not built.
    """
    return [kernel.name for kernel in kernels() if kernel.kind == "lock" and kernel.name != "none"]


@cache
def read_build() -> Build:
    """Return the compiler, its flags for the timed loops, and liburcu's version.

    Raises:
        NativeError: ``locklab-native`` is not built.
    """
    return Build(**process.read_build(path()))


def measure_clock() -> Clock:
    """Measure the clock and an iteration of private work, in a process of its own (some 30 ms)."""
    return Clock.model_validate(process.measure_clock(path()))
