"""Workloads for everything in the library, for comparing the engines on them.

What an entry of the registry is run with follows from what it is: a ``Lock``, a ``CountedRef``, an
``RWLock``, a ``SeqLock``, a ``ReadCopyUpdate``, a ``SleepableRCU``, a ``Scheduler`` or a cache;
``OTHERS`` names what is to be run besides. So a new lock is covered by itself.
"""

from __future__ import annotations

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    CountedRef,
    DecisionCache,
    Lock,
    ReadCopyUpdate,
    RWLock,
    SeqLock,
    SleepableRCU,
    Struct,
    Workload,
    alloc,
    compute,
    cpu,
    done,
    param,
    part,
    pause,
    pointer,
    random_below,
    word,
)
from locksim.library.avc.avc_of import AvcOf
from locksim.library.avc.cipso import Cipso
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.locks.rcu import RCU, RcuHead
from locksim.library.locks.ttas import TTASLock
from locksim.library.registry import Entry
from locksim.library.schedulers.interface import Scheduler
from locksim.library.schedulers.pinned import Pinned
from locksim.library.workloads.avc_mix import AvcMix
from locksim.library.workloads.blocking_readers import BlockingReaders
from locksim.library.workloads.counted_ref import CountedRefs
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.label_lookups import LabelLookups
from locksim.library.workloads.rcu_readers import RcuReaders
from locksim.library.workloads.rcutest import RcuTest
from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.library.workloads.sequence_readers import SequenceReaders
from locksim.library.workloads.srcu_readers import SrcuReaders
from locksim.library.workloads.token_ring import TokenRing


class Tries(Workload):
    """A lock taken by trying, and by acquire where the try has failed twice."""

    think_ps = param(1000)
    lock = part(TTASLock, padded=True)
    count = word()

    def thread(self):
        while True:
            yield compute(random_below(self.think_ps) + 1)
            if not (yield from self.lock.try_acquire()):
                yield pause()
                if not (yield from self.lock.try_acquire()):
                    yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()
            yield done()


class Box(Struct):
    """An object under RCU."""

    rcu = part(RcuHead)
    value = word()


class Published(Workload):
    """One pointer that everybody reads, and that CPU 0 replaces now and then."""

    think_ps = param(1000)
    rcu = part(RCU)
    shared = pointer(Box, padded=True)

    def setup(self):
        box = yield alloc(Box)
        yield self.shared.store(box)

    def thread(self):
        while True:
            yield compute(random_below(self.think_ps) + 1)
            if cpu() == 0:
                new = yield alloc(Box)
                old = yield self.shared.load(RELAXED)
                yield new.value.store(7, RELAXED)
                yield self.shared.store(new, RELEASE)
                yield from self.rcu.call_rcu(old.rcu)
            else:
                yield from self.rcu.read_lock()
                box = yield self.shared.load(ACQUIRE)
                yield box.value.load(RELAXED)
                yield from self.rcu.read_unlock()
            yield from self.rcu.quiescent()
            yield done()


OTHERS: dict[str, type[Workload]] = {"rcu": Published}
"""Further workloads: entries of the registry by name."""


def workloads_of(entry: Entry, think_ps: int) -> list[Workload]:
    """What to run an entry with.

    Arguments:
        entry: of the registry.
        think_ps: picoseconds between two uses of the lock or cache.

    Raises:
        KeyError: the entry is no lock, cache or scheduler, and ``OTHERS`` does not name it.
    """
    struct = entry.struct
    if issubclass(struct, Lock):
        found: list[Workload] = [CriticalSection(lock=struct, think_ps=think_ps, words=2)]
        if hasattr(struct, "try_acquire"):
            found.append(Tries(lock=struct, think_ps=think_ps))
        if issubclass(struct, CountedRef):
            found.append(CountedRefs(lock=struct, think_ps=think_ps, lock_percent=20))
        return found
    if issubclass(struct, RWLock):
        return [ReadersWriters(lock=struct, think_ps=think_ps, read_percent=70)]
    if issubclass(struct, SeqLock):
        if hasattr(struct, "read_acquire"):
            return [BlockingReaders(lock=struct, think_ps=think_ps, read_percent=70)]
        return [SequenceReaders(lock=struct, think_ps=think_ps, read_percent=70)]
    if issubclass(struct, ReadCopyUpdate):
        load = RcuReaders(lock=struct, think_ps=think_ps, read_percent=80)
        return [load, OTHERS[entry.name](think_ps=think_ps)] if entry.name in OTHERS else [load]
    if issubclass(struct, SleepableRCU):
        return [SrcuReaders(lock=struct, think_ps=think_ps, read_percent=80)]
    if issubclass(struct, Cipso):
        labels = NetLabel(cache=struct(), option_ps=think_ps // 10, translate_ps=think_ps)
        return [LabelLookups(labels=labels, other_ps=think_ps, n_labels=6)]
    if issubclass(struct, Scheduler):
        tasks = 1 if struct is Pinned else 5
        return [TokenRing(scheduler=struct, tasks=tasks, work_ps=think_ps)]
    if entry.kind == "cache":
        # A miss asks the security server, which is quick here, so that more happens.
        if issubclass(struct, DecisionCache):
            cache = AvcOf(cache=struct, security_server_ps=think_ps, reclaim_every=2)
        else:
            quick = "security_server_ps" in struct.FIELDS
            cache = struct(security_server_ps=think_ps) if quick else struct()
        mix = AvcMix(cache=cache, other_ps=think_ps, n_keys=8, updates_per_thousand=100)
        return [RcuTest(cache=cache, other_ps=think_ps, jitter_ps=think_ps // 10), mix]
    return [OTHERS[entry.name](think_ps=think_ps)]
