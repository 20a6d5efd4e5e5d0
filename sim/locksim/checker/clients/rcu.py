"""What RCU is checked with: objects that are published, read, replaced and reclaimed.

An object that is freed while a reader still uses it is a use of dead memory; here that is called by
its name, a grace-period violation. Everything must be freed in the end, so a callback that is never
run shows as a leak, or as a thread that waits for ever.
"""

from __future__ import annotations

from locksim.lang import (
    ACQ_REL,
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
    thread,
    word,
)
from locksim.library.locks.rcu import RCU, RcuHead
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.locks.srcu import SRCU


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

    def setup(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """The first version."""
        version = yield alloc(Version)
        yield self.shared.store(version, RELAXED)

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for i in range(self.rounds):
            if thread() == 0:
                yield from self.replace(i + 1)  # type: ignore[no-untyped-call]
            else:
                yield from self.read()  # type: ignore[no-untyped-call]
            yield from self.rcu.quiescent()
        yield from self.rcu.offline()

    def replace(self, value):  # type: ignore[no-untyped-def] # a program in the lock language
        """Publish a new version and hand the old one to call_rcu."""
        new = yield alloc(Version)
        yield new.one.store(value, RELAXED)
        yield new.other.store(value, RELAXED)
        old = yield self.shared.load(RELAXED)
        yield self.shared.store(new, RELEASE)
        yield from self.rcu.call_rcu(old.rcu)

    def read(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Read both words of the current version."""
        yield from self.rcu.read_lock()
        version = yield self.shared.load(ACQUIRE)
        one = yield version.one.load(RELAXED)
        assert (yield version.other.load(RELAXED)) == one
        yield from self.rcu.read_unlock()


class Box(Struct):
    """What is published: its value is 1 from before anybody can find it.

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

    def setup(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """The first box."""
        box = yield alloc(Box)
        yield box.value.store(1, RELAXED)
        yield self.shared.store(box, RELAXED)

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for i in range(self.rounds):
            # First of all, so that a reading may come after the quiescent state that let it be.
            yield from self.between()  # type: ignore[no-untyped-call]
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.replace()  # type: ignore[no-untyped-call]
            else:
                yield from self.read()  # type: ignore[no-untyped-call]
        yield from self.end()  # type: ignore[no-untyped-call]

    def between(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Outside all readers."""
        yield from self.lock.quiescent()

    def end(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """The thread takes part no more."""
        yield from self.lock.offline()

    def replace(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Publish a new box, and free the old one when nobody can be looking into it."""
        new = yield alloc(Box)
        yield new.value.store(1, RELAXED)
        old = yield self.shared.swap(new, ACQ_REL)
        yield from self.grace_period()  # type: ignore[no-untyped-call]
        yield free(old)

    def grace_period(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Wait for all readers that are inside."""
        yield from self.lock.synchronize_rcu()

    def read(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Look into the box."""
        yield from self.lock.read_lock()
        box = yield self.shared.load(ACQUIRE)
        assert (yield box.value.load(RELAXED)) == 1
        yield from self.lock.read_unlock()


class ReplacingAmongSleepers(Replacing):
    """The same with sleepable RCU. A reader also writes into the box: all it did must be over."""

    lock = part(SRCU)

    def between(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Nobody asks for quiescent states."""
        yield pause()

    def end(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Nobody waits for a thread that is outside."""
        yield pause()

    def grace_period(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Wait for all readers that are inside."""
        yield from self.lock.synchronize_srcu()

    def read(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Look into the box, and leave a trace there."""
        rank = yield from self.lock.read_lock()
        box = yield self.shared.load(ACQUIRE)
        assert (yield box.value.load(RELAXED)) == 1
        yield box.reader.store(thread(), RELAXED)
        yield from self.lock.read_unlock(rank)
