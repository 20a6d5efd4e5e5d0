"""With no shared words a workload is the lock's operations, hold and think, and nothing else.

The native harness runs the same loop, so that what is simulated can be compared with what is
measured.
"""

from itertools import groupby

import pytest

from locksim import simulate
from locksim.core.result import SimulationError
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.locks.seqlock_exclusive import ExclusiveReaderSeqLock
from locksim.library.workloads.blocking_readers import BlockingReaders
from locksim.library.workloads.counted_ref import CountedRefs
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.paced import CONSTANT
from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.library.workloads.sequence_readers import SequenceReaders

HOLD, THINK = 17, 23
TIMES = {"hold_ps": HOLD, "think_ps": THINK, "think_times": CONSTANT}
LOADS = [
    CriticalSection(words=0, **TIMES),
    ReadersWriters(words=0, read_percent=50, **TIMES),
    SequenceReaders(words=0, read_percent=50, **TIMES),
    BlockingReaders(words=0, read_percent=70, **TIMES),
    BlockingReaders(words=0, read_percent=70, lock=ExclusiveReaderSeqLock, **TIMES),
    CountedRefs(lock_percent=50, **TIMES),
    CountedRefs(lock=SpinlockRef, lock_percent=50, **TIMES),
]


@pytest.mark.parametrize("load", LOADS, ids=str)
def test_hold_and_think_alternate(interleave, load):
    """Alone, a thread computes hold and think in turns, with the lock's operations between."""
    run = interleave(load, 1, 1, steps=2000, finite=False)
    work = [op.a if op.kind == Kind.COMPUTE else 0 for _, op in run.performed][1:]
    turns = [value for value, _ in groupby(v for v in work if v)]
    assert len([v for v in work if v]) == len(turns)  # no two holds or thinks in a row
    assert {HOLD, THINK} == set(turns)
    assert len(turns) > 100


@pytest.mark.parametrize("load", LOADS, ids=str)
def test_only_the_lock_is_touched(interleave, load):
    """No word outside the lock is read or written."""
    run = interleave(load, 3, 1, steps=3000, finite=False)
    lock = int(run.root.lock)
    size = run.memory.space.layout(run.root.lock).size
    assert {True} == {lock <= op.address < lock + size for _, op in run.performed if op.address}


@pytest.mark.parametrize("load", LOADS, ids=str)
def test_throughput_is_one_section_in_each_loop(load):
    """One CPU alone: its loop takes hold, think, and some nanoseconds for the lock."""
    slow = type(load)(**{**load._params, "hold_ps": 500_000, "think_ps": 1_500_000}, lock=load.lock)
    loop_ps = simulate(slow, machine="desktop-4", cpus=1, replications=1).operation_ps().mean
    # The window cuts a loop at each end: of 200 loops one may be missing or too many.
    assert 1_980_000 < loop_ps < 2_100_000


def test_share_of_blocking_readers(interleave):
    """Of the readings as many block as asked for."""
    load = BlockingReaders(read_percent=100, blocking_percent=30)
    run = interleave(load, 1, 3, steps=20_000, finite=False)
    share = len(run.marks(Mark.READ_ACQUIRED)) / len(run.marks(Mark.DONE))
    assert abs(share / 2 - 0.3) < 0.05  # two marks each: the lock's and that of the rwlock in it


def test_counted_refs_end_where_they_began(interleave):
    """The object's count is 1, and one for each CPU that is between get and put."""
    run = interleave(CountedRefs(lock=Lockref, think_ps=0), 4, 2, steps=5000, finite=False)
    assert 1 <= run.word(run.root.lock.lock_count) >> 32 <= 5


@pytest.mark.parametrize("bad", [{"blocking_percent": 101}, {"blocking_percent": -1}])
def test_share_is_checked(interleave, bad):
    """An impossible share stops the run."""
    with pytest.raises((AssertionError, SimulationError)):
        interleave(BlockingReaders(**bad), 1, 0, steps=50, finite=False)
