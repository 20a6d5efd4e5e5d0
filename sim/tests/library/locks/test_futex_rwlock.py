"""The rwlock of one futex: waiters sleep, readers overtake a writer that does, all are woken."""

import pytest

from locksim import simulate
from locksim.checker import check_lock
from locksim.lang import RELAXED, Workload, cpu, part, pause, word
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.futex_rwlock import FutexRWLock
from locksim.library.workloads.readers_writers import ReadersWriters


class LateReader(Workload):
    """Thread 0 reads until thread 2 reads too, which comes when the writer has gone to sleep."""

    lock = part(FutexRWLock)
    late = word()

    def thread(self):
        if cpu() == 1:
            while (yield self.lock.futex.value.load(RELAXED)) == 0:
                yield pause()
            yield from self.lock.write_acquire()
            yield from self.lock.write_release()
            return
        if cpu() == 2:
            while (yield self.lock.waiters.load(RELAXED)) == 0:
                yield pause()
        yield from self.lock.read_acquire()
        if cpu() == 2:
            yield self.late.store(1)
        while (yield self.late.load(RELAXED)) == 0:
            yield pause()
        yield from self.lock.read_release()


@pytest.mark.parametrize("seed", range(5))
def test_a_late_reader_overtakes_a_sleeping_writer(interleave, seed):
    """Otherwise both readers would wait for ever."""
    run = interleave(LateReader(), 3, seed)
    own = [(t, mark) for t, mark, subject in run.log if subject == int(run.root.lock)]
    assert own.index((2, Mark.READ_ACQUIRED)) < own.index((1, Mark.ACQUIRED))
    assert 0 == run.word(run.root.lock.futex.value) == run.word(run.root.lock.waiters)


@pytest.mark.slow
def test_two_threads_are_proven_under_c11():
    """Three are too many for the memory that a check may take."""
    assert check_lock(FutexRWLock, threads=2, memory="c11").is_proof()


class OneOfEach(Workload):
    """Read, then write."""

    lock = part(FutexRWLock)

    def thread(self):
        yield from self.lock.read_acquire()
        yield from self.lock.read_release()
        yield from self.lock.write_acquire()
        yield from self.lock.write_release()


def test_an_uncontended_lock_makes_no_call(interleave):
    """One thread alone changes the word twice for each section, and touches no queue."""
    run = interleave(OneOfEach(), 1, 0)
    lock = run.root.lock
    changes = [op.kind for _, op in run.performed if op.kind not in (Kind.LOAD, Kind.MARK)]
    assert [*[Kind.COMPARE_SWAP] * 3, Kind.SWAP] == changes
    used = {int(lock.futex.value), int(lock.waiters)}
    assert used == {op.address for _, op in run.performed if op.kind != Kind.MARK}


def test_waiters_sleep():
    """Readers and writers together: CPUs sleep, and no two of them are in that must not be."""
    run = simulate(ReadersWriters(lock=FutexRWLock), cpus=4, operations=40, replications=1)
    assert run.per_second("blocks").mean > 0
    assert 0 == run.violations()
