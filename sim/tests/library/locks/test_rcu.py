"""RCU: nobody ever holds freed memory, everything is freed in the end, readers write nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    Struct,
    Workload,
    alloc,
    free,
    param,
    part,
    pause,
    pointer,
    random_below,
    thread,
    word,
)
from locksim.lang.ops import Kind
from locksim.library.locks.rcu import RCU, RcuCpu, RcuHead
from locksim.library.locks.ttas import TTASLock

schedules = given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))


class Pair(Struct):
    """An object under RCU: two words that are equal from its publication to its end."""

    rcu = part(RcuHead)
    a = word()
    b = word()


class Published(Workload):
    """One pointer, replaced and read by everybody.

    Arguments:
        rounds: replacements or reads of each thread.
        update_percent: share of the replacements.
        hold: pauses for which a reader keeps its reference.
    """

    rounds = param(8)
    update_percent = param(40)
    hold = param(1)
    rcu = part(RCU)
    writers = part(TTASLock)
    shared = pointer(Pair)

    def setup(self):
        pair = yield alloc(Pair)
        yield self.shared.store(pair)

    def thread(self):
        for _ in range(self.rounds):
            if random_below(100) < self.update_percent:
                yield from self.update()
            else:
                yield from self.read()
            yield from self.rcu.quiescent()
        yield from self.rcu.offline()

    def read(self):
        yield from self.rcu.read_lock()
        pair = yield self.shared.load(ACQUIRE)
        a = yield pair.a.load(RELAXED)
        for _ in range(self.hold):
            yield pause()
        assert (yield pair.b.load(RELAXED)) == a
        yield from self.rcu.read_unlock()

    def update(self):
        new = yield alloc(Pair)
        yield from self.writers.acquire()
        old = yield self.shared.load(RELAXED)
        a = yield old.a.load(RELAXED)
        yield new.a.store(a + 1, RELAXED)
        yield new.b.store(a + 1, RELAXED)
        yield self.shared.store(new, RELEASE)
        yield from self.writers.release()
        yield from self.dispose(old)

    def dispose(self, old: Pair):
        yield from self.rcu.call_rcu(old.rcu)


class Synchronous(Published):
    """Waits for a grace period and frees by itself."""

    def dispose(self, old: Pair):
        yield from self.rcu.synchronize_rcu()
        yield free(old)


class Both(Published):
    """Uses call_rcu and synchronize_rcu by turns."""

    def dispose(self, old: Pair):
        if random_below(2):
            yield from self.rcu.call_rcu(old.rcu)
        else:
            yield from self.rcu.synchronize_rcu()
            yield free(old)


class AtOnce(Published):
    """Wrong: frees without waiting."""

    def dispose(self, old: Pair):
        yield free(old)


class QuiescentReader(Published):
    """Wrong: reports a quiescent state while it holds a reference."""

    def read(self):
        pair = yield self.shared.load(ACQUIRE)
        for _ in range(3):
            yield from self.rcu.quiescent()
            yield pair.a.load(RELAXED)


class ForgetfulRCU(RCU):
    """Wrong: a batch waits for the grace period that is already running."""

    def ask(self):
        batch = yield from RCU.ask(self)
        return batch - 1


class CarelessRCU(RCU):
    """Wrong: a grace period counts as ended when it starts."""

    def start(self, number):
        yield from RCU.start(self, number)
        yield self.completed.store(number, RELEASE)


class Idle(Workload):
    """One CPU replaces and frees; the others only report, for a fixed number of times."""

    rcu = part(RCU)
    rounds = param(2)

    def thread(self):
        if thread() == 0:
            for _ in range(self.rounds):
                pair = yield alloc(Pair)
                yield from self.rcu.call_rcu(pair.rcu)
                yield from self.rcu.synchronize_rcu()
        else:
            while (yield self.rcu.completed.load()) < self.rounds:
                yield pause()
                yield from self.rcu.quiescent()
        yield from self.rcu.offline()


def check_drained(run, kept):
    """Nobody is waited for, no callback is left, and only the reachable objects live."""
    rcu = run.root.rcu
    assert kept == run.live_objects
    assert run.word(rcu.completed) == run.word(rcu.current)
    assert run.word(rcu.online) == 0
    for i in range(run.n_cpus):
        mine: RcuCpu = rcu.cpus[i]
        assert run.word(mine.this_batch) == 0
        assert run.word(mine.next_batch) == 0


@pytest.mark.parametrize(
    "workload", [Published(), Synchronous(), Both(), Published(hold=40), Synchronous(hold=40)]
)
@schedules
def test_no_reader_holds_freed_memory(interleave, workload, n_threads, seed):
    """Readers always find live, whole objects; after the drain one object is left."""
    run = interleave(workload, n_threads, seed, types=(Pair,))
    # The first object was allocated by setup(), and freed if anybody replaced it.
    check_drained(run, 0)


@pytest.mark.covering("wrong", every=2)
@pytest.mark.parametrize(
    "wrong",
    [
        AtOnce(hold=40),
        QuiescentReader(),
        Published(rcu=ForgetfulRCU, hold=40),
        Published(rcu=CarelessRCU, hold=40),
    ],
)
def test_wrong_variants_are_caught(interleave, wrong):
    """Freeing too early shows in some schedule: dead memory, or an object that changes."""
    caught = 0
    for seed in range(40):
        try:
            interleave(wrong, 3, seed, types=(Pair,), steps=10_000)
        except AssertionError as error:
            caught += "have not ended" not in str(error)
    assert caught > 0


def test_reader_performs_only_its_own_loads(interleave):
    """Between read_lock and read_unlock RCU adds nothing that takes time, and no write."""
    run = interleave(Published(update_percent=0), 3, 5, types=(Pair,))
    rcu = run.root.rcu
    assert 0 == run.word(rcu.current)
    writes = [op for _, op in run.performed if Kind.STORE <= op.kind <= Kind.FETCH_XOR]
    shared = {int(rcu.lock.locked), int(rcu.online)}
    # Only going offline writes: the lock and the count of those who are left.
    assert {op.address for op in writes} == shared


def test_quiescent_state_without_grace_period_only_loads(interleave):
    """Where nobody waits, quiescent() is four loads and no write."""
    run = interleave(Published(update_percent=0, rounds=1), 1, 0, types=(Pair,))
    rcu, mine = run.root.rcu, run.root.rcu.cpus[0]
    state = {int(rcu.current), int(mine.passed), int(mine.this_batch), int(mine.next_batch)}
    kinds = [op.kind for _, op in run.performed if op.address in state]
    assert {Kind.LOAD} == set(kinds)
    assert 4 == len([k for k in kinds[:4] if k == Kind.LOAD])


@pytest.mark.parametrize("n_threads", [2, 65])
def test_more_cpus_than_bits_in_a_word(interleave, n_threads):
    """Every grace period waits for every CPU, beyond 64 of them too."""
    run = interleave(Idle(), n_threads, n_threads, types=(Pair,), steps=3_000_000)
    check_drained(run, 0)
    assert run.root.rounds <= run.word(run.root.rcu.completed)
    for i in range(n_threads):
        assert run.word(run.root.rcu.cpus[i].passed) >= run.root.rounds


def test_batches_share_grace_periods(interleave):
    """Many callbacks need few grace periods: fewer than callbacks."""
    run = interleave(Published(update_percent=100, rounds=20), 4, 2, types=(Pair,))
    freed = len([op for _, op in run.performed if op.kind == Kind.FREE])
    assert 80 == freed
    assert 0 < run.word(run.root.rcu.completed) < freed
