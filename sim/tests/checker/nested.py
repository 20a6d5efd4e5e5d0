"""Locks whose metered methods call one another, locks that may be entered again, and wrong ones."""

from locksim.lang import (
    ACQUIRE,
    NS,
    RELAXED,
    RELEASE,
    SEQ_CST,
    Lock,
    RWLock,
    Workload,
    compute,
    part,
    pause,
    thread,
    word,
)


class AcquireByTry(Lock):
    """``acquire`` tries until it succeeds."""

    held = word()

    def acquire(self):
        while not (yield from self.try_acquire()):
            yield pause()

    def try_acquire(self):
        return (yield self.held.swap(1, ACQUIRE)) == 0

    def release(self):
        yield self.held.store(0, RELEASE)


class AcquireByHelper(AcquireByTry):
    """A method without a meter lies between the two."""

    def acquire(self):
        yield from self.again_and_again()

    def again_and_again(self):
        me = self
        while not (yield from me.try_acquire()):
            yield pause()


class AcquireByRacyTry(AcquireByTry):
    """Wrong: the inner try tests and sets in two steps."""

    def try_acquire(self):
        if (yield self.held.load(ACQUIRE)):
            return 0
        yield self.held.store(1, RELAXED)
        return 1


class OneForAll(RWLock):
    """Readers enter as writers do; both methods of a pair have a meter."""

    held = word()

    def read_acquire(self):
        yield from self.write_acquire()

    def read_release(self):
        yield from self.write_release()

    def write_acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def write_release(self):
        yield self.held.store(0, RELEASE)


class ReleasesAsWriter(OneForAll):
    """Wrong: readers do not wait for the writer, and share its word."""

    def read_acquire(self):
        yield self.held.store(1, RELAXED)


class Recursive(Lock):
    """The owner counts how often it is inside."""

    RECURSIVE = True
    owner = word()
    depth = word()

    def acquire(self):
        if (yield self.owner.load(RELAXED)) == thread() + 1:
            depth = yield self.depth.load(RELAXED)
            yield self.depth.store(depth + 1, RELAXED)
            return
        while (yield self.owner.compare_swap(0, thread() + 1, ACQUIRE)):
            yield pause()
        yield self.depth.store(1, RELAXED)

    def release(self):
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth - 1, RELAXED)
        if depth == 1:
            yield self.owner.store(0, RELEASE)


class RecursiveLeftAtOnce(Recursive):
    """Wrong: the first release frees the lock."""

    def release(self):
        yield self.owner.store(0, RELEASE)


class SaysNotRecursive(Recursive):
    """It could be entered again, but does not say so."""

    RECURSIVE = False


class ReadersFirst(RWLock):
    """Readers never wait for one that only waits."""

    readers = word()
    writer = word()

    def read_acquire(self):
        yield self.readers.fetch_add(1, SEQ_CST)
        while (yield self.writer.load(SEQ_CST)):
            yield pause()

    def read_release(self):
        yield self.readers.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while True:
            if (yield self.writer.swap(1, SEQ_CST)) == 0:
                if (yield self.readers.load(SEQ_CST)) == 0:
                    return
                yield self.writer.store(0, RELEASE)
            yield pause()

    def write_release(self):
        yield self.writer.store(0, RELEASE)


class ReadsTwice(Workload):
    """Thread 0 writes; the others read, and read once more while they do."""

    lock = part(ReadersFirst)
    data = word()

    def thread(self):
        if thread() == 0:
            yield from self.lock.write_acquire()
            yield self.data.store(1, RELAXED)
            yield self.data.store(0, RELAXED)
            yield from self.lock.write_release()
        else:
            yield from self.lock.read_acquire()
            yield from self.lock.read_acquire()
            yield from self.lock.read_release()
            assert (yield self.data.load(RELAXED)) == 0
            yield from self.lock.read_release()


class LeavesTooOften(ReadsTwice):
    """Wrong: a reader leaves once more than it entered."""

    def thread(self):
        yield from self.lock.read_acquire()
        yield from self.lock.read_acquire()
        yield from self.lock.read_release()
        yield from self.lock.read_release()
        yield from self.lock.read_release()


class EntersTwice(Workload):
    """Every thread enters twice before it leaves."""

    lock = part(Recursive)

    def thread(self):
        yield from self.lock.acquire()
        yield compute(3 * NS)
        yield from self.lock.acquire()
        yield compute(5 * NS)
        yield from self.lock.release()
        yield from self.lock.release()
