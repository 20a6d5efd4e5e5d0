"""Sequence locks for you to write, and the path of a file: replace the `yield pause()` lines.

Try: locklab lab check
"""

from locksim.lang import (  # everything that you need
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
        """Wait until no writer is inside; return the number."""
        yield pause()
        return 0

    def read_retry(self, number):
        """Return nonzero if what was read since read_begin() may be torn."""
        yield pause()
        return 0

    def write_acquire(self):
        yield from self.lock.acquire()
        yield from self.write_begin()

    def write_release(self):
        yield from self.write_end()
        yield from self.lock.release()

    def write_begin(self):
        """The lock is held: make the number odd."""
        yield pause()

    def write_end(self):
        """Make it even again, another one than before."""
        yield pause()


class SeqRW(Seq):
    """Seqrwlock: beside the optimistic readers there are readers that wait, and read together."""

    lock = part(ReaderPreferenceRWLock)

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()


class SeqExcl(Seq):
    """As Seq; a reader that waits takes the writers' spinlock and leaves the number alone."""

    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()


class WriterPath(Dcache):
    """Linux 3.8: a walk is a writer of rename_lock."""

    rename_lock = part(Seq, padded=True)

    def walk_enter(self, attempt):
        """Before a walk. `attempt` is 0, then 1, 2 ...; walk_leave() gets what you return."""
        yield pause()
        return 0

    def walk_leave(self, attempt, token):
        """After a walk. Nonzero: what was read is void, and the walk is made once more."""
        yield pause()
        return 0

    def move_acquire(self):
        """Before a rename."""
        yield pause()

    def move_release(self):
        """After it."""
        yield pause()


class BlockingPath(WriterPath):
    """Long's patches: a walk is a reader of rename_lock that waits."""

    rename_lock = part(SeqRW, padded=True)

    def walk_enter(self, attempt):
        yield pause()
        return 0

    def walk_leave(self, attempt, token):
        yield pause()
        return 0


class RetryPath(WriterPath):
    """Linux 3.12: a walk is optimistic; if a rename came by, the second one waits."""

    rename_lock = part(SeqExcl, padded=True)

    def walk_enter(self, attempt):
        yield pause()
        return 0

    def walk_leave(self, attempt, token):
        yield pause()
        return 0
