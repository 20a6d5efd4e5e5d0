"""From readings to costs: measured, solved for, or assumed.

**Measured.** A probe of one CPU alone reads one cost of sim/PHYSICS.md:

    own_load                   l1_hit           own_store   store
    chase, the largest ring    memory           own_add     rmw
    wake less a system call    context_switch   own_fence   fence
    own_syscall                wake             own_pause   pause
    own_malloc, half each      alloc, free

The cost of a hit is that of one of many loads whose addresses are known (``own_load``). A program
seldom waits for the value, since the CPU predicts the branch that depends on it. When the value is
the next load's address, a program does wait: the chase through the smallest ring shows how long. No
cost of the profile stands for that.

**Solved for** are those of which the probes read mixtures (:mod:`.fit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from locknative.calibration.readings import Reading
from locknative.errors import NativeError
from locknative.survey.cells import Cell

SMALLEST_NS = 0.001
"""No cost is below, however the readings differ."""
Role = Literal["measured", "fitted", "derived", "assumed"]


@dataclass(frozen=True)
class CostNs:
    """One cost of the profile.

    Arguments:
        value, low, high: in ns; the latter two are the 95 % interval, equal to ``value`` where
            nothing was measured.
        source: which readings it comes from.
        trials: how many trials these are together, 0 for an assumed cost.
        spread: the share of the value by which a line hold time differs at most.
    """

    value: float
    low: float
    high: float
    source: str
    role: Role
    trials: int = 0
    spread: float = 0


def measured(readings: Mapping[Cell, Reading]) -> dict[str, CostNs]:
    """Return the costs that are readings.

    Raises:
        NativeError: a reading is missing.
    """
    rings = sorted(
        (c for c in readings if c.kernel == "chase" and c.threads == 1), key=lambda c: c.option
    )
    if not rings:
        raise _missing("chase")
    costs = {
        "memory.node": _of(readings[rings[-1]], f"chase through {rings[-1].option} KiB"),
    }
    for name, probe in (
        ("l1_hit", "own_load"),
        ("store", "own_store"),
        ("rmw", "own_add"),
        ("fence", "own_fence"),
        ("pause", "own_pause"),
    ):
        costs[name] = _of(_one(readings, probe), probe)
    pair = _one(readings, "own_malloc")
    for name in ("alloc", "free"):
        costs[name] = _of(pair, "own_malloc, half of the pair", times=0.5, role="derived")
    syscall = _one(readings, "own_syscall")
    costs["wake"] = _of(syscall, "own_syscall: what waking costs the waker, at least")
    wakes = [r for c, r in readings.items() if c.kernel == "wake"]
    if wakes:
        shortest = min(wakes, key=lambda r: r.value_ns)
        costs["context_switch"] = _of(
            shortest, "wake, one way, less own_syscall", less=syscall.value_ns, role="derived"
        )
    return costs


def _of(
    reading: Reading, source: str, *, times: float = 1, less: float = 0, role: Role = "measured"
) -> CostNs:
    """Return a cost that is a reading, or a simple function of one."""
    low, high = reading.interval_ns
    value, low, high = (
        max(SMALLEST_NS, times * (ns - less)) for ns in (reading.value_ns, low, high)
    )
    return CostNs(value, low, high, source, role, len(reading.trials))


def _one(readings: Mapping[Cell, Reading], probe: str) -> Reading:
    for cell, reading in readings.items():
        if cell.kernel == probe:
            return reading
    raise _missing(probe)


def _missing(probe: str) -> NativeError:
    return NativeError(
        f"no good trial of the probe '{probe}': measure again, longer (--max-time) or when the "
        "machine is idle; the trials of a survey's folder count"
    )
