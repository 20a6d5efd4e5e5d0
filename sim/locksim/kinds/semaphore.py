"""Counting semaphores: permits that any thread may take and give.

The test clients set the number of permits themselves. One permit is a lock, and guards a count.
With two, a thread too many inside is found by a count of those who are inside, and a semaphore that
lets in too few by two threads that wait inside for one another. With none, a thread waits for what
others have made, and a wake-up that is lost leaves it waiting.
"""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers, resized
from locksim.kinds.load import LoadSettings
from locksim.kinds.lock import TRY_FAULTS
from locksim.lang import *
from locksim.library.locks.semaphore import QueuedSemaphore
from locksim.library.workloads.permits import Permits

CROWD = {"assertion": "more threads inside than permits"}
"""What a failed assertion is called where those who are inside are counted."""


class SemaphoreKind(StructKind):
    """``down`` and ``up``, perhaps ``try_down``."""

    base = CountingSemaphore
    unit = "permits taken"

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Permits taken and given back."""
        return Permits(lock=struct, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Permits taken and given back; and with tries before, where there are any."""
        loads: list[Workload] = [Permits(lock=struct, think_ps=think_ps)]
        if offers(struct, "try_down"):
            loads.append(PermitTries(lock=struct, think_ps=think_ps))
        return loads

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """One permit, two, none; and tries, where there are any."""
        one, two, none = (resized(struct, permits=permits) for permits in (1, 2, 0))
        found = [
            Client(
                "one permit: count up",
                CountingWithPermit(lock=one, rounds=rounds),
                {"count": threads * rounds},
                ("count",),
            ),
            Client(
                "two permits: count who is inside", Inside(lock=two, rounds=rounds), means=CROWD
            ),
        ]
        if threads > 1:
            found += [
                Client("two permits: two meet inside", MeetingInside(lock=two)),
                Client(
                    "no permit: take what others have made",
                    Delivering(lock=none, rounds=rounds),
                    means={"assertion": "a permit before what it stands for"},
                ),
            ]
        if offers(struct, "try_down"):
            certain = int(not one.TRY_MAY_FAIL)
            tries = TryingForPermit(lock=one, certain=certain)
            found.append(Client("try without a permit, then with one", tries, means=TRY_FAULTS))
        return found


class CountingWithPermit(Workload):
    """Every thread takes the permit, counts up and gives it back.

    Arguments:
        rounds: of each thread.
    """

    rounds = param(1)
    lock = part(QueuedSemaphore)
    count = word()

    def thread(self):
        for _ in range(self.rounds):
            yield from self.lock.down()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.up()


class Inside(Workload):
    """Every thread takes a permit and counts those who have one.

    Arguments:
        rounds: of each thread.
    """

    rounds = param(1)
    lock = part(QueuedSemaphore(permits=2))
    inside = word()

    def thread(self):
        for _ in range(self.rounds):
            yield from self.lock.down()
            others = yield self.inside.fetch_add(1, RELAXED)
            assert others < self.lock.permits
            yield self.inside.fetch_add(-1, RELAXED)
            yield from self.lock.up()


class MeetingInside(Workload):
    """The first two threads take a permit each and wait inside for one another."""

    lock = part(QueuedSemaphore(permits=2))
    inside = word()

    def thread(self):
        if thread() < 2:
            yield from self.lock.down()
            yield self.inside.fetch_add(1, RELAXED)
            while (yield self.inside.load(RELAXED)) != 2:
                yield pause()
            yield from self.lock.up()


class Delivering(Workload):
    """Thread 0 takes as many permits as the others give, each for something that they have made.

    Arguments:
        rounds: permits that each other thread gives.
    """

    rounds = param(1)
    lock = part(QueuedSemaphore(permits=0))
    made = percpu(word())

    def thread(self):
        if thread() == 0:
            for i in range(self.rounds * (n_cpus() - 1)):
                yield from self.lock.down()
                made = 0
                for j in range(1, n_cpus()):
                    made += yield self.made[j].load(RELAXED)
                assert made > i
        else:
            for i in range(self.rounds):
                yield self.made[thread()].store(i + 1, RELAXED)
                yield from self.lock.up()


class TryingForPermit(Workload):
    """Thread 0 keeps the permit until the last thread has tried, and tries when all are gone.

    The threads between wait for the permit meanwhile.

    Arguments:
        certain: 1 if a try must take a permit that is there.
    """

    certain = param(1)
    lock = part(QueuedSemaphore)
    held = word()
    tried = word()
    gone = word()

    def thread(self):
        if thread() == 0:
            yield from self.take()
            yield self.held.store(1, RELEASE)
            while n_cpus() > 1 and not (yield self.tried.load(ACQUIRE)):
                yield pause()
            yield from self.lock.up()
            while (yield self.gone.load(ACQUIRE)) < n_cpus() - 1:
                yield pause()
            yield from self.take()
            yield from self.lock.up()
        else:
            while not (yield self.held.load(ACQUIRE)):
                yield pause()
            if thread() == n_cpus() - 1:
                got = yield from self.lock.try_down()
                assert not got
                yield self.tried.store(1, RELEASE)
            else:
                yield from self.lock.down()
                yield from self.lock.up()
            yield self.gone.fetch_add(1, RELEASE)

    def take(self):
        """Take the permit, which is there: by a try, if that must succeed."""
        got = yield from self.lock.try_down()
        if not got:
            assert not self.certain
            yield from self.lock.down()


class PermitTries(Workload):
    """A permit taken by a try, and by waiting where the try has failed.

    Arguments:
        think_ps: longest time between two permits.
    """

    think_ps = param(1000)
    lock = part(QueuedSemaphore, padded=True)

    def thread(self):
        while True:
            yield compute(random_below(self.think_ps) + 1)
            if not (yield from self.lock.try_down()):
                yield from self.lock.down()
            yield compute(self.think_ps)
            yield from self.lock.up()
            yield done()
