"""Trials: which runs next, and whether it counts. The one runner of the native side.

Trials run in rounds. A round has one trial of each cell that needs more, in an order drawn anew
each time: what drifts on the machine (temperature, another program's load) then becomes noise in
all cells, not an error in some. One trial runs at a time, since two would disturb each other.

A trial does not count when the hypervisor took time, when a thread did not have its CPU for 99 % of
its time (kernels that sleep are exempt), when the threads did not run at the same time, or when one
of them was slow (:mod:`.speed`). It is kept with the reason.

How many trials are enough is the caller's policy: :mod:`.collect` fills a folder until time is up,
``locknative.bench`` stops when the intervals are narrow.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from . import process
from .cells import Cell
from .host import runnable, steal_ticks
from .judge import disturbances
from .speed import SpeedCheck, turns_ns

SLEEPERS = frozenset({"wake", "futex", "futex_rwlock"})
"""Kernels whose threads sleep: a probe, and locks that include ``locklab/sleep.h``."""

T = TypeVar("T")


class Record(NamedTuple):
    """One trial.

    ``at`` is when it began, in s since 1970. ``runnable`` is how many other threads the machine had
    to run then (None: not known). ``steal_ticks`` is the time that the hypervisor took from its
    CPUs. ``result`` is what ``locklab-native run`` printed. ``rejected`` says why the trial does
    not count; empty when it does.
    """

    at: float
    runnable: int | None
    steal_ticks: int
    result: dict[str, Any]
    rejected: tuple[str, ...]


def rounds(
    cells: Sequence[T], needs_more: Callable[[T], bool], dice: random.Random
) -> Iterator[tuple[T, int]]:
    """Yield cells and seeds, one trial at a time, until no cell needs more.

    Args:
        cells: what to measure.
        needs_more: whether a cell needs another trial; asked at the start of each round.
        dice: of the order and of the seeds.
    """
    while needy := [cell for cell in cells if needs_more(cell)]:
        dice.shuffle(needy)
        for cell in needy:
            yield cell, dice.getrandbits(32)


def trial(
    path: str | Path,
    cell: Cell,
    seed: int,
    speed: SpeedCheck,
    *,
    threads: int | None = None,
    duration_ms: int,
    warmup_ms: int,
    patience_s: float = process.PATIENCE_S,
) -> Record:
    """Run one trial, add it to the speeds seen, and judge it.

    Args:
        path: of ``locklab-native``.
        cell, threads, seed, duration_ms, warmup_ms, patience_s: see :func:`.process.run_trial`.
        speed: of the trials before this one.

    Raises:
        StuckError, NativeError: see :func:`.process.run_trial`.
    """
    sleeps = cell.kernel in SLEEPERS
    alone = not sleeps and len(set(cell.cpus)) == (cell.threads if threads is None else threads)
    at, others, before = time.time(), runnable(), steal_ticks(cell.cpus)
    result = process.run_trial(
        path,
        cell,
        threads=threads,
        duration_ms=duration_ms,
        warmup_ms=warmup_ms,
        seed=seed,
        patience_s=patience_s,
        quiet_ns=speed.quiet_ns(len(cell.cpus)) if alone else None,
    )
    stolen = steal_ticks(cell.cpus) - before
    tallies = result["tallies"]
    speed.add(turns_ns(tallies))
    rejected = disturbances(tallies, stolen, speed, result["duration_ns"], sleeps)
    return Record(at, others, stolen, result, rejected)
