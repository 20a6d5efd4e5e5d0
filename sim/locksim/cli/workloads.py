"""The loads of ``locklab run`` and ``locklab sweep`` for locks, decision caches and schedulers.

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

__all__ = ["LoadError", "Rhythm", "livelock_limit_ps", "violations", "workload_for"]

#: Longest time of a load: far above any critical section, and its sums fit 64 bits.
LONGEST_NS = 10**9
# Time granted to a handoff, per waiting CPU, before it counts as stuck.
_HANDOFF_PS = 10 * 10**6
# Time granted to all handoffs together, enough for a storm on hundreds of CPUs.
_STORM_PS = 10**13
# Ten times the units of work of the warm-up on each CPU (see `simulate`).
_UNITS = 10 * 20

MOST_WORDS = 64
LARGEST_BURST = 1000
MOST_TASKS = 1 << 16


class LoadError(Exception):
    """No plain load fits the struct, or a setting of the load is out of range."""

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
        """Return the settings of a ``Paced`` workload.

        Raises:
            LoadError: a word is unknown, or the burst is out of range.
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
            raise LoadError(f"--burst must be between 1 and {LARGEST_BURST:,} (got {self.burst})")
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
    """Return the workload for a lock, decision cache or scheduler.

    Arguments:
        name: a library name, or ``FILE.py:CLASS``; a ``Workload`` is run as it is.
        hold_ns: time inside the critical section, 0 to 10^9.
        think_ns: mean time between two, 0 to 10^9.
        read_percent: share of readers, for reader-writer locks, sequence locks and RCU.
        words: shared words that a critical section reads or increments, 0 to 64 (counted
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
            raise LoadError(f"{option} must be between 0 and {LONGEST_NS:,} ns (got {time_ns})")
    if not 0 <= read_percent <= 100:
        raise LoadError(f"--read-percent must be between 0 and 100 (got {read_percent})")
    if not 0 <= words <= MOST_WORDS:
        raise LoadError(f"--words must be between 0 and {MOST_WORDS} (got {words})")
    if not 1 <= tasks <= MOST_TASKS:
        raise LoadError(f"--tasks must be between 1 and {MOST_TASKS:,} (got {tasks})")
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
            f"{name}: --arrivals, --burst, --hold-times and --think-times are for locks only; "
            "the load of a decision cache or scheduler has fixed arrivals\nhelp: leave them out"
        )
    if issubclass(entry.struct, Workload):
        return entry.struct()
    if issubclass(entry.struct, Scheduler):
        return TokenRing(scheduler=entry.struct, tasks=tasks, work_ps=think_ns * NS)
    decides = issubclass(entry.struct, DecisionCache)
    if decides or "has_perm" in entry.compiled().methods:
        if think_ns < 1:
            raise LoadError(f"--think must be at least 1 ns for a decision cache (got {think_ns})")
        jitter = think_ns * NS // 10
        cache: Struct | type[Struct] = AvcOf(cache=entry.struct) if decides else entry.struct
        return RcuTest(cache=cache, other_ps=think_ns * NS, jitter_ps=jitter)
    if "label_put" in entry.compiled().methods:
        labels = NetLabel(cache=entry.struct, option_ps=NS, translate_ps=times["hold_ps"])
        return LabelLookups(labels=labels, other_ps=max(times["think_ps"], 1))
    raise LoadError(
        f"{name} is not a Lock, RWLock, SeqLock, ReadCopyUpdate, SleepableRCU, DecisionCache or "
        "Scheduler, and has no has_perm() as a cache does: "
        "write a Workload for it, and name the Workload: FILE.py:CLASS"
    )


def _number(option: str, word: str, known: dict[str, int]) -> int:
    if word not in known:
        raise LoadError(f"{option} {word}: write {', '.join(known)}")
    return known[word]


def livelock_limit_ps(workload: Workload, cpus: int, hold_ns: int, think_ns: int) -> int:
    """Return the livelock limit of a load: the longest warm-up, in picoseconds.

    Without such a limit, a lock that lets no thread in would spin for ten simulated seconds, which
    take minutes. The warm-up takes 20 critical sections on each CPU. The limit is ten times that,
    one section after the other, each with a handoff of 10 us per waiting CPU.

    Arguments:
        workload: one of this module's; for any other the length of a unit of work is unknown.
        cpus: number of CPUs.
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
    return sections * (hold_ns + think_ns) * 1000 + min(_STORM_PS, sections * cpus * _HANDOFF_PS)


def violations(result: Simulation) -> int:
    """Return how often a thread entered a lock in violation of mutual exclusion."""
    table = result.by_lock()
    return 0 if table.empty else int(table.groupby("lock")["violations"].max().sum())
