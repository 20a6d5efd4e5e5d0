"""Counting semaphores: one with a queue and one that spins are proven, and wrong ones found."""

import pytest
from kinds.verdicts import verdict_of

from locksim.checker import check_lock
from locksim.compiler import compile_source
from locksim.kinds import kind_of
from locksim.kinds.checking import clients_of
from locksim.kinds.semaphore import SemaphoreKind
from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    CountingSemaphore,
    block,
    cpu,
    pause,
    wake,
    word,
)
from locksim.library.locks.semaphore import QueuedSemaphore, Waiter


class SpinningSemaphore(CountingSemaphore):
    """Right: a count that is taken down by compare-and-swap, and waiters that spin."""

    count = word()

    def setup(self):
        yield self.count.store(self.permits)

    def down(self):
        while not (yield from self.take()):
            yield pause()

    def try_down(self):
        while True:
            count = yield self.count.load(RELAXED)
            if not count:
                return 0
            if (yield self.count.compare_swap(count, count - 1, ACQUIRE)) == count:
                return 1

    def take(self):
        count = yield self.count.load(RELAXED)
        return count and (yield self.count.compare_swap(count, count - 1, ACQUIRE)) == count

    def up(self):
        yield self.count.fetch_add(1, RELEASE)


class TakesByTwoSteps(SpinningSemaphore):
    """Wrong: two threads take one permit."""

    def take(self):
        count = yield self.count.load(ACQUIRE)
        if count:
            yield self.count.store(count - 1, RELAXED)
        return count


class OneIsAll(SpinningSemaphore):
    """Wrong: a mutex, whatever the number of permits."""

    def setup(self):
        yield self.count.store(1 if self.permits else 0)


class TryGivesUp(SpinningSemaphore):
    """Wrong: a try leaves the last permit."""

    def try_down(self):
        count = yield self.count.load(RELAXED)
        if count < 2:
            return 0
        return (yield self.count.compare_swap(count, count - 1, ACQUIRE)) == count


class TryWaits(SpinningSemaphore):
    """Wrong: a try waits for a permit."""

    def try_down(self):
        while not (yield from self.take()):
            yield pause()
        return 1


class UpRelaxed(SpinningSemaphore):
    """Wrong under c11: nothing orders what was done with the permit before its return."""

    def up(self):
        yield self.count.fetch_add(1, RELAXED)


class LooksTooEarly(QueuedSemaphore):
    """Wrong: the queue is entered after the lock was free, so a permit can be given past it."""

    def down(self):
        yield from self.lock.acquire()
        got = yield from self.take()
        yield from self.lock.release()
        if not got:
            me = self.waiters[cpu()]
            yield from self.lock.acquire()
            yield from self.append(me)
            yield from self.lock.release()
            while not (yield me.up.load(ACQUIRE)):
                yield block()


class MarksByStore(QueuedSemaphore):
    """Wrong under tso: the interrupt overtakes the mark."""

    def up(self):
        yield from self.lock.acquire()
        waiter = yield self.first.load(RELAXED)
        if waiter:
            rest = yield waiter.next.load(RELAXED)
            yield self.first.store(rest, RELAXED)
            yield from self.lock.release()
            number = yield waiter.number.load(RELAXED)
            yield waiter.up.store(1, RELEASE)
            yield wake(number)
        else:
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()


class ForgetsTheRest(QueuedSemaphore):
    """Wrong: who is woken leaves the others behind, on no queue."""

    def up(self):
        yield from self.lock.acquire()
        waiter: Waiter = yield self.first.load(RELAXED)
        yield self.first.store(NULL, RELAXED)
        if waiter:
            number = yield waiter.number.load(RELAXED)
            yield waiter.up.swap(1, RELEASE)
            yield wake(number)
        else:
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
        yield from self.lock.release()


FOUND = {
    (TakesByTwoSteps, "one permit", "sc"): "assertion",
    (OneIsAll, "two permits: two meet inside", "sc"): "deadlock",
    (TryGivesUp, "try without a permit", "sc"): "assertion",
    (TryWaits, "try without a permit", "sc"): "deadlock",
    (UpRelaxed, "one permit", "c11"): "race",
    (UpRelaxed, "no permit", "c11"): "assertion",
    (LooksTooEarly, "no permit", "sc"): "deadlock",
    (MarksByStore, "no permit", "tso"): "deadlock",
}


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("semaphore", [SpinningSemaphore, QueuedSemaphore])
def test_right_semaphores_are_proven(semaphore, memory):
    """One that spins, one that sleeps."""
    assert "proven" == verdict_of(semaphore, "", memory=memory)


@pytest.mark.parametrize(
    ("semaphore", "client", "memory"), FOUND, ids=lambda x: getattr(x, "__name__", x)
)
def test_wrong_semaphores_are_found(semaphore, client, memory):
    """By the client that asks for it, and confirmed by the generators."""
    assert FOUND[semaphore, client, memory] == verdict_of(semaphore, client, memory=memory)


def test_a_lost_wake_up_of_the_second_waiter_is_found():
    """It takes three threads."""
    assert "deadlock" == verdict_of(ForgetsTheRest, "one permit", threads=3)


def test_the_clients_set_the_permits():
    """Whatever the description says; its other settings stay."""
    found = clients_of(QueuedSemaphore(permits=7), 2, 1)
    assert [1, 2, 2, 0, 1] == [c.workload.lock._params["permits"] for c in found]
    assert ["one permit", "two permits"] == [
        c.name.partition(":")[0] for c in clients_of(SpinningSemaphore, 1, 1)[:2]
    ]


def test_a_semaphore_of_ones_own_is_checked():
    """A file's class gets the permits of the language's base class."""
    text = """
from locksim.lang import *

class Mine(CountingSemaphore):
    count = word()

    def setup(self):
        yield self.count.store(self.permits)

    def down(self):
        while True:
            count = yield self.count.load(RELAXED)
            if count and (yield self.count.compare_swap(count, count - 1, ACQUIRE)) == count:
                return
            yield pause()

    def up(self):
        yield self.count.fetch_add(1, RELEASE)
"""
    mine = compile_source(text, "mine.py")["Mine"].struct
    assert isinstance(kind_of(mine), SemaphoreKind)
    assert check_lock(mine, threads=2).is_proof()
