"""Sleepable RCU: nothing is freed too early, whoever sleeps; what each barrier is there for."""

import pytest
from engine.engine_pair import compare, run_pair
from hypothesis import given
from hypothesis import strategies as st
from tiny_machine import tables

from locksim.checker import check_lock, check_workload
from locksim.core.result import RunResult, SimulationError
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.kinds.srcu import ReplacingAmongSleepers
from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    RELAXED,
    RELEASE,
    SEQ_CST,
    Workload,
    alloc,
    compute,
    cpu,
    fence,
    free,
    n_cpus,
    param,
    part,
    pause,
    pointer,
    thread,
    word,
)
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.srcu import SRCU
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import INTERRUPTIBLE, WaitQueue
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.library.workloads.rcu_readers import Box
from locksim.library.workloads.srcu_readers import SrcuReaders

# Right


@given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_nobody_holds_a_freed_box(interleave, n_threads, seed):
    """Readers look into live boxes only, and there are never more than one and those that wait."""
    load = SrcuReaders(read_percent=60, think_ps=0)
    run = interleave(load, n_threads, seed, types=(Box,), steps=4000, finite=False)
    assert 1 <= 1 + run.live_objects <= 1 + n_threads + 1
    assert 0 < len(run.marks(Mark.DONE))


def test_a_reader_writes_two_counts_of_its_cpu_and_fences_twice(interleave):
    """Where nobody waits, readers share nothing that is written; every count out has its in."""
    load = SrcuReaders(read_percent=100, think_ps=0)
    run = interleave(load, 3, 1, types=(Box,), steps=2000, finite=False)
    for me in range(3):
        mine = run.root.lock.cpus[me]
        stores = [op.address for t, op in run.performed if t == me and op.kind == Kind.STORE]
        assert {int(mine.came[0]), int(mine.went[0])} == set(stores)
        assert run.word(mine.came[0]) - run.word(mine.went[0]) in (0, 1)
        fences = [op for t, op in run.performed if t == me and op.order == SEQ_CST]
        assert abs(len(fences) - len(stores)) <= 1


class TwoDomains(Workload):
    """CPU 0 stays in a reader of one domain until CPU 1 has waited for those of another."""

    one = part(SRCU)
    other = part(SRCU)
    inside = word()
    waited = word()

    def thread(self):
        if cpu() == 0:
            rank = yield from self.one.read_lock()
            yield self.inside.store(1)
            while not (yield self.waited.load(ACQUIRE)):
                yield pause()
            yield from self.one.read_unlock(rank)
        else:
            while not (yield self.inside.load(ACQUIRE)):
                yield pause()
            yield from self.other.synchronize_srcu()
            yield self.waited.store(1)
            yield from self.one.synchronize_srcu()


def test_a_domain_waits_for_its_own_readers(interleave):
    """Not for another's; for its own it does, since both threads end only in this order."""
    for seed in range(5):
        run = interleave(TwoDomains(), 2, seed)
        assert 1 == run.word(run.root.one.index)
        assert 1 == run.word(run.root.one.cpus[0].went[0])


# Readers that sleep


class Sleepers(Workload):
    """Readers sleep inside until a clock wakes them, while the box that they hold is replaced.

    Arguments:
        tasks: the first one replaces, the second is the clock, the others read.
        rounds: how often each replaces or reads.
    """

    tasks = param(6)
    rounds = param(4)
    scheduler = part(PerCpuQueues)
    srcu = part(SRCU)
    shared = pointer(Box, padded=True)
    lock = part(TTASLock, padded=True)
    ticks = word()
    queue = part(WaitQueue)
    slept = word(padded=True)
    moved = word()

    def setup(self):
        box = yield alloc(Box)
        yield box.value.store(1)
        yield self.shared.store(box)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        for _ in range(self.rounds):
            if thread() == n_cpus():
                yield from self.replace()
            elif thread() == n_cpus() + 1:
                yield from self.tick()
            else:
                yield from self.read()
            yield from self.scheduler.resched()
        yield from self.scheduler.exit()

    def tick(self):
        yield compute(50_000)
        yield from self.lock.acquire()
        ticks = yield self.ticks.load(RELAXED)
        yield self.ticks.store(ticks + self.tasks - 2, RELAXED)
        for _ in range(self.tasks - 2):
            yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
        yield from self.lock.release()

    def read(self):
        rank = yield from self.srcu.read_lock()
        box = yield self.shared.load(ACQUIRE)
        began_on = cpu()
        yield from self.lock.acquire()
        while not (yield self.ticks.load(RELAXED)):
            yield self.slept.fetch_add(1)
            yield from self.scheduler.wait(self.queue, self.lock)
        ticks = yield self.ticks.load(RELAXED)
        yield self.ticks.store(ticks - 1, RELAXED)
        yield from self.lock.release()
        assert (yield box.value.load(RELAXED)) == 1
        if cpu() != began_on:
            yield self.moved.fetch_add(1)
        yield from self.srcu.read_unlock(rank)

    def replace(self):
        yield compute(30_000)
        new = yield alloc(Box)
        yield new.value.store(1, RELAXED)
        old = yield self.shared.swap(new, ACQ_REL)
        yield from self.srcu.synchronize_srcu()
        yield free(old)


