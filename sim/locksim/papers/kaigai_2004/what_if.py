"""What-ifs of kaigai-2004: the 32-way machine of 2004 with other locks around its AVC.

The thread of 2004 went straight from one spinlock to RCU. Queue locks were known (Mellor-Crummey
and Scott, ACM TOCS 9(1), 1991), the kernel had big-reader locks (2.4, lib/brlock.c), and its ticket
lock (2.6.25) and queued spinlock (4.2) came later. Each what-if shows the table with one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache as once

from locksim import machine as machines
from locksim.lang import Struct
from locksim.library.avc.avc_rwlock import AvcRWLock
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.locks.brlock import BigReaderLock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.ticket import TicketLock
from locksim.machine import Machine
from locksim.papers.kaigai_2004.experiment import Work, inputs, wall_seconds
from locksim.papers.what_if import Comparison, Runs, what_if

CPUS = (4, 8, 16, 32)
OPERATIONS = 40


@what_if(
    "kaigai-2004-ticket",
    of="kaigai-2004",
    title="A ticket lock instead of the spinlock",
    change="the AVC's lock is the ticket lock of 2.6.25: fair, but each release makes all re-read",
)
def ticket(runs: Runs) -> Iterator[Comparison]:
    """Simulate the spinlock's row with a ticket lock."""
    return _compare(runs, "spinlock", _spinlock(TicketLock))


@what_if(
    "kaigai-2004-mcs",
    of="kaigai-2004",
    title="An MCS lock instead of the spinlock",
    change="the AVC's lock is a queue in which each waiter spins on a line of its own",
)
def mcs(runs: Runs) -> Iterator[Comparison]:
    """Simulate the spinlock's row with an MCS lock."""
    return _compare(runs, "spinlock", _spinlock(MCSLock))


@what_if(
    "kaigai-2004-qspinlock",
    of="kaigai-2004",
    title="Linux's queued spinlock instead of the spinlock",
    change="the AVC's lock is the queued spinlock of 4.2: MCS behind one word",
)
def qspinlock(runs: Runs) -> Iterator[Comparison]:
    """Simulate the spinlock's row with a queued spinlock."""
    return _compare(runs, "spinlock", _spinlock(QueuedSpinlock))


@what_if(
    "kaigai-2004-brlock",
    of="kaigai-2004",
    title="A big-reader lock instead of the rwlock",
    change="the AVC's rwlock has a line for each CPU, as 2.4's lib/brlock.c: readers share none",
)
def brlock(runs: Runs) -> Iterator[Comparison]:
    """Simulate the rwlock's row with a big-reader lock; the stores of ``used`` stay."""
    return _compare(runs, "rwlock", AvcRWLock(lock=BigReaderLock, store_used=1, **_work().check()))


@what_if(
    "kaigai-2004-brlock-looks",
    of="kaigai-2004",
    title="A big-reader lock, and a test before the store of used",
    change="as kaigai-2004-brlock, and a hit stores used = 1 only if it is not 1 yet",
)
def brlock_looks(runs: Runs) -> Iterator[Comparison]:
    """Simulate the rwlock's row with neither of the two bouncing lines."""
    return _compare(runs, "rwlock", AvcRWLock(lock=BigReaderLock, store_used=0, **_work().check()))


@once
def _profile() -> Machine:
    return machines.load("itanium2-32")


@once
def _work() -> Work:
    return inputs(_profile())


def _spinlock(lock: type[Struct]) -> Struct:
    return AvcSpinlock(lock=lock, store_used=1, **_work().check())


def _compare(runs: Runs, kernel: str, changed: Struct) -> Iterator[Comparison]:
    """Wall time of a kernel's row, with the original and with another cache."""
    for i, n in enumerate(CPUS):
        runs.report(f"{kernel} on {n} CPUs", i / len(CPUS))
        before, after = (
            wall_seconds(
                _profile(),
                kernel,
                n,
                _work(),
                operations=OPERATIONS,
                replications=runs.replications,
                seed=runs.seed,
                cache_=cache_,
            )
            for cache_ in (None, changed)
        )
        yield Comparison(kernel, f"{n} CPUs", before, after, "s", "lower")
