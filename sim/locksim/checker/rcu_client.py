"""What RCU is checked with: one thread replaces an object again and again, the others read it.

An object that is freed while a reader still uses it is a use of dead memory; here that is called by
its name, a grace-period violation. Everything must be freed in the end, so a callback that is never
run shows as a leak, or as a thread that waits for ever.
"""

from __future__ import annotations

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
    pointer,
    thread,
    word,
)
from locksim.locks.rcu import RCU, RcuHead


class Version(Struct):
    """An object under RCU: two words that are equal from its publication to its end."""

    rcu = part(RcuHead)
    one = word()
    other = word()


class Replacing(Workload):
    """Thread 0 replaces the object, the others read it; each reports a quiescent state after that.

    Arguments:
        rounds: replacements, and readings of each other thread.
        waits: 0 hands the old object to call_rcu, 1 waits for a grace period and frees it.
    """

    rounds = param(1)
    waits = param(0)
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
        """Publish a new version and dispose of the old one."""
        new = yield alloc(Version)
        yield new.one.store(value, RELAXED)
        yield new.other.store(value, RELAXED)
        old = yield self.shared.load(RELAXED)
        yield self.shared.store(new, RELEASE)
        if self.waits:
            yield from self.rcu.synchronize_rcu()
            yield free(old)
        else:
            yield from self.rcu.call_rcu(old.rcu)

    def read(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """Read both words of the current version."""
        yield from self.rcu.read_lock()
        version = yield self.shared.load(ACQUIRE)
        one = yield version.one.load(RELAXED)
        assert (yield version.other.load(RELAXED)) == one
        yield from self.rcu.read_unlock()
