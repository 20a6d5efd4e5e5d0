from locksim.lang import *
from locksim.library.locks.tas import TASLock


class OwnedTwice(Lock):
    """A recursive lock that each section enters twice; enter and leave are plain helpers."""

    held = word()
    owner = word()
    depth = word()

    def enter(self):
        if (yield self.owner.load(RELAXED)) != cpu() + 1:
            while (yield self.held.swap(1, ACQUIRE)):
                yield pause()
            yield self.owner.store(cpu() + 1, RELAXED)
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth + 1, RELAXED)

    def leave(self):
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth - 1, RELAXED)
        if depth == 1:
            yield self.owner.store(0, RELAXED)
            yield self.held.store(0, RELEASE)

    def acquire(self):
        yield from self.enter()
        yield from self.enter()

    def release(self):
        yield from self.leave()
        yield from self.leave()


class OwnerClearedLate(Lock):
    """Clears the owner after it has opened the lock."""

    held = word()
    owner = word()
    depth = word()

    def enter(self):
        if (yield self.owner.load(RELAXED)) != cpu() + 1:
            while (yield self.held.swap(1, ACQUIRE)):
                yield pause()
            yield self.owner.store(cpu() + 1, RELAXED)
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth + 1, RELAXED)

    def leave(self):
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth - 1, RELAXED)
        if depth == 1:
            yield self.held.store(0, RELEASE)
            yield self.owner.store(0, RELAXED)

    def acquire(self):
        yield from self.enter()
        yield from self.enter()

    def release(self):
        yield from self.leave()
        yield from self.leave()


class Recursive(Lock):
    """A recursive lock whose own methods are the metered ones."""

    held = word()
    owner = word()
    depth = word()

    def acquire(self):
        if (yield self.owner.load(RELAXED)) != cpu() + 1:
            while (yield self.held.swap(1, ACQUIRE)):
                yield pause()
            yield self.owner.store(cpu() + 1, RELAXED)
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth + 1, RELAXED)

    def release(self):
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth - 1, RELAXED)
        if depth == 1:
            yield self.owner.store(0, RELAXED)
            yield self.held.store(0, RELEASE)


class UsesRecursive(Lock):
    """Acquires a recursive part twice, and releases it twice."""

    inner = part(Recursive)

    def acquire(self):
        yield from self.inner.acquire()
        yield from self.inner.acquire()

    def release(self):
        yield from self.inner.release()
        yield from self.inner.release()


class AcquireByTry(Lock):
    """acquire() calls its own try_acquire() until that succeeds."""

    held = word()

    def acquire(self):
        while (yield from self.try_acquire()) == 0:
            yield pause()

    def try_acquire(self):
        old = yield self.held.swap(1, ACQUIRE)
        return old == 0

    def release(self):
        yield self.held.store(0, RELEASE)


class TryByAcquire(Lock):
    """A try that waits, and never fails."""

    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def try_acquire(self):
        yield from self.acquire()
        return 1

    def release(self):
        yield self.held.store(0, RELEASE)


class TryInverted(Lock):
    """The try returns what it found, instead of whether it got the lock."""

    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def try_acquire(self):
        old = yield self.held.swap(1, ACQUIRE)
        return old

    def release(self):
        yield self.held.store(0, RELEASE)


class TwoParts(Lock):
    """Two locks inside; each is taken in the same order by all, and let go in that order too."""

    first = part(TASLock)
    second = part(TASLock)

    def acquire(self):
        yield from self.first.acquire()
        yield from self.second.acquire()

    def release(self):
        yield from self.first.release()
        yield from self.second.release()


class TwoPartsCrossed(Lock):
    """Odd CPUs take the two locks inside in the other order."""

    first = part(TASLock)
    second = part(TASLock)

    def acquire(self):
        if cpu() % 2 == 0:
            yield from self.first.acquire()
            yield from self.second.acquire()
        else:
            yield from self.second.acquire()
            yield from self.first.acquire()

    def release(self):
        yield from self.first.release()
        yield from self.second.release()


class HandOver(Lock):
    """Holds the inner lock only on the way in: it guards a flag, and no section."""

    guard = part(TASLock)
    busy = word()

    def acquire(self):
        while True:
            yield from self.guard.acquire()
            if (yield self.busy.load(RELAXED)) == 0:
                break
            yield from self.guard.release()
            yield pause()
        yield self.busy.store(1, RELAXED)
        yield from self.guard.release()

    def release(self):
        yield self.busy.store(0, RELAXED)


class HandOverRelease(Lock):
    """As HandOver, but release() takes the guard too."""

    guard = part(TASLock)
    busy = word()

    def acquire(self):
        while True:
            yield from self.guard.acquire()
            if (yield self.busy.load(RELAXED)) == 0:
                break
            yield from self.guard.release()
            yield pause()
        yield self.busy.store(1, RELAXED)
        yield from self.guard.release()

    def release(self):
        yield from self.guard.acquire()
        yield self.busy.store(0, RELAXED)
        yield from self.guard.release()


class CountsContention(Lock):
    """Counts waits in a word of its own, by a load and a store outside the lock."""

    held = word()
    waits = word()

    def acquire(self):
        if (yield self.held.swap(1, ACQUIRE)):
            waits = yield self.waits.load(RELAXED)
            yield self.waits.store(waits + 1, RELAXED)
            yield pause()
            while (yield self.held.swap(1, ACQUIRE)):
                yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)


class CountsInside(Lock):
    """Counts who is inside, and asserts that it is alone."""

    held = word()
    inside = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        before = yield self.inside.fetch_add(1, RELAXED)
        assert before == 0

    def release(self):
        yield self.inside.fetch_add(-1, RELAXED)
        yield self.held.store(0, RELEASE)


class CountsInsideLate(Lock):
    """Counts itself out after it has opened the lock."""

    held = word()
    inside = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        before = yield self.inside.fetch_add(1, RELAXED)
        assert before == 0

    def release(self):
        yield self.held.store(0, RELEASE)
        yield self.inside.fetch_add(-1, RELAXED)
