"""Every lock of the library is proven for two and three threads under both memory models."""

import pytest

from locksim.checker import check_lock
from locksim.lang.struct import Lock, ReadCopyUpdate, RWLock, SeqLock
from locksim.registry import entries

LOCKS = [e for e in entries() if issubclass(e.struct, Lock | RWLock | SeqLock | ReadCopyUpdate)]


@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize(("threads", "rounds"), [(2, 2), (3, 1)])
@pytest.mark.parametrize("entry", LOCKS, ids=[e.name for e in LOCKS])
def test_lock_is_proven(entry, threads, rounds, memory):
    """Exclusion, progress and the count hold in every interleaving, whatever the buffers' size."""
    verdict = check_lock(entry.struct, threads=threads, rounds=rounds, memory=memory)
    assert ("proven", []) == (verdict.verdict, verdict.limits)


def test_there_are_locks():
    """The registry gives the ones that this test is about."""
    assert {"tas", "ttas", "ticket", "mcs", "rwlock", "seqlock", "lockref", "qspinlock"} <= {
        e.name for e in LOCKS
    }
