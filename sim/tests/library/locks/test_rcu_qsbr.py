"""RCU by quiescent states: nothing is freed too early, updaters do not wait for each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.checker import check_lock
from locksim.lang import ACQUIRE, RELAXED, RELEASE, cpu, n_cpus, pause
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.rcu import RCU
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.workloads.rcu_readers import Box, RcuReaders

BOTH = [QSBR, RCU]


@pytest.mark.parametrize("lock", BOTH)
@given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_nobody_holds_a_freed_box(interleave, lock, n_threads, seed):
    """Readers look into live boxes only, and there are never more than one and those that wait."""
    load = RcuReaders(lock=lock, read_percent=60, think_ps=0)
    run = interleave(load, n_threads, seed, types=(Box,), steps=4000, finite=False)
    assert 1 <= 1 + run.live_objects <= 1 + n_threads + 1
    assert 0 < len(run.marks(Mark.DONE))


def test_readers_write_nothing(interleave):
    """A reader loads two words; its quiescent state two more."""
    load = RcuReaders(read_percent=100, think_ps=0)
    run = interleave(load, 3, 1, types=(Box,), steps=2000, finite=False)
    assert {Kind.LOAD, Kind.FENCE, Kind.COMPUTE} == {op.kind for _, op in run.performed}


class DoesNotWait(QSBR):
    """Wrong: a grace period is over at once."""

    def synchronize_rcu(self):
        yield from self.quiescent()


class StaysOnline(QSBR):
    """Wrong: an updater that waits for the lock holds up the one that has it."""

    def synchronize_rcu(self):
        yield from self.lock.acquire()
        current = yield self.current.load(RELAXED)
        yield self.current.store(current + 1, RELEASE)
        yield self.seen[cpu()].store(current + 1, RELEASE)
        for i in range(n_cpus()):
            while True:
                seen = yield self.seen[i].load(ACQUIRE)
                if seen == 0 or seen == current + 1:
                    break
                yield pause()
        yield from self.lock.release()


class ForgetsTheLast(QSBR):
    """Wrong: a CPU's quiescent state counts for the grace period after the one that it saw, too."""

    def quiescent(self):
        current = yield self.current.load(ACQUIRE)
        yield self.seen[cpu()].store(current + 1, RELEASE)


class NoFence(QSBR):
    """Wrong on a machine with store buffers: announces itself, but reads before that is seen."""

    def online(self):
        current = yield self.current.load(RELAXED)
        yield self.seen[cpu()].store(current, RELAXED)


WRONG = [(DoesNotWait, "memory", "sc"), (StaysOnline, "deadlock", "sc"), (NoFence, "memory", "tso")]


@pytest.mark.parametrize(("lock", "found", "memory"), WRONG)
def test_wrong_ones_are_caught(lock, found, memory):
    """By the checker, with two threads that replace and read in turns."""
    verdict = check_lock(lock, threads=2, rounds=2, memory=memory)
    assert ("violated", found) == (verdict.verdict, verdict.found)


def test_a_number_from_the_future_is_caught():
    """It takes a second replacement to see it."""
    verdict = check_lock(ForgetsTheLast, threads=2, rounds=2)
    assert "violated" == verdict.verdict
