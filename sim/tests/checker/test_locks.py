"""Every lock of the library is proven under each memory model that it claims."""

import pytest

from locksim.checker import Budget, check_lock
from locksim.lang.struct import Lock, ReadCopyUpdate, RWLock, SeqLock
from locksim.registry import entries

LOCKS = [e for e in entries() if issubclass(e.struct, Lock | RWLock | SeqLock | ReadCopyUpdate)]


SIZES = [(2, 2), (3, 1)]
SLOW = {("rcu", "c11", 3), ("lockref", "c11", 3)}

CLAIMS = [
    pytest.param(
        entry,
        memory,
        threads,
        rounds,
        id=f"{entry.name}-{memory}-{threads}",
        marks=[pytest.mark.slow] if (entry.name, memory, threads) in SLOW else [],
    )
    for entry in LOCKS
    for memory in entry.struct.MODELS
    for threads, rounds in SIZES
]


@pytest.mark.parametrize(("entry", "memory", "threads", "rounds"), CLAIMS)
def test_lock_is_proven(entry, memory, threads, rounds):
    """Exclusion, progress and the count hold in every interleaving, whatever the buffers' size."""
    budget = Budget(buffer_entries=16, history=40)
    verdict = check_lock(entry.struct, threads=threads, rounds=rounds, memory=memory, budget=budget)
    assert ("proven", []) == (verdict.verdict, verdict.limits)


def test_there_are_locks():
    """The registry gives the ones that this test is about."""
    assert {"tas", "ttas", "ticket", "mcs", "rwlock", "seqlock", "lockref", "qspinlock"} <= {
        e.name for e in LOCKS
    }
