"""Every lock of the library is proven under each memory model that it claims."""

import pytest

from locksim.checker import check_lock
from locksim.lang.struct import Lock, ReadCopyUpdate, RWLock, SeqLock
from locksim.registry import entries

LOCKS = [e for e in entries() if issubclass(e.struct, Lock | RWLock | SeqLock | ReadCopyUpdate)]


CLAIMS = [(entry, memory) for entry in LOCKS for memory in entry.struct.MODELS]


@pytest.mark.parametrize(("threads", "rounds"), [(2, 2), (3, 1)])
@pytest.mark.parametrize(("entry", "memory"), CLAIMS, ids=[f"{e.name}-{m}" for e, m in CLAIMS])
def test_lock_is_proven(entry, memory, threads, rounds):
    """Exclusion, progress and the count hold in every interleaving, whatever the buffers' size."""
    verdict = check_lock(entry.struct, threads=threads, rounds=rounds, memory=memory)
    assert ("proven", []) == (verdict.verdict, verdict.limits)


def test_there_are_locks():
    """The registry gives the ones that this test is about."""
    assert {"tas", "ttas", "ticket", "mcs", "rwlock", "seqlock", "lockref", "qspinlock"} <= {
        e.name for e in LOCKS
    }
