"""The test of the test: the random driver must catch programs that are wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import ViolationError

from locksim.lang import (
    NULL,
    Lock,
    RWLock,
    Struct,
    Workload,
    alloc,
    block,
    free,
    part,
    pause,
    pointer,
    thread,
    wake,
    word,
)

SEEDS = range(20)


class LeakyLock(Lock):
    """Looks first and takes afterwards, in two operations."""

    locked = word()

    def acquire(self):
        while (yield self.locked.load()) != 0:
            yield pause()
        yield self.locked.store(1)

    def release(self):
        yield self.locked.store(0)


class HastyRWLock(RWLock):
    """A reader that does not look whether a writer is in."""

    state = word()

    def read_acquire(self):
        yield self.state.fetch_add(1)

    def read_release(self):
        yield self.state.fetch_add(-1)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, 1 << 62)) != 0:
            yield pause()

    def write_release(self):
        yield self.state.fetch_add(-(1 << 62))


class Twice(Workload):
    """Takes a lock twice."""

    lock = part(LeakyLock)

    def thread(self):
        for _ in range(2):
            yield from self.lock.acquire()
            yield from self.lock.release()


class ReadAndWrite(Workload):
    """Thread 0 writes, the others read."""

    lock = part(HastyRWLock)

    def thread(self):
        for _ in range(5):
            if thread() == 0:
                yield from self.lock.write_acquire()
                yield from self.lock.write_release()
            else:
                yield from self.lock.read_acquire()
                yield from self.lock.read_release()


class Box(Struct):
    """Something to allocate."""

    value = word()


class UseAfterFree(Workload):
    """Reads a box that it has freed."""

    def thread(self):
        box = yield alloc(Box)
        yield free(box)
        yield box.value.load()


class FreeTwice(Workload):
    """Frees a box twice."""

    def thread(self):
        box = yield alloc(Box)
        yield free(box)
        yield free(box)


class ThroughNull(Workload):
    """Follows a pointer to nothing."""

    first = pointer(Box)

    def thread(self):
        box = yield self.first.load()
        yield box.value.store(1)


class SleepForEver(Workload):
    """Nobody wakes anybody."""

    def thread(self):
        yield block()


class SpinForEver(Workload):
    """Waits for what nobody does."""

    flag = word()

    def thread(self):
        while (yield self.flag.load()) == 0:
            yield pause()


class WakeEarly(Workload):
    """The wake-up may come before the sleep: it is kept as a permit."""

    def thread(self):
        if thread() == 0:
            yield block()
        else:
            yield wake(0)


class Empty(Workload):
    """Allocates where nothing is left."""

    def thread(self):
        box = yield alloc(Box)
        assert box == NULL


@pytest.mark.parametrize("workload", [Twice, ReadAndWrite])
def test_broken_lock_is_caught(interleave, workload):
    """A lock that lets two in is found by many schedules."""
    caught = 0
    for seed in SEEDS:
        try:
            interleave(workload(), 4, seed)
        except ViolationError:
            caught += 1
    assert caught >= len(SEEDS) // 4


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        (UseAfterFree, "LOAD of dead memory"),
        (FreeTwice, "no live object"),
        (ThroughNull, "STORE of dead memory"),
        (SleepForEver, "nobody is left to wake"),
        (SpinForEver, "have not ended"),
    ],
)
def test_misuse_is_caught(interleave, workload, message):
    """Dead memory, sleep without end and loops without end are reported as such."""
    with pytest.raises(ViolationError, match=message):
        interleave(workload(), 2, 1, types=(Box,), steps=1000)


@given(seed=st.integers(0, 2**32))
def test_wake_is_never_lost(interleave, seed):
    """A wake-up before the sleep lets the sleeper through."""
    assert interleave(WakeEarly(), 2, seed).steps > 0


def test_no_memory(interleave):
    """Where memory is out an allocation gives NULL."""
    assert interleave(Empty(), 1, 0, types=(Box,), no_memory=True).live_objects == 0


def test_same_seed_same_run(interleave):
    """A run is a function of its seed, and another seed gives another order."""
    orders = [interleave(Twice(), 1, seed).log for seed in (1, 1)]
    assert orders[0] == orders[1]
    mixed = [interleave(WakeEarly(), 2, seed).performed for seed in range(8)]
    assert len({tuple(t for t, _ in run) for run in mixed}) > 1
