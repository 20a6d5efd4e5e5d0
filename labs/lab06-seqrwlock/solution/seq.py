"""Sequence locks, and the path of a file read under each of them: the solution."""

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    SeqLock,
    fence,
    part,
    pause,
    word,
)
from locksim.library.kernel.dcache import Dcache
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock


class Seq(SeqLock):
    """A number that is odd while a writer is inside, and a spinlock for writers."""

    sequence = word()
    lock = part(TicketLock)

    def read_begin(self):
        number = yield self.sequence.load(ACQUIRE)
        while number % 2:
            yield pause()
            number = yield self.sequence.load(ACQUIRE)
        return number

    def read_retry(self, number):
        yield fence(ACQUIRE)
        return (yield self.sequence.load(RELAXED)) != number

    def write_acquire(self):
        yield from self.lock.acquire()
        yield from self.write_begin()

    def write_release(self):
        yield from self.write_end()
        yield from self.lock.release()

    def write_begin(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELAXED)
        yield fence(RELEASE)

    def write_end(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELEASE)


class SeqRW(Seq):
    """Seqrwlock: beside the optimistic readers there are readers that wait, and read together."""

    lock = part(ReaderPreferenceRWLock)

    def read_acquire(self):
        yield from self.lock.read_acquire()

    def read_release(self):
        yield from self.lock.read_release()

    def write_acquire(self):
        yield from self.lock.write_acquire()
        yield from self.write_begin()

    def write_release(self):
        yield from self.write_end()
        yield from self.lock.write_release()


class SeqExcl(Seq):
    """As Seq; a reader that waits takes the writers' spinlock and leaves the number alone."""

    def read_acquire(self):
        yield from self.lock.acquire()

    def read_release(self):
        yield from self.lock.release()


class WriterPath(Dcache):
    """Linux 3.8: a walk is a writer of rename_lock."""

    rename_lock = part(Seq, padded=True)

    def walk_enter(self, attempt):
        yield from self.rename_lock.write_acquire()
        return 0

    def walk_leave(self, attempt, token):
        yield from self.rename_lock.write_release()
        return 0

    def move_acquire(self):
        yield from self.rename_lock.write_acquire()

    def move_release(self):
        yield from self.rename_lock.write_release()


class BlockingPath(WriterPath):
    """Long's patches: a walk is a reader of rename_lock that waits."""

    rename_lock = part(SeqRW, padded=True)

    def walk_enter(self, attempt):
        yield from self.rename_lock.read_acquire()
        return 0

    def walk_leave(self, attempt, token):
        yield from self.rename_lock.read_release()
        return 0


class RetryPath(WriterPath):
    """Linux 3.12: a walk is optimistic; if a rename came by, the second one waits."""

    rename_lock = part(SeqExcl, padded=True)

    def walk_enter(self, attempt):
        if attempt:
            yield from self.rename_lock.read_acquire()
            return 0
        return (yield from self.rename_lock.read_begin())

    def walk_leave(self, attempt, token):
        if attempt:
            yield from self.rename_lock.read_release()
            return 0
        return (yield from self.rename_lock.read_retry(token))
