"""The load that ``locklab run`` and ``locklab sweep`` put on a lock, cache or scheduler.

A user's own ``Workload`` is its own load.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim.lang.struct import (
    CountedRef,
    DecisionCache,
    Lock,
    ReadCopyUpdate,
    RWLock,
    SeqLock,
    SleepableRCU,
    Struct,
    Workload,
)
from locksim.library.registry import resolve

if TYPE_CHECKING:
    from locksim.study.simulation import Simulation

__all__ = ["LoadError", "Rhythm", "patience_ps", "violations", "workload_for"]

#: Longest time that a load may ask for: far above any critical section, and its sums fit 64 bits.
LONGEST_NS = 10**9
# What a hand-over may take per CPU that waits, generously, before it counts as stuck.
_HAND_OVER_PS = 10 * 10**6
# What all hand-overs together may take; a storm on hundreds of CPUs is slow, but not slower.
_STORM_PS = 10**13
# Units of work that the warm-up takes on each CPU (see `simulate`), ten times over.
_UNITS = 10 * 20

MOST_WORDS = 64
LARGEST_BURST = 1000
MOST_TASKS = 1 << 16


class LoadError(Exception):
    """A struct that none of the plain loads fits, or a load that makes no sense."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When CPUs ask, and how times vary: words for what :mod:`locksim.library.workloads.paced` has.

    Arguments:
        arrivals: ``closed`` or ``open``. burst: sections that come together, 1 to 1,000.
        hold_times, think_times: ``constant``, ``exponential``, ``uniform`` or ``bimodal``.
    """

    arrivals: str = "closed"
    burst: int = 1
    hold_times: str = "constant"
    think_times: str = "exponential"

    def settings(self) -> dict[str, int]:
        """The settings of a ``Paced`` workload.

        Raises:
            LoadError: a word that is not known, or a burst out of range.
        """
        from locksim.library.workloads import paced

        arrivals = {"closed": paced.CLOSED, "open": paced.OPEN}
        times = {
            "constant": paced.CONSTANT,
            "exponential": paced.EXPONENTIAL,
            "uniform": paced.UNIFORM,
            "bimodal": paced.BIMODAL,
        }
        if not 1 <= self.burst <= LARGEST_BURST:
            raise LoadError(f"--burst {self.burst}: give a number from 1 to {LARGEST_BURST:,}")
        return {
            "arrivals": _number("--arrivals", self.arrivals, arrivals),
            "burst": self.burst,
            "hold_times": _number("--hold-times", self.hold_times, times),
            "think_times": _number("--think-times", self.think_times, times),
        }


PLAIN = Rhythm()
"""A closed load: holds all equal, thinking exponential."""


def workload_for(
    name: str,
    hold_ns: int,
    think_ns: int,
    read_percent: int,
    words: int = 1,
    tasks: int = 16,
    rhythm: Rhythm = PLAIN,
) -> Workload:
    """The workload for a lock, cache or scheduler.

    Arguments:
        name: of the library, or ``FILE.py:CLASS``; a ``Workload`` is run as it is.
        hold_ns: time inside the critical section, 0 to 10^9.
        think_ns: mean time between two, 0 to 10^9.
        read_percent: share of readers, for reader-writer locks, sequence locks and RCU.
        words: shared words that a critical section reads or counts up, 0 to 64 (counted
            references and RCU have none).
        tasks: for schedulers, 1 to 65,536; each works for think_ns, and wakes the next in its ring.
        rhythm: of the sections; the loads of caches and schedulers have one of their own.

    Raises:
        UnknownNameError, CompileError: see :func:`locksim.library.registry.resolve`.
        LoadError: no plain load fits, or a number is out of range.
    """
    from locksim.lang import NS
    from locksim.library.avc.avc_of import AvcOf
    from locksim.library.kernel.netlabel import NetLabel
    from locksim.library.schedulers.interface import Scheduler
    from locksim.library.workloads.counted_ref import CountedRefs
    from locksim.library.workloads.critical_section import CriticalSection
    from locksim.library.workloads.label_lookups import LabelLookups
    from locksim.library.workloads.rcu_readers import RcuReaders
    from locksim.library.workloads.rcutest import RcuTest
    from locksim.library.workloads.readers_writers import ReadersWriters
    from locksim.library.workloads.sequence_readers import SequenceReaders
    from locksim.library.workloads.srcu_readers import SrcuReaders
    from locksim.library.workloads.token_ring import TokenRing

    for option, time_ns in (("--hold", hold_ns), ("--think", think_ns)):
        if not 0 <= time_ns <= LONGEST_NS:
            raise LoadError(f"{option} {time_ns}: give a time from 0 to {LONGEST_NS:,} ns")
    if not 0 <= read_percent <= 100:
        raise LoadError(f"--read-percent {read_percent}: give a share from 0 to 100")
    if not 0 <= words <= MOST_WORDS:
        raise LoadError(f"--words {words}: give a number from 0 to {MOST_WORDS}")
    if not 1 <= tasks <= MOST_TASKS:
        raise LoadError(f"--tasks {tasks}: give a number from 1 to {MOST_TASKS:,}")
    entry = resolve(name)
    times = {"hold_ps": hold_ns * NS, "think_ps": think_ns * NS, **rhythm.settings()}
    if issubclass(entry.struct, CountedRef):
        return CountedRefs(lock=entry.struct, **times)
    if issubclass(entry.struct, Lock):
        return CriticalSection(lock=entry.struct, words=words, **times)
    if issubclass(entry.struct, RWLock | SeqLock):
        load = ReadersWriters if issubclass(entry.struct, RWLock) else SequenceReaders
        return load(lock=entry.struct, read_percent=read_percent, words=words, **times)
    if issubclass(entry.struct, ReadCopyUpdate):
        return RcuReaders(lock=entry.struct, read_percent=read_percent, **times)
    if issubclass(entry.struct, SleepableRCU):
        return SrcuReaders(lock=entry.struct, read_percent=read_percent, **times)
    if rhythm != PLAIN:
        raise LoadError(
            f"{name}: --arrivals, --burst, --hold-times and --think-times are for locks; the load "
            "of a cache or scheduler has a rhythm of its own\nhelp: leave them out"
        )
    if issubclass(entry.struct, Workload):
        return entry.struct()
    if issubclass(entry.struct, Scheduler):
        return TokenRing(scheduler=entry.struct, tasks=tasks, work_ps=think_ns * NS)
    decides = issubclass(entry.struct, DecisionCache)
    if decides or "has_perm" in entry.compiled().methods:
        if think_ns < 1:
            raise LoadError(
                f"--think {think_ns}: a cache's load needs at least 1 ns between checks"
            )
        jitter = think_ns * NS // 10
        cache: Struct | type[Struct] = AvcOf(cache=entry.struct) if decides else entry.struct
        return RcuTest(cache=cache, other_ps=think_ns * NS, jitter_ps=jitter)
    if "label_put" in entry.compiled().methods:
        labels = NetLabel(cache=entry.struct, option_ps=NS, translate_ps=times["hold_ps"])
        return LabelLookups(labels=labels, other_ps=max(times["think_ps"], 1))
    raise LoadError(
        f"{name} is no Lock, RWLock, SeqLock, ReadCopyUpdate, SleepableRCU, DecisionCache or "
        "Scheduler, and no cache with has_perm(): "
        "write a Workload for it, and name that: FILE.py:CLASS"
    )


def _number(option: str, word: str, known: dict[str, int]) -> int:
    if word not in known:
        raise LoadError(f"{option} {word}: there are {', '.join(known)}")
    return known[word]


def patience_ps(workload: Workload, cpus: int, hold_ns: int, think_ns: int) -> int:
    """How long a load may take to warm up before it counts as a livelock, in picoseconds.

    Without a bound that suits the load a lock that lets nobody in would spin for ten simulated
    seconds, which is minutes of ours. The warm-up takes 20 critical sections on each CPU; ten
    times that is granted, one after the other, each with a hand-over of 10 us per CPU that waits.

    Arguments:
        workload: one of this module's; of any other nobody knows how long a unit of work takes.
        cpus: how many take part.
        hold_ns, think_ns: of the load.
    """
    from locksim.library.workloads.label_lookups import LabelLookups
    from locksim.library.workloads.paced import Paced
    from locksim.library.workloads.rcutest import RcuTest
    from locksim.library.workloads.token_ring import TokenRing
    from locksim.study.simulation import LONGEST_PS

    if not isinstance(workload, Paced | RcuTest | LabelLookups | TokenRing):
        return LONGEST_PS
    sections = _UNITS * cpus
    return sections * (hold_ns + think_ns) * 1000 + min(_STORM_PS, sections * cpus * _HAND_OVER_PS)


def violations(result: Simulation) -> int:
    """How often a lock was entered while another thread was in that excludes it."""
    table = result.by_lock()
    return 0 if table.empty else int(table.groupby("lock")["violations"].max().sum())