class DoesNotWait(SRCU):
    """Wrong: a grace period is over at once."""

    def synchronize_srcu(self):
        yield fence()


def ran(workload: Sleepers) -> tuple[RunResult, Sleepers]:
    """A run on three CPUs, and the workload's place in its memory."""
    image, memory = prepare(workload, tables(3), heap_lines=64)
    return fast.run(image, memory, tables(3), seed=1, until_ps=10**7), memory.root


@pytest.mark.parametrize("scheduler", [PerCpuQueues, LinuxTwoFour])
def test_readers_may_sleep_and_move(scheduler):
    """They look at their box after they slept, some on another CPU, and it is alive."""
    result, root = ran(Sleepers(scheduler=scheduler))
    assert 3 == result.finished
    assert result.memory[int(root.slept)] > 0
    assert result.memory[int(root.moved)] > 0
    for rank in (0, 1):
        cpus = [root.srcu.cpus[i] for i in range(3)]
        came, went = (
            [int(result.memory[int(counts[rank])]) for counts in side]
            for side in ([c.came for c in cpus], [c.went for c in cpus])
        )
        assert sum(came) == sum(went)


def test_without_a_grace_period_a_sleeper_finds_its_box_freed():
    """So the test before this one can fail."""
    with pytest.raises(SimulationError, match=r"in Sleepers\.read: use of memory"):
        ran(Sleepers(srcu=DoesNotWait))


# Two ranks


class Overlapping(Workload):
    """Two CPUs read in such a way that one of them is always inside, until CPU 2 has waited."""

    lock = part(SRCU)
    stop = word(padded=True)

    def thread(self):
        if cpu() == 2:
            yield compute(10_000)
            yield from self.lock.synchronize_srcu()
            yield self.stop.store(1)
            return
        yield compute(2_000 * cpu())
        while not (yield self.stop.load(RELAXED)):
            rank = yield from self.lock.read_lock()
            yield compute(4_000)
            yield from self.lock.read_unlock(rank)


class DoesNotFlip(SRCU):
    """Wrong: waits until there is no reader at all."""

    def synchronize_srcu(self):
        yield from self.lock.acquire()
        yield fence()
        yield from self.wait_for_readers(0)
        yield from self.lock.release()


@pytest.mark.parametrize(("lock", "ends"), [(SRCU, True), (DoesNotFlip, False)])
def test_readers_that_come_all_the_time_hold_nobody_up(lock, ends):
    """Since they enter the rank that is not waited for."""
    pair = run_pair(Overlapping(lock=lock), tables(3), seed=1, until_ps=200_000)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    assert ends == (3 == pair.expected.finished)


# Wrong ones


class WaitsOnce(SRCU):
    """Wrong: a reader that had read ``index`` long ago is in the rank that nobody looks at."""

    def synchronize_srcu(self):
        yield from self.lock.acquire()
        index = yield self.index.load(RELAXED)
        yield self.index.store(index + 1, RELEASE)
        yield fence()
        yield from self.wait_for_readers(index & 1)
        yield from self.lock.release()


class InBeforeOut(SRCU):
    """Wrong: who comes and goes between the two sums stands for one who is still inside."""

    def wait_for_readers(self, rank):
        while True:
            came = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].came[rank].load(RELAXED)
                came += count
            yield fence()
            went = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].went[rank].load(RELAXED)
                went += count
            if came == went:
                return
            yield pause()


class WithoutA(SRCU):
    """Wrong: the sums may be of different times, and readers' accesses after them."""

    def wait_for_readers(self, rank):
        while True:
            went = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].went[rank].load(RELAXED)
                went += count
            yield from self.between_sums()
            came = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].came[rank].load(RELAXED)
                came += count
            if came == went:
                return
            yield pause()

    def between_sums(self):
        yield pause()


class AcquiresAtA(WithoutA):
    """Wrong: orders the sums and what follows, but not the unlinking before the second sum."""

    def between_sums(self):
        yield fence(ACQUIRE)


