"""The events of one lock, from a simulation, and what a lock meter has to say of them.

Each event has the time in ns, the CPU, and what it does:

- ``want``: the CPU asks for the lock;
- ``got``: it holds the lock from now on;
- ``free``: it gives the lock back.

The columns are lockmeter's (Bryant and Hawkes, Annual Linux Showcase 2000), for a window in time:

- An acquisition belongs to the window in which it got the lock.
- It was contended if another CPU held the lock at some time between ``want`` and ``got``.
- The owner of a recursive lock may take it again. This is not an acquisition of its own, and the
  hold ends with the outermost ``free``.
- HOLD and WAIT are means of whole times, WAIT over the contended acquisitions only. UTIL counts the
  part of each hold that lies inside the window, also of a hold that began before it.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from pydantic import Field

from lockgrader.lab.closed import Closed, Text

_ROWS_EACH = 24
"""Rows of a trace for one acquisition, to begin with."""
_MOST_ROWS = 200_000


class Event(NamedTuple):
    """One event of a lock."""

    ns: int
    cpu: int
    what: str


class LockTrace(Closed):
    """A lock of the library under the workload ``critical_section``, from time 0.

    Arguments:
        lock: of the library. machine, cpus, hold_ns, think_ns, words, seed: as for a measure.
        acquisitions: in the trace, about. Half of them lie inside the window.
        again: per cent of the holds in which the owner takes the lock once more.
        cut: whether the window begins and ends inside a hold.
    """

    lock: Text
    machine: Text
    cpus: Annotated[int, Field(ge=1, le=64)]
    hold_ns: Annotated[int, Field(ge=0, le=10**6)] = 0
    think_ns: Annotated[int, Field(ge=0, le=10**6)] = 1000
    words: Annotated[int, Field(ge=0, le=64)] = 1
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    acquisitions: Annotated[int, Field(ge=12, le=2000)] = 120
    again: Annotated[int, Field(ge=0, le=100)] = 0
    cut: bool = False


class Traced(NamedTuple):
    """A trace as a student's function gets it; times in ns."""

    events: tuple[Event, ...]
    cpus: int
    begin_ns: int
    end_ns: int


class _Hold(NamedTuple):
    """An acquisition: when its CPU asked, got the lock and gave it back."""

    cpu: int
    want: int
    got: int
    free: int


@functools.cache
def traced(asked: LockTrace) -> Traced:
    """Simulate the lock and cut a window out of its trace; equal requests give equal events."""
    holds = _simulated(asked)
    first, last = len(holds) // 4, 3 * len(holds) // 4
    begin, end = holds[first].got, holds[last].free
    if asked.cut:  # not at the same share of both, or what is lost at one end is won at the other
        begin, end = _inside(holds[first], 1), _inside(holds[last], 3)
    draw = random.Random(asked.seed)
    events = [event for hold in holds for event in _events(hold, asked.again, draw)]
    # Sorting is stable: events of one CPU at the same time stay in their order.
    return Traced(tuple(sorted(events, key=lambda e: e.ns)), asked.cpus, begin, end)


def lockmeter(events: Iterable[Event], cpus: int, begin_ns: int, end_ns: int) -> dict[str, float]:
    """The columns of a lock meter (see the module): counts, fractions, and times in ns."""
    holds = list(_holds(events))
    counted = [h for h in holds if begin_ns <= h.got < end_ns]
    waits = [h.got - h.want for h in counted if _contended(h, holds)]
    busy = sum(max(0, min(h.free, end_ns) - max(h.got, begin_ns)) for h in holds)
    window = end_ns - begin_ns
    return {
        "total": len(counted),
        "con": len(waits) / len(counted) if counted else 0.0,
        "hold_ns": sum(h.free - h.got for h in counted) / len(counted) if counted else 0.0,
        "wait_ns": sum(waits) / len(waits) if waits else 0.0,
        "util": busy / window,
        "cpu_share": sum(waits) / (cpus * window),
    }


def _holds(events: Iterable[Event]) -> Iterable[_Hold]:
    """The acquisitions of a trace, nested ones as part of the outermost."""
    asked: dict[int, int] = {}
    got: dict[int, int] = {}
    depth: dict[int, int] = {}
    for ns, cpu, what in events:
        level = depth.get(cpu, 0)
        if what == "want" and not level:
            asked[cpu] = ns
        elif what == "got":
            depth[cpu] = level + 1
            if not level:
                got[cpu] = ns
        elif what == "free":
            depth[cpu] = level - 1
            if level == 1:
                yield _Hold(cpu, asked[cpu], got[cpu], ns)


def _contended(one: _Hold, holds: Sequence[_Hold]) -> bool:
    return any(h.got < one.got and h.free > one.want for h in holds if h.cpu != one.cpu)


def _simulated(asked: LockTrace) -> list[_Hold]:
    """The complete acquisitions of a simulation, in the order of their ``got``."""
    from locksim.library.registry import resolve
    from locksim.library.workloads.critical_section import CriticalSection
    from locksim.study.traces import record

    load = CriticalSection(
        lock=resolve(asked.lock).struct(),
        words=asked.words,
        hold_ps=asked.hold_ns * 1000,
        think_ps=asked.think_ns * 1000,
    )
    rows = _ROWS_EACH * asked.acquisitions
    while True:
        trace = record(load, machine=asked.machine, cpus=asked.cpus, seed=asked.seed, rows=rows)
        holds = [
            _Hold(a.cpu, a.start_ps // 1000, a.acquired_ps // 1000, a.released_ps // 1000)
            for a in trace.attribution.acquisitions
            if a.complete
        ]
        if len(holds) >= asked.acquisitions or rows >= _MOST_ROWS:
            return sorted(holds, key=lambda h: h.got)[: asked.acquisitions]
        rows *= 2


def _events(hold: _Hold, again: int, draw: random.Random) -> Iterable[Event]:
    """A hold's events, with a nested acquisition in some of them."""
    yield Event(hold.want, hold.cpu, "want")
    yield Event(hold.got, hold.cpu, "got")
    if draw.randrange(100) < again:
        for quarter, what in enumerate(("want", "got", "free"), start=1):
            yield Event(_inside(hold, quarter), hold.cpu, what)
    yield Event(hold.free, hold.cpu, "free")


def _inside(hold: _Hold, quarters: int) -> int:
    return hold.got + (hold.free - hold.got) * quarters // 4
