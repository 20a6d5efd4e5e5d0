"""What determines a run, as digests: runs with equal ones have equal results.

A run is a pure function of program, machine, load and seed, as the engine of today computes it. A
point's digest covers all of them but the seed; the dataset keeps it beside each run. So a dataset
outlives an update of LockLab: what did not change keeps its digest.
"""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

from locksim import jit
from locksim.machine import Machine
from locksim.study.sweep.design import Point

_SOURCES = (
    *("lang/*.py", "machine/*.py", "core/*.py", "compiler/*.py", "engine/**/*.py"),
    *("study/simulation.py", "study/sweep/runs.py"),
)
"""The sources that turn a program, a machine and a seed into measured values, as patterns."""


@functools.cache
def engine_digest() -> str:
    """The digest of the sources that compute a run; 16 hexadecimal digits, as all digests here."""
    package = Path(__file__).parents[2]
    found = [path for pattern in _SOURCES for path in sorted(package.glob(pattern))]
    return f"{jit.digest(tuple(str(path.relative_to(package)) for path in found)):016x}"


def machine_digest(machine: Machine) -> str:
    """The digest of what engines read of a profile: not of its words and sources."""
    cache = None if machine.cache is None else machine.cache.model_dump(mode="json")
    parts: list[object] = [
        machine.topology.model_dump(mode="json"),
        machine.protocol.model_dump(mode="json"),
        machine.cost_ps(),
        machine.spread_ps(),
        cache,
    ]
    parts += [one for one in (machine.starting_order, machine.placement) if one is not None]
    return _digest(parts)


def point_digest(point: Point, program: str, machine: str, longest_ps: int) -> str:
    """The digest of a point: its values, and what determines a run behind them.

    Arguments:
        point: its factors. program, machine: digests. longest_ps: when its runs are a livelock.
    """
    return _digest([sorted(point.items()), program, machine, longest_ps, engine_digest()])


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
