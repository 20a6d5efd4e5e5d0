"""Lock and reference count in one word, so that counting seldom needs the lock.

Mechanism. The low bit of the word is the lock, the upper half the count. ``get`` and ``put`` read
the word and, as long as the lock looks free, try to swap in the word with the count changed. The
compare-and-swap covers the lock too: it fails if another CPU has taken the lock meanwhile. After
``retries`` failures, or when the lock is held, they take the lock and count under it.
``put_or_lock`` takes the lock for the last reference, too, and keeps both. ``acquire`` is
test-and-test-and-set on the low bit; ``release`` is a plain store of the whole word, because
while the bit is set only the holder changes the word.

Invariants. The count changes either by a compare-and-swap that found the lock free, or by the
holder of the lock: it stands still while the lock is held, and no change is lost. It is the number
of gets less the number of puts, and 1 for the object's maker.

Orders. ``get`` needs none, as the caller must have a way to the object already. ``put`` is a
RELEASE, and an ACQUIRE for the CPU that drops the last reference: what others did with the object
comes before what this CPU does with it. ``put_or_lock`` acquires by taking the lock. Linux leaves
both out (``cmpxchg64_relaxed``), because the last reference is dropped under the lock, and a
dentry's memory is freed only after a grace period.

Cost in line transfers. Uncontended: none if this CPU used the object last, else one: the first load
brings a copy and the swap asks for the right to write, so two for a line that others share.
Contended: about two for each operation, whatever N, and further ones for swaps that fail because
another CPU was quicker. ``lockref_spinlock`` needs the line for the lock, again for the unlock if
another CPU asked for it in between, and all others wait meanwhile. The line itself remains the
limit: this saves waiting, not transfers.

Fairness. None: a compare-and-swap that loses has to come again. The limit, ``retries``, came in
2019 (Linux 5.2), after machines on which it lost for very long.

Not modelled. The spinlock is one bit, where Linux's half a word is a ticket lock (3.12) or a
queued one (from 4.2): waiters for the lock itself are served in no order here. The negative count
of an object that is dead.
"""

from locksim.lang import *

__all__ = ["Lockref"]

LOCKED = 1
ONE = 1 << 32


class Lockref(CountedRef):
    """Lock and count changed by one compare-and-swap (Long, Torvalds; Linux 3.12, lib/lockref.c).

    Arguments:
        retries: compare-and-swaps that ``get`` and ``put`` lose before they take the lock.
    """

    retries = param(100)
    lock_count = word(ONE)

    def get(self):
        value = yield self.lock_count.load(RELAXED)
        for _ in range(self.retries):
            if value & LOCKED:
                break
            old = yield self.lock_count.compare_swap(value, value + ONE, RELAXED)
            if old == value:
                return
            value = old
        yield from self.acquire()
        value = yield self.lock_count.load(RELAXED)
        yield self.lock_count.store(value + ONE, RELAXED)
        yield from self.release()

    def put(self):
        value = yield self.lock_count.load(RELAXED)
        for _ in range(self.retries):
            if value & LOCKED:
                break
            old = yield self.lock_count.compare_swap(value, value - ONE, RELEASE)
            if old == value:
                left = (value - ONE) // ONE
                if left == 0:
                    # What the others did before they let go comes before what follows here.
                    yield fence(ACQUIRE)
                return left
            value = old
        yield from self.acquire()
        value = yield self.lock_count.load(RELAXED)
        yield self.lock_count.store(value - ONE, RELAXED)
        yield from self.release()
        return (value - ONE) // ONE

    def put_or_lock(self):
        value = yield self.lock_count.load(RELAXED)
        for _ in range(self.retries):
            if value & LOCKED or value < 2 * ONE:
                break
            old = yield self.lock_count.compare_swap(value, value - ONE, RELEASE)
            if old == value:
                return 1
            value = old
        yield from self.acquire()
        value = yield self.lock_count.load(RELAXED)
        if value < 2 * ONE:
            return 0
        yield self.lock_count.store(value - ONE, RELAXED)
        yield from self.release()
        return 1

    def references(self):
        value = yield self.lock_count.load(RELAXED)
        return value // ONE

    def acquire(self):
        while (yield from self.take_if_free()) == 0:
            yield pause()
            while (yield self.lock_count.load(RELAXED)) & LOCKED:
                yield pause()

    def try_acquire(self):
        got = yield from self.take_if_free()
        return got

    def take_if_free(self):
        value = yield self.lock_count.load(RELAXED)
        if value & LOCKED:
            return 0
        old = yield self.lock_count.compare_swap(value, value + LOCKED, ACQUIRE)
        return old == value

    def release(self):
        value = yield self.lock_count.load(RELAXED)
        yield self.lock_count.store(value - LOCKED, RELEASE)
