"""Read-copy update: readers that no writer waits for, except before it frees memory.

The test clients publish, read, replace and reclaim objects. An object that is freed while a reader
still uses it is a use of dead memory; here that is called by its name, a grace-period violation.
Everything must be freed in the end, so a callback that is never run shows as a leak, or as a thread
that waits forever.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import LoadSettings
from locksim.kinds.rwlock import turns
from locksim.lang import *
from locksim.library.locks.rcu import RCU, RcuHead
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.workloads.rcu_readers import RcuReaders

RCU_FAULTS = {"memory": "grace-period violation", "assertion": "torn read"}
"""What a use of dead memory and a failed assertion are called where RCU is checked."""


class RcuKind(StructKind):
    """``read_lock/read_unlock``, ``synchronize_rcu``, ``quiescent``, ``offline``.

    Some also take callbacks: ``call_rcu``.
    """

    base = ReadCopyUpdate
    unit = "readings and replacements"

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Readings and replacements of a published object."""
        return RcuReaders(lock=struct, read_percent=settings.read_percent, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Readers and writers that wait; and callbacks, where they are taken."""
        loads: list[Workload] = [RcuReaders(lock=struct, think_ps=think_ps, read_percent=80)]
        if offers(struct, "call_rcu"):
            loads.append(Published(rcu=struct, think_ps=think_ps))
        return loads

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Readings and replacements; nested readers; readers that stay; callbacks, if taken."""
        found = [replacing(Replacing, struct, threads, rounds, shift) for shift in (0, 1)]
        found += nested(ReplacingBesideNested, struct, threads, rounds)
        if threads > 1:
            online = StayingOnline(lock=struct, rounds=rounds)
            ends = EndsBesideReaders("synchronize_rcu()")
            name = "readers stay online"
            found.append(Client(name, online, means=RCU_FAULTS, end=ends, once=True))
        if offers(struct, "call_rcu"):
            calls = Reclaiming(rcu=struct, rounds=rounds)
            found.append(Client("call_rcu", calls, means=RCU_FAULTS))
        return found


class Version(Struct):
    """An object under RCU: two words that are equal from its publication to its end."""

    rcu = part(RcuHead)
    one = word()
    other = word()


class Reclaiming(Workload):
    """Thread 0 replaces the object, the others read it; each reports a quiescent state after that.

    Arguments:
        rounds: replacements, and readings of each other thread.
    """

    rounds = param(1)
    rcu = part(RCU)
    shared = pointer(Version)

    def setup(self):
        """The first version."""
        version = yield alloc(Version)
        yield self.shared.store(version, RELAXED)

    def thread(self):
        for i in range(self.rounds):
            if thread() == 0:
                yield from self.replace(i + 1)
            else:
                yield from self.read()
            yield from self.rcu.quiescent()
        yield from self.rcu.offline()

    def replace(self, value):
        """Publish a new version and hand the old one to call_rcu."""
        new = yield alloc(Version)
        yield new.one.store(value, RELAXED)
        yield new.other.store(value, RELAXED)
        old = yield self.shared.load(RELAXED)
        yield self.shared.store(new, RELEASE)
        yield from self.rcu.call_rcu(old.rcu)

    def read(self):
        """Read both words of the current version."""
        yield from self.rcu.read_lock()
        version = yield self.shared.load(ACQUIRE)
        one = yield version.one.load(RELAXED)
        assert (yield version.other.load(RELAXED)) == one
        yield from self.rcu.read_unlock()


class Box(Struct):
    """What is published: its value is 1 from before any thread can find it.

    ``reader`` is who looked into it last, where readers write at all.
    """

    value = word()
    reader = word()


class Replacing(Workload):
    """Threads take turns to replace a published box and free the old one, and to look into it.

    Arguments:
        rounds: turns of each thread.
        shift: thread t replaces in round r if t + r + shift is even.
    """

    rounds = param(1)
    shift = param(0)
    lock = part(QSBR)
    shared = pointer(Box)

    def setup(self):
        """The first box."""
        box = yield alloc(Box)
        yield box.value.store(1, RELAXED)
        yield self.shared.store(box, RELAXED)

    def thread(self):
        for i in range(self.rounds):
            # First of all, so that a reading may come after the quiescent state that let it be.
            yield from self.between()
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.replace()
            else:
                yield from self.read()
        yield from self.end()

    def between(self):
        """Outside all readers."""
        yield from self.lock.quiescent()

    def end(self):
        """The thread takes part no more."""
        yield from self.lock.offline()

    def replace(self):
        """Publish a new box, and free the old one when no thread can be looking into it."""
        new = yield alloc(Box)
        yield new.value.store(1, RELAXED)
        old = yield self.shared.swap(new, ACQ_REL)
        yield from self.grace_period()
        yield free(old)

    def grace_period(self):
        """Wait for all readers that are inside."""
        yield from self.lock.synchronize_rcu()

    def read(self):
        """Look into the box."""
        yield from self.lock.read_lock()
        box = yield self.shared.load(ACQUIRE)
        assert (yield box.value.load(RELAXED)) == 1
        yield from self.lock.read_unlock()


class ReplacingBesideNested(Replacing):
    """The last thread reads, and reads once more inside; thread 0 replaces; the others are offline.

    Arguments:
        rounds: readings and replacements. shift: not used.
    """

    def thread(self):
        if thread() == 0 or thread() == n_cpus() - 1:
            for _ in range(self.rounds):
                yield from self.between()
                if thread() == 0:
                    yield from self.replace()
                else:
                    yield from self.read()
        yield from self.end()

    def read(self):
        """Look into the box when the inner reader is over, and leave a trace there.

        A store that the grace period does not cover is a race with ``free``; a load is none, and
        C11's machine here does it no later than the reader's exit.
        """
        yield from self.lock.read_lock()
        box = yield self.shared.load(ACQUIRE)
        yield from self.lock.read_lock()
        yield from self.lock.read_unlock()
        assert (yield box.value.load(RELAXED)) == 1
        yield box.reader.store(thread(), RELAXED)
        yield from self.lock.read_unlock()


QUIESCENT_STATES = 2
"""So many does a reader announce that stays online: enough where a grace period has two phases."""


@dataclass(frozen=True)
class EndsBesideReaders:
    """In some run a grace period ends while all readers are online: ``early`` is 1 at its end.

    A reader's loop without end would ask it of every run. But then a lock that counts quiescent
    states has infinitely many states, and counting them is right.

    Arguments:
        call: what waits for the grace period, for the message.
    """

    call: str
    words: tuple[str, ...] = ("early",)
    found: str = "assertion"

    def wrong(self, values: tuple[int, ...]) -> str:
        """What is wrong if ``early`` is 0 at the end of every run."""
        if values[0]:
            return ""
        return (
            f"quiescent() lets no grace period end: in no run does {self.call} return while the "
            f"readers are online, after {QUIESCENT_STATES} quiescent states each"
        )


class StayingOnline(Replacing):
    """Thread 0 replaces; the others read, and announce a few quiescent states before they go.

    In one run at least these let the grace periods end, where elsewhere a way offline does too.
    After its grace periods thread 0 reads at once, while thread 1 replaces: it must be online again
    then.

    Arguments:
        rounds: replacements. shift: not used.
    """

    leaving = word()
    early = word()
    over = word()

    def thread(self):
        if thread() == 0:
            for _ in range(self.rounds):
                yield from self.replace()
            if (yield self.leaving.load(RELAXED)) == 0:
                yield self.early.store(1, RELAXED)
            yield self.over.store(1, RELEASE)
            yield from self.read()
        else:
            yield from self.read()
            for _ in range(QUIESCENT_STATES * self.rounds):
                yield from self.between()
            if not (yield self.over.load(ACQUIRE)):
                yield self.leaving.store(1, RELEASE)
            elif thread() == 1:
                yield from self.replace()
        yield from self.end()


class PublishedBox(Struct):
    """An object under RCU that a callback frees."""

    rcu = part(RcuHead)
    value = word()


class Published(Workload):
    """One pointer that all threads read, and that CPU 0 replaces now and then.

    Arguments:
        think_ps: longest time between two uses.
    """

    think_ps = param(1000)
    rcu = part(RCU)
    shared = pointer(PublishedBox, padded=True)

    def setup(self):
        """The first object."""
        box = yield alloc(PublishedBox)
        yield self.shared.store(box)

    def thread(self):
        while True:
            yield compute(random_below(self.think_ps) + 1)
            if cpu() == 0:
                new = yield alloc(PublishedBox)
                old = yield self.shared.load(RELAXED)
                yield new.value.store(7, RELAXED)
                yield self.shared.store(new, RELEASE)
                yield from self.rcu.call_rcu(old.rcu)
            else:
                yield from self.rcu.read_lock()
                box = yield self.shared.load(ACQUIRE)
                yield box.value.load(RELAXED)
                yield from self.rcu.read_unlock()
            yield from self.rcu.quiescent()
            yield done()


def replacing(
    load: type[Replacing], struct: Struct | type[Struct], threads: int, rounds: int, shift: int
) -> Client:
    """A client of readings and replacements.

    Arguments:
        load: the workload. shift: thread t replaces in round r if t + r + shift is even.
    """
    n = turns(threads, rounds, shift)
    workload = load(lock=struct, rounds=rounds, shift=shift)
    name = f"{threads * rounds - n} readings, {n} replacements; thread {shift} replaces first"
    return Client(name, workload, means=RCU_FAULTS)


def nested(
    load: type[Replacing], struct: Struct | type[Struct], threads: int, rounds: int
) -> list[Client]:
    """The client of nested readers; beside a thread alone no other one replaces."""
    if threads == 1:
        return []
    return [Client("nested readers", load(lock=struct, rounds=rounds), means=RCU_FAULTS)]
