"""Sampling profile of simulated time, as ``perf`` and kernprof make it on a real machine.

At regular moments the operation of every CPU is recorded, or that the CPU sleeps. Nothing is added
to the program or the run, so a profile is cheap. Its counts have the error of a sample: a share p
of n samples is good to about sqrt(p (1 - p) / n).

A sample is booked to the innermost method, as in a flat profile. A CPU that waits for a line is in
the operation that requested it. So the time of a lock's method is all the time in it, spinning or
not, contended or not. ``perf`` calls this time in the spinlock code; it is more than a lock meter's
wait.

The moments are ``every_ps`` apart, each moved by a random part of that. Otherwise a program with a
period of its own would always be sampled at the same point.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locksim import machine as machines
from locksim.engine.prepared import prepare
from locksim.machine import Machine
from locksim.study.simulation import Placement

if TYPE_CHECKING:
    from locksim.lang.struct import Workload

__all__ = ["Profile", "profile"]

IDLE = "idle"
"""The method of a CPU that sleeps or has returned."""


@dataclass(frozen=True)
class Profile:
    """The samples of one run.

    Arguments:
        samples: samples by (file's stem, ``Class.method``); ``("", IDLE)`` for sleeping CPUs.
        window_ps: length of the window in which they were taken.
        counted: growth of the named words in the window.
        events: events that the engine processed, warm-up included.
        seed: of the run.
    """

    samples: dict[tuple[str, str], int]
    window_ps: int
    counted: dict[str, int]
    events: int
    seed: int

    @property
    def total(self) -> int:
        """Number of samples."""
        return sum(self.samples.values())

    def count(self, *methods: str) -> int:
        """Number of samples in methods, given as ``Class.method``."""
        return sum(n for (_, method), n in self.samples.items() if method in methods)


def profile(
    workload: Workload,
    *,
    machine: str | Machine,
    cpus: int | None = None,
    placement: Placement = "compact",
    seed: int = 1,
    warmup_ps: int,
    every_ps: int,
    samples: int,
    words: dict[str, str] | None = None,
) -> Profile:
    """Run a workload and sample it.

    Arguments:
        workload, machine, cpus, placement, seed: as for :func:`locksim.simulate`.
        warmup_ps: simulated time before the first sample.
        every_ps: mean time between two samples of all CPUs.
        samples: number of samples of each CPU.
        words: name → word of the workload, as a path of fields (``"log.written"``), whose
            growth in the window is reported.

    Raises:
        CompileError, LinkError, MachineError, SimulationError: as for :func:`locksim.simulate`.
    """
    from locksim.engine.fast.engine import Session

    found = machines.load(machine) if isinstance(machine, str) else machine
    tables = found.tables(found.n_cpus if cpus is None else cpus, placement)
    image, memory = prepare(workload, tables)
    session = Session(image, memory, tables, seed=seed)
    places = {name: _address(memory.root, path) for name, path in (words or {}).items()}
    session.advance(warmup_ps)
    before = {name: session.word(at) for name, at in places.items()}
    hits = np.zeros(len(image.code) + 1, np.int64)  # the last one for sleeping CPUs
    stray = np.random.default_rng(seed).integers(0, max(1, every_ps), samples)
    for i in range(samples):
        session.advance(warmup_ps + i * every_ps + int(stray[i]))
        np.add.at(hits, session.operations(), 1)
    session.advance(warmup_ps + samples * every_ps)
    counts: Counter[tuple[str, str]] = Counter()
    for pc in np.flatnonzero(hits):
        place = image.places[pc] if pc < len(image.code) else None
        key = ("", IDLE) if place is None else (Path(place.file).stem, place.method)
        counts[key] += int(hits[pc])
    return Profile(
        samples=dict(counts),
        window_ps=samples * every_ps,
        counted={name: session.word(at) - before[name] for name, at in places.items()},
        events=session.result().events,
        seed=seed,
    )


def _address(root: object, path: str) -> int:
    """The address of the word at a path of fields."""
    found = root
    for name in path.split("."):
        found = getattr(found, name)
    return int(found)  # type: ignore[call-overload, no-any-return]