class WithoutB(SRCU):
    """Wrong: the reader may read before others see that it is counted in."""

    def read_lock(self):
        index = yield self.index.load(RELAXED)
        came = self.cpus[cpu()].came[index & 1]
        count = yield came.load(RELAXED)
        yield came.store(count + 1, RELAXED)
        return index & 1


class WithoutC(SRCU):
    """Wrong: what the reader did may come after it was counted out."""

    def read_unlock(self, rank):
        went = self.cpus[cpu()].went[rank]
        count = yield went.load(RELAXED)
        yield went.store(count + 1, RELAXED)


class ReleasesAtC(SRCU):
    """Right by C11: a RELEASE of the count out, which costs nothing on x86."""

    def read_unlock(self, rank):
        went = self.cpus[cpu()].went[rank]
        count = yield went.load(RELAXED)
        yield went.store(count + 1, RELEASE)


WRONG = [
    (WaitsOnce, 3, 1, "sc", "memory"),
    (InBeforeOut, 3, 1, "sc", "memory"),
    (WithoutB, 2, 2, "tso", "memory"),
    (WithoutB, 2, 2, "c11", "memory"),
    (WithoutC, 2, 2, "c11", "race"),
    (WithoutA, 2, 2, "c11", "race"),
    (AcquiresAtA, 3, 1, "c11", "memory"),
]


@pytest.mark.parametrize(("lock", "threads", "rounds", "memory", "found"), WRONG)
def test_wrong_ones_are_caught(lock, threads, rounds, memory, found):
    """By the checker's own clients, each under the memory model that brings it out."""
    verdict = check_lock(lock, threads=threads, rounds=rounds, memory=memory)
    assert ("violated", found) == (verdict.verdict, verdict.found)


@pytest.mark.parametrize(
    ("lock", "memory"), [(WithoutB, "sc"), (WithoutC, "tso"), (WithoutA, "tso")]
)
def test_a_barrier_is_missed_only_where_the_machine_reorders(lock, memory):
    """Under SC none is, and under TSO neither A nor C."""
    assert check_lock(lock, threads=2, rounds=2, memory=memory).is_proof()


@pytest.mark.parametrize(("threads", "rounds"), [(2, 2), (3, 1)])
def test_a_release_would_do_for_c(threads, rounds):
    """Under C11, for the checker's clients. (Linux promises its callers a full fence there.)"""
    verdict = check_lock(ReleasesAtC, threads=threads, rounds=rounds, memory="c11")
    assert verdict.is_proof()


# Counts that wrap


class TwoBits(SRCU):
    """Counts of two bits, so that a few readers make them wrap."""

    def read_lock(self):
        index = yield self.index.load(RELAXED)
        came = self.cpus[cpu()].came[index & 1]
        count = yield came.load(RELAXED)
        yield came.store((count + 1) & 3, RELAXED)
        yield fence()
        return index & 1

    def read_unlock(self, rank):
        yield fence()
        went = self.cpus[cpu()].went[rank]
        count = yield went.load(RELAXED)
        yield went.store((count + 1) & 3, RELAXED)

    def wait_for_readers(self, rank):
        while True:
            went = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].went[rank].load(RELAXED)
                went += count
            yield fence()
            came = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].came[rank].load(RELAXED)
                came += count
            if (came - went) & 3 == 0:
                return
            yield pause()


class TwoBitsWithoutD(TwoBits):
    """Wrong: the sums may be made before anybody sees the flip."""

    def synchronize_srcu(self):
        yield from self.lock.acquire()
        index = yield self.index.load(RELAXED)
        yield from self.wait_for_readers(1 - (index & 1))
        yield self.index.store(index + 1, RELEASE)
        yield from self.wait_for_readers(index & 1)
        yield from self.lock.release()


class OneReadsOften(ReplacingAmongSleepers):
    """Thread 0 replaces the box, thread 1 looks into it, thread 2 does so three times."""

    lock = part(TwoBits)

    def thread(self):
        if thread() == 0:
            yield from self.replace()
        else:
            for _ in range(1 if thread() == 1 else 3):
                yield from self.read()


@pytest.mark.parametrize(("lock", "verdict"), [(TwoBits, "proven"), (TwoBitsWithoutD, "violated")])
def test_d_bounds_what_is_counted_between_the_sums(lock, verdict):
    """With it counts of two bits do; without it three readings of one CPU hide another's."""
    found = check_workload(OneReadsOften(lock=lock), threads=3, memory="tso")
    assert verdict == found.verdict
    assert ("memory" if verdict == "violated" else "") == (found.found or "")
